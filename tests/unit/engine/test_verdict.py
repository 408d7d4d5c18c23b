"""What follows from an outcome."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from duetime.engine.settling.verdict import CRASH_ATTEMPTS, verdict
from duetime.model.outcome import CANCELLED, SUCCEEDED, Outcome, failed
from duetime.model.policy import ClosedOn, Hours, Policy, Retry
from duetime.model.states import JobState
from duetime.timing.calendars import Calendar

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday


DEFAULT = Policy()


def decide(outcome: Outcome, policy: Policy = DEFAULT, **more: Any):
    given = {"attempt": 1, "now": NOW, "first_due": NOW, "in_lane": False, "cancelled": False, "chance": 0.0}
    return verdict(outcome, policy, **(given | more))


def test_success_and_cancel() -> None:
    assert decide(SUCCEEDED).state is JobState.SUCCEEDED
    assert decide(CANCELLED).state is JobState.CANCELLED
    assert decide(failed("x", "no"), cancelled=True).state is JobState.CANCELLED
    assert decide(SUCCEEDED, cancelled=True).state is JobState.SUCCEEDED, "it was done before it heard"


def test_the_default_is_five_attempts_growing_with_equal_jitter() -> None:
    waits = [decide(failed("x", "no"), attempt=n, chance=0.0).next_at for n in (1, 2, 3, 4)]
    assert [(at - NOW).total_seconds() for at in waits] == [0.5, 1.0, 2.0, 4.0]
    assert decide(failed("x", "no"), attempt=5).state is JobState.DEAD


def test_explicit_delays() -> None:
    policy = Policy(retry=Retry(max_attempts=6, delays=(1, 2, 4, 16, 256)))
    waits = [(decide(failed("x", "no"), policy, attempt=n).next_at - NOW).total_seconds() for n in range(1, 6)]
    assert waits == [1, 2, 4, 16, 256]


@pytest.mark.parametrize(
    ("kind", "goes_again"),
    [("http_503", True), ("http_599", True), ("http_404", False), ("timeout", True), ("connection", False)],
)
def test_retry_on(kind: str, goes_again: bool) -> None:
    policy = Policy(retry=Retry(retry_on=("http_5xx", "timeout")))
    assert (decide(failed(kind, "no"), policy).next_at is not None) is goes_again


def test_give_up_on_counts_more_than_retry_on() -> None:
    policy = Policy(retry=Retry(retry_on=("http_5xx",), give_up_on=("http_501",)))
    assert decide(failed("http_501", "no"), policy).state is JobState.DEAD
    assert decide(failed("http_500", "no"), policy).next_at is not None


def test_give_up_on_counts_for_a_lost_executor_too() -> None:
    policy = Policy(retry=Retry(max_attempts=1, give_up_on=("crash",)))
    assert decide(failed("crash", "gone"), policy).state is JobState.DEAD


def test_retry_after_is_honoured_up_to_the_cap() -> None:
    policy = Policy(retry=Retry(cap=100))
    assert decide(failed("http_503", "no", retry_after=30), policy).next_at == NOW + timedelta(seconds=30)
    assert decide(failed("http_503", "no", retry_after=9999), policy).next_at == NOW + timedelta(seconds=100)


def test_deadline_over_all_attempts() -> None:
    policy = Policy(retry=Retry(max_attempts=100, backoff="fixed", base=60, jitter="none", deadline=300))
    assert decide(failed("x", "no"), policy, now=NOW + timedelta(seconds=240)).next_at is not None
    assert decide(failed("x", "no"), policy, now=NOW + timedelta(seconds=241)).state is JobState.DEAD


def test_retries_wait_for_the_hours() -> None:
    policy = Policy(hours=Hours("MON-FRI 09:00-17:00"), retry=Retry(backoff="fixed", base=7200, jitter="none"))
    friday = datetime(2026, 3, 6, 16, 0, tzinfo=UTC)
    assert decide(failed("x", "no"), policy, now=friday).next_at == datetime(2026, 3, 9, 9, 0, tzinfo=UTC)


def test_retries_wait_for_a_date_that_the_calendar_allows() -> None:
    retry = Retry(backoff="fixed", base=7200, cap=7200, jitter="none")
    closed = ClosedOn("holidays", "Europe/Riga")
    holidays = Calendar("holidays", (date(2026, 3, 3), date(2026, 3, 9)))
    friday = datetime(2026, 3, 6, 14, 0, tzinfo=UTC)
    office = Policy(hours=Hours("MON-FRI 09:00-17:00", "Europe/Riga"), closed=closed, retry=retry)
    found = decide(failed("x", "no"), office, now=friday, closed=holidays)
    assert found.next_at == datetime(2026, 3, 10, 7, 0, tzinfo=UTC), "Tuesday, because Monday is a holiday"
    late = datetime(2026, 3, 2, 21, 0, tzinfo=UTC)
    whole_days = decide(failed("x", "no"), Policy(closed=closed, retry=retry), now=late, closed=holidays)
    assert whole_days.next_at == datetime(2026, 3, 3, 22, 0, tzinfo=UTC), "midnight in Riga"
    over = Calendar("holidays", (date(2026, 3, 2),), "only")
    assert decide(failed("x", "no"), Policy(closed=closed, retry=retry), now=late, closed=over).state is JobState.DEAD
    gone = decide(failed("x", "no"), Policy(closed=closed, retry=retry), now=late, closed=None)
    assert gone.next_at == late + timedelta(hours=2)


def test_at_most_once_never_goes_again() -> None:
    policy = Policy(delivery="at_most_once")
    assert decide(failed("crash", "gone"), policy).state is JobState.LOST
    assert decide(failed("http_500", "no"), policy).state is JobState.DEAD


def test_a_lost_executor_is_not_the_jobs_failure_until_it_happens_too_often() -> None:
    once = Policy(retry=Retry(max_attempts=1))
    assert decide(failed("crash", "gone"), once).next_at == NOW
    assert decide(failed("crash", "gone"), once, attempt=CRASH_ATTEMPTS).state is JobState.DEAD


def test_in_a_lane_the_end_is_held_or_passed_on() -> None:
    assert decide(failed("x", "no"), attempt=5, in_lane=True).park
    assert not decide(failed("x", "no"), Policy(on_failure="skip"), attempt=5, in_lane=True).park
    assert not decide(failed("x", "no"), attempt=5, in_lane=False).park
