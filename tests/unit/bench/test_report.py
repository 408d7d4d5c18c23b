"""The report: the claims, and the ratios."""

from __future__ import annotations

from duetime.bench.ratios import ratios
from duetime.bench.result import BenchOutcome, BenchRun, ClaimVerdict, Figure
from duetime.bench.table import markdown


def run_of(**figures: dict[str, float]) -> BenchRun:
    outcomes = [
        BenchOutcome(
            name.replace("_", "-"), name, [Figure(what, "jobs/s", "higher", [value]) for what, value in of.items()]
        )
        for name, of in figures.items()
    ]
    return BenchRun({}, {}, False, 1, "2026-01-01", outcomes)


def test_like_is_compared_with_like() -> None:
    ours = {"NDJSON, 1 connection": 30_000.0, "NDJSON, 2 connections": 60_000.0}
    found = dict(ratios(run_of(b2=ours, peer_pgqueuer={"bulk": 20_000.0, "bulk, 2 at a time": 30_000.0})))
    assert found == {
        "b2, NDJSON, 1 connection / pgqueuer, bulk": "1.50 ×",
        "b2, NDJSON, 2 connections / pgqueuer, bulk, 2 at a time": "2.00 ×",
    }


def test_shares_of_the_limit_stand_first() -> None:
    found = ratios(
        run_of(
            limit={"whole way, bare": 40_000.0}, b3={"1 process": 10_000.0}, peer_celery={"drained, 1 process": 500.0}
        )
    )
    assert found == [("b3, 1 process / the limit", "25%"), ("b3, 1 process / celery, drained, 1 process", "20.00 ×")]


def test_the_report_says_what_was_met_and_what_was_not() -> None:
    run = run_of()
    run.verdicts = [
        ClaimVerdict("one", True, "≥ 1 ×", "2.00 ×", "20 jobs/s", "10 jobs/s"),
        ClaimVerdict("two", False, "≤ 5 ms", "9 ms", "9 ms", ""),
        ClaimVerdict("three", None, "≥ 1 ×", "", "20 jobs/s", "", "peer-celery was skipped: no Redis."),
    ]
    lines = markdown(run).splitlines()
    assert "| one | ≥ 1 × | 2.00 × | met | 20 jobs/s | 10 jobs/s |" in lines
    assert "| two | ≤ 5 ms | 9 ms | **not met** | 9 ms |  |" in lines
    assert "| three | ≥ 1 × |  | not known | 20 jobs/s | peer-celery was skipped: no Redis. |" in lines
