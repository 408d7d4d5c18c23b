"""What an attempt ended with."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from duetime.model.states import JobState
from duetime.model.targets import Answer


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why an attempt failed. Retry rules select by `kind`."""

    kind: Annotated[str, Meta(examples=["timeout", "connection", "http_503", "refused", "crash"])]
    message: str
    retry_after: float | None = None


class Result(Struct, frozen=True, omit_defaults=True):
    """What the record keeps of an attempt beyond its state."""

    failure: Failure | None = None
    answer: Answer | None = msgspec.field(name="response", default=None)


class Outcome(Struct, frozen=True):
    """How one attempt ended: succeeded, failed (the policy decides what follows), cancelled, or given back (suspended).

    A run that is given back does not count as an attempt, and its job is due again after `next_after` seconds.
    """

    state: JobState
    failure: Failure | None = None
    answer: Answer | None = None
    next_after: float | None = None
    """Seconds until the next attempt, if the run itself says so, instead of the policy."""
    final: bool = False
    """Whether the failed run itself says that no other attempt can succeed."""


SUCCEEDED = Outcome(JobState.SUCCEEDED)
CANCELLED = Outcome(JobState.CANCELLED)


def failed(kind: str, message: str, *, answer: Answer | None = None, retry_after: float | None = None) -> Outcome:
    """Returns the outcome of an attempt that failed, with the reason."""
    return Outcome(JobState.FAILED, Failure(kind, message, retry_after), answer)
