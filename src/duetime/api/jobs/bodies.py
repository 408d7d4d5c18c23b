"""What clients send about jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.model.policy import Delivery, Hours, OnFailure, Retry
from duetime.model.policy import Limit as LaunchLimit
from duetime.model.states import JobState
from duetime.model.targets import Target

_NO_NUL = {"pattern": r"^[^\x00]*$"}

Message = Annotated[
    str,
    Meta(
        description="The payload: text of up to 256 KiB in UTF-8 (the server may set another limit), without NUL.",
        extra_json_schema=_NO_NUL,
    ),
]
Instant = Annotated[
    datetime, Meta(tz=True, description="RFC 3339 with any offset, up to the year 2200. A past one is due at once.")
]
Duration = Annotated[
    Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)],
    Meta(
        description='How long from now, instead of an instant: seconds, "30m", "1h30m", or ISO 8601 ("PT30M").',
        examples=["30m", 90, "PT1H"],
    ),
]
AnyTarget = Annotated[Target, Meta(description="What to do. Without one the message goes to the run's log.")]
Priority = Annotated[int, Meta(ge=0, le=9, description="Among your own due jobs, higher goes first; 5 if not given.")]
OrderingKey = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Jobs with the same key run one at a time, in order of their instants.",
        extra_json_schema=_NO_NUL,
    ),
]
Timeout = Annotated[
    Annotated[str, Meta(max_length=64)]
    | Annotated[int, Meta(gt=0, le=86_400)]
    | Annotated[float, Meta(gt=0, le=86_400)],
    Meta(description="How long one attempt may take, up to a day: seconds or a duration; 60 s if not given."),
]
RetryRule = Annotated[
    Retry | bool,
    Meta(description="When a failed attempt is followed by another; false: never; true or nothing: the defaults."),
]
DeliveryRule = Annotated[
    Delivery,
    Meta(description="at_most_once: one attempt and never another, so without `retry`; at_least_once if not given."),
]
ExpiresAt = Annotated[
    datetime, Meta(tz=True, description="From this instant on the job is no longer started, but skipped.")
]
DefinitionLimit = Annotated[
    LaunchLimit,
    Meta(
        description="How many at once and how fast, for all of your jobs of the same definition: same target, same "
        "policy. `rate` launches per `per`, `burst` of them at once."
    ),
]
StartHours = Annotated[
    Hours,
    Meta(
        description="Weekly local hours within which attempts start, the first one and retries alike.",
        examples=[{"window": "MON-FRI 09:00-17:00", "zone": "Europe/Riga"}],
    ),
]
UseBreaker = Annotated[
    bool,
    Meta(
        description="Whether the job waits while its HTTP host is taken to be down, instead of using up attempts; "
        "true if not given. A job with a `limit` never does."
    ),
]
LabelKey = Annotated[str, Meta(min_length=1, max_length=63)]
LabelValue = Annotated[str, Meta(max_length=255)]
Labels = Annotated[
    dict[LabelKey, LabelValue],
    Meta(max_length=32, description="Up to 32 names of up to 63 characters, with values of up to 255."),
]
Requires = Annotated[
    dict[LabelKey, LabelValue],
    Meta(
        max_length=32,
        description="Labels that an executor must have to run it, such as zone: eu. Until one lives that has them "
        "all, the job waits, and shows what for in `waiting_for`.",
    ),
]
Limit = Annotated[int, Meta(ge=1, le=1000, description="How many to show at most.")]
Cursor = Annotated[str, Meta(max_length=64, description="The `next_cursor` of the page before.")]


class JobBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A job to be done: at `execute_at`, after `delay`, or at once."""

    message: Message
    execute_at: Instant | None = None
    delay: Duration | None = None
    target: AnyTarget | None = None
    ordering_key: OrderingKey | None = None
    priority: Priority | None = None
    timeout: Timeout | None = None
    expires_at: ExpiresAt | None = None
    delivery: DeliveryRule | None = None
    retry: RetryRule | None = None
    on_failure: Annotated[
        OnFailure | None,
        Meta(description="What a final failure does to later jobs with the same ordering key; block if not given."),
    ] = None
    labels: Labels | None = None
    limit: DefinitionLimit | None = None
    hours: StartHours | None = None
    breaker: UseBreaker | None = None
    requires: Requires | None = None


class RulesPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """What to change about what a job does and by what rules; null takes a limit, hours or required labels away."""

    message: Message | UnsetType = UNSET
    target: AnyTarget | UnsetType = UNSET
    priority: Priority | UnsetType = UNSET
    timeout: Timeout | UnsetType = UNSET
    delivery: DeliveryRule | UnsetType = UNSET
    retry: RetryRule | UnsetType = UNSET
    on_failure: OnFailure | UnsetType = UNSET
    limit: DefinitionLimit | UnsetType | None = UNSET
    hours: StartHours | UnsetType | None = UNSET
    breaker: UseBreaker | UnsetType = UNSET
    requires: Requires | UnsetType | None = UNSET


class JobPatch(RulesPatch, frozen=True, forbid_unknown_fields=True):
    """What to change about a job that has not started; null takes a thing away. At least one thing."""

    execute_at: Instant | UnsetType = UNSET
    delay: Duration | UnsetType = UNSET
    expires_at: ExpiresAt | UnsetType | None = UNSET


class JobsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which jobs to list."""

    status: Annotated[JobState, Meta(description="Only jobs in this state.")] | None = None
    from_: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` at or after this.")] | None = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` before this.")] | None = None
    ordering_key: Annotated[str, Meta(max_length=255, description="Only jobs with this key.")] | None = None
    q: Annotated[str, Meta(max_length=255, description="Only jobs whose message contains this.")] | None = None
    limit: Limit = 100
    cursor: Cursor | None = None
