"""Claims are judged by the figures of a run."""

from __future__ import annotations

import pytest

from duetime.bench.claims import CLAIMS, Claim, FigureSource
from duetime.bench.result import BenchOutcome, BenchRun, Better, ClaimVerdict, Figure
from duetime.bench.verdicts import verdicts

OURS = FigureSource("b3", ("2 processes",))
DRAINED = ("drained, 1 process", "drained, 2 processes")
AGAINST_CELERY = Claim("drain", OURS, 15.0, FigureSource("peer-celery", DRAINED))


def outcome(
    name: str, *figures: tuple[str, list[float]], unit: str = "jobs/s", better: Better = "higher"
) -> BenchOutcome:
    return BenchOutcome(name, name, [Figure(label, unit, better, values) for label, values in figures])


def verdicts_of(claim: Claim, *outcomes: BenchOutcome) -> list[ClaimVerdict]:
    return verdicts(BenchRun({}, {}, False, 3, "2026-01-01", list(outcomes)), [claim])


def only(claim: Claim, *outcomes: BenchOutcome) -> ClaimVerdict:
    (found,) = verdicts_of(claim, *outcomes)
    return found


@pytest.mark.parametrize(("ours", "met"), [(14_999.0, False), (15_000.0, True), (15_001.0, True)])
def test_a_ratio_is_met_from_the_factor_on(ours: float, met: bool) -> None:
    found = only(AGAINST_CELERY, outcome("b3", ("2 processes", [ours])), outcome("peer-celery", (DRAINED[1], [1_000])))
    assert found.met is met
    assert found.needed == "≥ 15 ×"


def test_both_figures_are_shown_with_their_spread() -> None:
    ours = outcome("b3", ("1 process", [9.0]), ("2 processes", [20_000, 18_000, 21_000]))
    found = only(AGAINST_CELERY, ours, outcome("peer-celery", (DRAINED[0], [900, 1_000, 1_100])))
    assert found.found == "20.00 ×"
    assert found.ours == "20,000 (18,000 – 21,000) jobs/s, 2 processes"
    assert found.theirs == "1,000 (900 – 1,100) jobs/s, drained, 1 process"


def test_the_median_decides_and_not_the_best_round() -> None:
    ours = outcome("b3", ("2 processes", [90_000, 14_000, 14_500]))
    assert only(AGAINST_CELERY, ours, outcome("peer-celery", (DRAINED[0], [1_000]))).met is False


def test_a_peer_is_taken_at_its_best() -> None:
    peer = outcome("peer-celery", (DRAINED[0], [1_500, 1_500, 1_500]), (DRAINED[1], [5_000, 1_100, 1_000]))
    found = only(AGAINST_CELERY, outcome("b3", ("2 processes", [18_000])), peer)
    assert found.found == "12.00 ×"
    assert found.met is False


def test_where_less_is_better_the_least_is_best() -> None:
    claim = Claim("time", FigureSource("b10", ("far",)), 1.15, FigureSource("b10", ("near", "nearer")), at_least=False)
    figures = outcome("b10", ("far", [57.4]), ("near", [70]), ("nearer", [50]), unit="µs/job", better="lower")
    assert only(claim, figures).met is True
    figures.figures[0].values[0] = 57.6
    assert only(claim, figures).met is False
    assert only(claim, figures).needed == "≤ 1.15 ×"


@pytest.mark.parametrize(("values", "met"), [([20.0, 3.0, 99.0], True), ([20.1, 3.0, 99.0], False)])
def test_a_bound_is_held_by_the_median(values: list[float], met: bool) -> None:
    claim = Claim("p99", FigureSource("b1", ("p99",)), 20, at_least=False)
    found = only(claim, outcome("b1", ("p99", values), unit="ms", better="lower"))
    assert (found.met, found.needed, found.theirs) == (met, "≤ 20 ms", "")


def test_what_must_never_be_is_judged_by_the_worst_round() -> None:
    claim = Claim("early", FigureSource("b5", ("early",)), 0, at_least=False, judge="worst")
    assert only(claim, outcome("b5", ("early", [0, 0, 0]), unit="jobs", better="lower")).met is True
    found = only(claim, outcome("b5", ("early", [0, 1, 0]), unit="jobs", better="lower"))
    assert (found.met, found.found) == (False, "1 jobs")


def test_the_worst_round_is_the_least_where_more_is_better() -> None:
    claim = Claim("held", FigureSource("b4", ("rate held",)), 100, judge="worst")
    assert only(claim, outcome("b4", ("rate held", [100, 300, 200]))).met is True
    assert only(claim, outcome("b4", ("rate held", [99, 300, 200]))).met is False


def test_what_was_not_asked_for_is_not_verdicts_of() -> None:
    assert verdicts_of(AGAINST_CELERY, outcome("b3", ("2 processes", [1.0]))) == []
    assert verdicts_of(AGAINST_CELERY, outcome("peer-celery", (DRAINED[0], [1.0]))) == []


def test_a_peer_that_was_skipped_says_why() -> None:
    peer = BenchOutcome("peer-celery", "Celery", skipped="there is no redis-server.")
    found = only(AGAINST_CELERY, outcome("b3", ("2 processes", [20_000])), peer)
    assert found.met is None
    assert found.why == "peer-celery was skipped: there is no redis-server."
    assert found.ours == "20,000 (20,000 – 20,000) jobs/s, 2 processes"


def test_figures_of_a_benchmark_that_failed_half_way_prove_nothing() -> None:
    ours = outcome("b3", ("2 processes", [20_000]))
    ours.failed = "Traceback …"
    found = only(AGAINST_CELERY, ours, outcome("peer-celery", (DRAINED[0], [1_000])))
    assert (found.met, found.why) == (None, "b3 failed.")


def test_a_figure_that_is_not_there_is_not_known() -> None:
    quick = outcome("b10", ("10^4 pending, drained", [50]), unit="µs/job", better="lower")
    claim = Claim(
        "growth", FigureSource("b10", ("10^7 pending, drained",)), 1.15, FigureSource("b10", ("10^4 pending, drained",))
    )
    assert only(claim, quick).met is None


def test_claims_are_told_apart_by_their_words() -> None:
    assert len({claim.what for claim in CLAIMS}) == len(CLAIMS)
