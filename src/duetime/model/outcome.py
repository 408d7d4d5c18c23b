"""What came of one attempt."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.states import JobState


class HttpResponse(Struct, frozen=True, omit_defaults=True):
    """What an HTTP target answered, capped."""

    status: int
    headers: dict[str, str]
    body: str
    body_cut: bool = False
    address: str | None = None


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why an attempt failed. `kind` is the class that retry rules speak of."""

    kind: Annotated[str, Meta(examples=["timeout", "connection", "http_503", "refused", "crash"])]
    message: str
    retry_after: float | None = None


class Result(Struct, frozen=True, omit_defaults=True):
    """What is kept of an attempt beyond its state."""

    failure: Failure | None = None
    response: HttpResponse | None = None


class Outcome(Struct, frozen=True):
    """How one attempt ended: succeeded, failed (the policy decides what follows) or cancelled."""

    state: JobState
    failure: Failure | None = None
    response: HttpResponse | None = None


SUCCEEDED = Outcome(JobState.SUCCEEDED)
CANCELLED = Outcome(JobState.CANCELLED)


def failed(
    kind: str, message: str, *, response: HttpResponse | None = None, retry_after: float | None = None
) -> Outcome:
    """An attempt that failed, with the reason."""
    return Outcome(JobState.FAILED, Failure(kind, message, retry_after), response)
