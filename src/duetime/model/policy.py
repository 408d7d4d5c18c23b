"""A job's policy: delivery, time-out, retries, limits, and what a final failure does to its lane."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.model.bounds import AT_ONCE, ATTEMPTS, MAX_TIMEOUT

Delivery = Literal["at_least_once", "at_most_once"]
OnFailure = Literal["block", "skip"]
Backoff = Literal["fixed", "linear", "exponential"]
Jitter = Literal["none", "full", "equal"]
Seconds = Annotated[float, Meta(ge=0, le=31_536_000)]

DEFAULT_TIMEOUT = 60.0


class Retry(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether and how long after a failed attempt the next one starts. Durations are in seconds.

    An attempt whose executor died is repeated at once, up to five times even where fewer attempts are allowed,
    unless `give_up_on` names `crash`. With one attempt, the other fields have no meaning.
    """

    max_attempts: Annotated[
        int, Meta(ge=ATTEMPTS.least, le=ATTEMPTS.most, description="The largest number of attempts.")
    ] = 5
    backoff: Annotated[
        Backoff, Meta(description="After each failure, the wait stays `base`, grows by `base`, or grows `factor`-fold.")
    ] = "exponential"
    base: Annotated[Seconds, Meta(description="The wait after the first failure.")] = 1.0
    factor: Annotated[float, Meta(ge=1, le=100, description="`exponential`: what the wait is multiplied by.")] = 2.0
    cap: Annotated[Seconds, Meta(description="The longest wait.")] = 3600.0
    jitter: Annotated[Jitter, Meta(description="How much of the wait is random: none of it, all of it, or half.")] = (
        "equal"
    )
    delays: (
        Annotated[
            tuple[Seconds, ...],
            Meta(
                description="The waits one by one, instead of `backoff`, `base`, `factor` and `jitter`; the last one "
                "is repeated."
            ),
        ]
        | None
    ) = None
    retry_on: Annotated[
        tuple[str, ...],
        Meta(description="Retry only after these failures, such as timeout or http_5xx; empty means all."),
    ] = ()
    give_up_on: Annotated[
        tuple[str, ...], Meta(description="Never retry after these, even if `retry_on` names them.")
    ] = ()
    deadline: (
        Annotated[Seconds, Meta(description="No attempt starts later than this after the first was due.")] | None
    ) = None


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """How many jobs may run at once, and how fast they launch: `rate` launches per `per`, `burst` of them at once."""

    max_concurrency: Annotated[int, Meta(ge=AT_ONCE.least)] | None = None
    rate: Annotated[float, Meta(gt=0)] | None = None
    per: Literal["second", "minute", "hour"] = "second"
    burst: Annotated[int, Meta(ge=AT_ONCE.least)] | None = None


class Hours(Struct, frozen=True, forbid_unknown_fields=True):
    """Weekly local hours within which attempts may start, such as `MON-FRI 09:00-17:00` in a zone."""

    window: Annotated[str, Meta(min_length=1, max_length=256)]
    zone: Annotated[str, Meta(min_length=1, max_length=64)] = "UTC"


class ClosedOn(Struct, frozen=True, forbid_unknown_fields=True):
    """The name of a calendar whose excluded dates, local dates of the zone, see no attempt."""

    calendar: str
    zone: str = "UTC"


class Policy(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything about a job's launches that is not its target."""

    timeout: Annotated[float, Meta(gt=0, le=MAX_TIMEOUT)] = DEFAULT_TIMEOUT
    delivery: Delivery = "at_least_once"
    retry: Retry = Retry()
    on_failure: OnFailure = "block"
    limit: Limit | None = None
    hours: Hours | None = None
    breaker: bool = True
    requires: dict[str, str] | UnsetType = UNSET
    """Labels that an executor must have. Unset, it is not encoded, so that a definition without it keeps its hash."""
    closed: ClosedOn | UnsetType = UNSET
    """The calendar of the schedule that minted the job, so that it binds retries too."""
