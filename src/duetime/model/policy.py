"""How a job may be tried: delivery, time-out, retries, and what a final failure does to its lane."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Delivery = Literal["at_least_once", "at_most_once"]
OnFailure = Literal["block", "skip"]
Backoff = Literal["fixed", "linear", "exponential"]
Jitter = Literal["none", "full", "equal"]
Seconds = Annotated[float, Meta(ge=0, le=31_536_000)]

DEFAULT_TIMEOUT = 60.0


class Retry(Struct, frozen=True, forbid_unknown_fields=True):
    """When a failed attempt is followed by another, and how long after."""

    max_attempts: Annotated[int, Meta(ge=1, le=1000)] = 5
    backoff: Backoff = "exponential"
    base: Seconds = 1.0
    factor: Annotated[float, Meta(ge=1, le=100)] = 2.0
    cap: Seconds = 3600.0
    jitter: Jitter = "equal"
    delays: tuple[Seconds, ...] | None = None
    retry_on: tuple[str, ...] = ()
    give_up_on: tuple[str, ...] = ()
    deadline: Seconds | None = None


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """How much may go at once and how fast: `rate` launches per `per`, with `burst` at once."""

    max_concurrency: Annotated[int, Meta(ge=1)] | None = None
    rate: Annotated[float, Meta(gt=0)] | None = None
    per: Literal["second", "minute", "hour"] = "second"
    burst: Annotated[int, Meta(ge=1)] | None = None


class Hours(Struct, frozen=True, forbid_unknown_fields=True):
    """Weekly local hours within which attempts may start, such as `MON-FRI 09:00-17:00` in a zone."""

    window: Annotated[str, Meta(min_length=1, max_length=256)]
    zone: Annotated[str, Meta(min_length=1, max_length=64)] = "UTC"


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a job's launches that is not its target."""

    timeout: Annotated[float, Meta(gt=0, le=86_400)] = DEFAULT_TIMEOUT
    delivery: Delivery = "at_least_once"
    retry: Retry = Retry()
    on_failure: OnFailure = "block"
    limit: Limit | None = None
    hours: Hours | None = None
    breaker: bool = True
    requires: dict[str, str] | UnsetType = UNSET
    """Labels that an executor must have. Unset, it leaves no trace in the spelling: older definitions keep theirs."""
