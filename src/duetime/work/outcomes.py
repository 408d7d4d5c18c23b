"""How a function says how its run ends: by returning, or by raising one of these."""

from __future__ import annotations

import traceback
from datetime import timedelta

from ..client.spec import Duration
from ..errors import DuetimeError
from .durations import seconds_of
from .protocol.wire import Outcome, RunFailure

MOST_TRACE = 16_000
"""Characters of a traceback that are sent: the last ones, which say where it happened."""
MOST_MESSAGE = 2_000


class Ending(Exception):
    """A run ends in a way that the function chose."""


class Retry(Ending):
    """The run failed, and the next attempt is due after a duration. Without one, after the job's own backoff.

    The run counts as an attempt: after the last one the job is a dead letter.
    """

    def __init__(self, after: Duration | None = None, message: str = "") -> None:
        super().__init__(message or "The function asked for another attempt.")
        self.after = None if after is None else seconds_of(after)


class Fail(Ending):
    """The run failed for good: the job becomes a dead letter at once, whatever attempts are left."""

    def __init__(self, message: str = "The function failed for good.") -> None:
        super().__init__(message)


class Snooze(Ending):
    """The job is due again after a duration. This costs no attempt."""

    def __init__(self, after: Duration) -> None:
        super().__init__(f"The function asked to run later, after {after}.")
        self.after = seconds_of(after)


class Cancelled(Ending):
    """The run was asked to stop. `Context.progress` raises it, so that blocking functions end too."""

    def __init__(self, message: str = "The run was cancelled.") -> None:
        super().__init__(message)


class TimedOut(Ending):
    """The run took longer than its time-out."""

    def __init__(self, message: str = "The run took longer than its time-out.") -> None:
        super().__init__(message)


class Released(Ending):
    """The worker stops: the run goes back to the queue, and costs no attempt."""

    def __init__(self, message: str = "The worker stops.") -> None:
        super().__init__(message)


class UnusableMessage(DuetimeError):
    """The function cannot take this message. Another attempt would not help."""

    code = "unusable_message"


class UnusableResult(DuetimeError):
    """What the function returned cannot be stored. Another attempt would not help."""

    code = "unusable_result"


class UnknownTask(DuetimeError):
    """The worker has no task of this name."""

    code = "unknown_task"


class ProcessEnded(DuetimeError):
    """The process in which the function ran ended before the function did."""

    code = "process_ended"


FOR_GOOD = (Fail, UnusableMessage, UnusableResult, UnknownTask)


def outcome_of(run: str, error: BaseException) -> Outcome:
    """Returns how a run ends whose function raised this error."""
    if isinstance(error, Released):
        return Outcome(run=run, status="released")
    if isinstance(error, Snooze):
        return Outcome(run=run, status="snoozed", retry_in_ms=milliseconds(error.after))
    after = error.after if isinstance(error, Retry) else None
    return Outcome(
        run=run,
        status="failed",
        error=RunFailure(kind=kind_of(error), message=_cut(str(error) or type(error).__name__), trace=trace_of(error)),
        retryable=False if isinstance(error, FOR_GOOD) else None,
        retry_in_ms=None if after is None else milliseconds(after),
    )


def kind_of(error: BaseException) -> str:
    """Returns a short name of an error: its class, or the word that Duetime has for it."""
    if isinstance(error, TimedOut):
        return "timeout"
    if isinstance(error, Cancelled):
        return "cancelled"
    if isinstance(error, DuetimeError):
        return error.code
    return type(error).__name__


def trace_of(error: BaseException) -> str | None:
    """Returns the end of an error's traceback. None for errors that a function raises to say how it ends."""
    if isinstance(error, Ending | DuetimeError) or error.__traceback__ is None:
        return getattr(error, "remote_trace", None)
    return "".join(traceback.format_exception(error))[-MOST_TRACE:]


def milliseconds(seconds: float) -> int:
    """Returns whole milliseconds, rounded up, so that nothing is due too early."""
    return -int(-timedelta(seconds=seconds).total_seconds() * 1000 // 1)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_MESSAGE else f"{text[: MOST_MESSAGE - 1]}…"
