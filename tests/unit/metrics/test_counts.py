"""What the stages count, and that every label is bounded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from duetime.metrics import catalogue
from duetime.metrics.catalogue import CATALOGUE, Metric
from duetime.metrics.counts import OTHER, REASONS, Counts
from duetime.model.definition import Definition
from duetime.model.events import InstantsSkipped, JobEnded
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Policy
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.log import LogTarget
from duetime.store.port import Ending

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LOG = Definition(LogTarget(), Policy())
HTTP = Definition(HttpTarget(url="https://example.org"), Policy())


def a_run(job_id: int = 1, *, definition: Definition = LOG, late: float = 0.0, user: int = 1) -> LaunchedRun:
    due = NOW - timedelta(seconds=late)
    return LaunchedRun(
        JobId(job_id), UserId(user), 1, DefinitionId(1), definition, "", execute_at=due, due_at=due, executor=NodeId(1)
    )


def values(counts: Counts, metric: Metric) -> dict[tuple[str, ...], object]:
    return {one.labels: one.value for one in counts.samples() if one.metric == metric}


def test_a_launch_counts_from_due_to_launched_and_to_started() -> None:
    counts = Counts()
    counts.launched_here([a_run(late=0.004), a_run(late=20)], NOW, NOW + timedelta(seconds=3))
    assert counts.launches == 2
    assert counts.last_launch == NOW.timestamp()
    assert abs(counts.lateness.total - 20.004) < 1e-3
    assert abs(counts.start_lateness.total - 26.004) < 1e-3
    assert (counts.queue_wait.count, counts.queue_wait.total) == (2, 6.0)


def test_attempts_are_counted_by_kind_of_target_and_outcome() -> None:
    counts = Counts()
    later = NOW + timedelta(seconds=2)
    counts.attempts(
        [
            Settlement(a_run(1), SUCCEEDED, NOW, NOW),
            Settlement(a_run(2), SUCCEEDED, NOW, NOW),
            Settlement(a_run(3, definition=HTTP), failed("timeout", "It took too long."), NOW, later),
            Settlement(a_run(4), SUCCEEDED, NOW, NOW),
            Settlement(a_run(5, definition=HTTP), SUCCEEDED, None, later),
        ]
    )
    assert values(counts, catalogue.RUNS) == {("log", "succeeded"): 3, ("http", "failed"): 1, ("http", "succeeded"): 1}
    assert counts.targets["log"].duration.count == 3
    assert (counts.targets["http"].duration.count, counts.targets["http"].duration.total) == (1, 2.0)


def test_ends_are_counted_by_state_and_skips_by_reason() -> None:
    counts = Counts()
    ending = Ending(1, 1, 1, JobState.SUCCEEDED, NOW, NOW, None, None)
    expired = ending._replace(state=JobState.SKIPPED, reason="expired: too late")
    counts.ended_by_outcome([ending, ending, expired, ending._replace(state=JobState.LOST)], [])
    counts.ended_otherwise([JobEnded(1, 1, JobState.CANCELLED, 0, None, NOW, "cancelled")])
    counts.instants_skipped([InstantsSkipped(1, 1, NOW, NOW, 7, "misfire: it passed")])
    counts.instants_skipped([InstantsSkipped(1, 1, NOW, NOW, None, "window: outside")])
    assert {state: n for (state,), n in values(counts, catalogue.ENDED).items() if n} == {
        "succeeded": 2, "skipped": 1, "lost": 1, "cancelled": 1,
    }  # fmt: skip
    assert {reason: n for (reason,), n in values(counts, catalogue.SKIPPED).items() if n} == {
        "expired": 1, "misfire": 7, "window": 1,
    }  # fmt: skip
    assert values(counts, catalogue.MISSED) == {(): 7}
    assert values(counts, catalogue.LOST) == {(): 1}


def test_a_reason_of_any_text_adds_no_label() -> None:
    counts = Counts()
    for number in range(100):
        counts.instants_skipped([InstantsSkipped(1, 1, NOW, NOW, 1, f"reason {number}: unheard of")])
    assert set(counts.skipped) == REASONS | {OTHER}
    assert counts.skipped[OTHER] == 100


def test_users_beyond_the_cap_are_counted_together() -> None:
    counts = Counts(users=2)
    counts.launched_here([a_run(one, user=one) for one in (1, 2, 2, 3, 4)], NOW, NOW)
    assert counts.users is not None
    assert sorted(counts.users.nameless()) == [1, 2]
    assert values(counts, catalogue.USER_LAUNCHES) == {("(others)",): 2}, "nameless users are not exported"
    counts.users.names |= {1: "ada", 2: "bob"}
    assert values(counts, catalogue.USER_LAUNCHES) == {("(others)",): 2, ("ada",): 1, ("bob",): 2}


def test_the_catalogue_follows_the_conventions_of_prometheus() -> None:
    names = [metric.name for metric in CATALOGUE]
    assert len(set(names)) == len(names)
    for metric in CATALOGUE:
        assert metric.name.startswith("duetime_")
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert metric.help.endswith("."), metric.name
        assert list(metric.bounds) == sorted(metric.bounds)
        assert bool(metric.bounds) == (metric.kind == "histogram"), metric.name
