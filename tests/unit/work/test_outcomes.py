"""How a function ends, and what the server is told about it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duetime.errors import Invalid
from duetime.work import Cancelled, Context, Fail, Retry, Snooze, TimedOut
from duetime.work.durations import seconds_of
from duetime.work.outcomes import MOST_TRACE, Released, UnusableMessage, outcome_of


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as found:
        return found


@pytest.mark.parametrize(
    ("error", "status", "kind", "retryable", "retry_in_ms"),
    [
        (Retry(), "failed", "Retry", None, None),
        (Retry("1.5s"), "failed", "Retry", None, 1500),
        (Fail("no such user"), "failed", "Fail", False, None),
        (Snooze(timedelta(minutes=1)), "snoozed", None, None, 60_000),
        (Released(), "released", None, None, None),
        (Cancelled(), "failed", "cancelled", None, None),
        (TimedOut(), "failed", "timeout", None, None),
        (UnusableMessage("x"), "failed", "unusable_message", False, None),
        (ZeroDivisionError(), "failed", "ZeroDivisionError", None, None),
        (SystemExit(3), "failed", "SystemExit", None, None),
    ],
)
def test_every_error_has_one_outcome(
    error: BaseException, status: str, kind: str | None, retryable: bool | None, retry_in_ms: int | None
) -> None:
    outcome = outcome_of("r", raised(error))
    found = outcome.error.kind if outcome.error else None
    assert (outcome.status, found, outcome.retryable, outcome.retry_in_ms) == (status, kind, retryable, retry_in_ms)
    assert outcome.error is None or outcome.error.message


def test_the_end_of_a_long_trace_is_kept() -> None:
    def deep(n: int) -> None:
        if n:
            deep(n - 1)
        raise ValueError("x" * 30_000)

    try:
        deep(50)
    except ValueError as error:
        outcome = outcome_of("r", error)
    assert outcome.error is not None
    assert len(outcome.error.trace or "") == MOST_TRACE
    assert len(outcome.error.message) == 2000


@pytest.mark.parametrize(
    ("value", "seconds"), [("90s", 90), ("1h30m", 5400), ("250ms", 0.25), (2, 2.0), ("2w", 1_209_600)]
)
def test_durations(value: str | float, seconds: float) -> None:
    assert seconds_of(value) == seconds


@pytest.mark.parametrize("value", ["", "5", "s", "1x", "-1s", -1, float("nan"), True])
def test_what_is_no_duration_is_refused(value: str | float) -> None:
    with pytest.raises(Invalid):
        seconds_of(value)


def test_a_function_can_be_called_with_a_context_of_a_test() -> None:
    context = Context.for_test(attempt=3, checkpoint={"page": 7})
    assert (context.attempt, context.checkpoint()) == (3, {"page": 7})
    context.stop()
    with pytest.raises(Cancelled):
        context.progress(1)
