"""What clients send about jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.model.bounds import MAX_TIMEOUT, PRIORITY
from duetime.model.ids import MAX_ID
from duetime.model.policy import Delivery, Hours, OnFailure, Retry
from duetime.model.policy import Limit as LaunchLimit
from duetime.model.states import JobState
from duetime.model.targets import Target
from duetime.model.trace import EXAMPLE, LONGEST, PATTERN

Message = Annotated[
    Any,
    Meta(
        description="The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may "
        "set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.",
        extra_json_schema=NO_NUL,
        examples=["good morning", {"order": 4711}],
    ),
]
Instant = Annotated[
    datetime,
    Meta(
        tz=True, description="RFC 3339 with any offset, up to the year 2200. A job for a past instant is due at once."
    ),
]
Duration = Annotated[
    Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)],
    Meta(
        description='Time from now, instead of an instant: seconds, "30m", "1h30m", or ISO 8601 ("PT30M").',
        examples=["30m", 90, "PT1H"],
    ),
]
AnyTarget = Annotated[
    Target, Meta(description="What the job does. Without a target, it writes the message to the run's log.")
]
Priority = Annotated[
    int,
    Meta(
        ge=PRIORITY.least,
        le=PRIORITY.most,
        description="Of your due jobs, those with a higher priority start first; default 5.",
    ),
]
OrderingKey = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Jobs with the same key run one at a time, in order of their instants.",
        extra_json_schema=NO_NUL,
    ),
]
Timeout = Annotated[
    Annotated[str, Meta(max_length=64)]
    | Annotated[int, Meta(gt=0, le=MAX_TIMEOUT)]
    | Annotated[float, Meta(gt=0, le=MAX_TIMEOUT)],
    Meta(description="How long one attempt may take, up to a day: seconds or a duration; default 60 s."),
]
RetryRule = Annotated[
    Retry | bool,
    Meta(description="When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out."),
]
DeliveryRule = Annotated[
    Delivery,
    Meta(description="`at_most_once` allows a single attempt and no `retry`; default `at_least_once`."),
]
ExpiresAt = Annotated[datetime, Meta(tz=True, description="A job that has not started by this instant is skipped.")]
DefinitionLimit = Annotated[
    LaunchLimit,
    Meta(
        description="How many run at once and how fast they start, for all of your jobs with the same definition (the "
        "same target and policy): `rate` launches per `per`, `burst` at once."
    ),
]
StartHours = Annotated[
    Hours,
    Meta(
        description="Weekly local hours in which attempts may start, the first one and retries alike.",
        examples=[{"window": "MON-FRI 09:00-17:00", "zone": "Europe/Riga"}],
    ),
]
UseBreaker = Annotated[
    bool,
    Meta(
        description="Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is "
        "open; default true. A job with a `limit` never waits."
    ),
]
LabelKey = Annotated[str, Meta(min_length=1, max_length=63)]
LabelValue = Annotated[str, Meta(max_length=255)]
Labels = Annotated[
    dict[LabelKey, LabelValue],
    Meta(max_length=32, description="Up to 32 labels: names of up to 63 characters, values of up to 255."),
]
Requires = Annotated[
    dict[LabelKey, LabelValue],
    Meta(
        max_length=32,
        description="Labels that an executor must have to run the job, such as zone: eu. While no living executor has "
        "them all, the job waits, and `waiting_for` says so.",
    ),
]


TraceParent = Annotated[
    str,
    Meta(
        extra_json_schema={"pattern": PATTERN},
        max_length=LONGEST,
        description="The trace that the job comes from, as in W3C Trace Context. It is kept if it is sampled: each run "
        "is then a trace of its own, linked to this one. It comes before the header of the same name.",
        examples=[EXAMPLE],
    ),
]
LabelText = Annotated[
    str, Meta(max_length=319, extra_json_schema={"pattern": "^[^=\\0]{1,63}=[^\\0]{0,255}$"}, examples=["team=billing"])
]


class JobBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A new job, due at `execute_at`, after `delay`, or at once."""

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
        Meta(description="What a final failure does to later jobs with the same ordering key; default block."),
    ] = None
    labels: Labels | None = None
    limit: DefinitionLimit | None = None
    hours: StartHours | None = None
    breaker: UseBreaker | None = None
    requires: Requires | None = None
    traceparent: TraceParent | None = None


class RulesPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to a job's message, target and policy; null removes a limit, hours or required labels."""

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
    """Changes to a job that has not started; at least one field. Null removes a value."""

    execute_at: Instant | UnsetType = UNSET
    delay: Duration | UnsetType = UNSET
    expires_at: ExpiresAt | UnsetType | None = UNSET


TargetName = Annotated[str, Meta(min_length=1, max_length=32, pattern="^[a-z_]+$", examples=["http", "log"])]


class JobsFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """Which jobs are meant; without any field, all of them."""

    status: (
        Annotated[
            list[JobState],
            Meta(max_length=10, description="Only jobs in this state. Repeat it for several states."),
        ]
        | None
    ) = None
    retrying: Annotated[bool, Meta(description="Only jobs that wait for another attempt.")] = False
    target: Annotated[TargetName, Meta(description="Only jobs with this kind of target.")] | None = None
    host: (
        Annotated[str, Meta(max_length=255, description="Only jobs that call this host, as breakers spell it.")] | None
    ) = None
    from_: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` at or after this.")] | None = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` before this.")] | None = None
    ordering_key: Annotated[str, Meta(max_length=255, description="Only jobs with this key.")] | None = None
    q: Annotated[str, Meta(max_length=255, description="Only jobs whose message contains this.")] | None = None
    schedule_id: Annotated[int, Meta(ge=1, le=MAX_ID, description="Only jobs of this schedule.")] | None = None
    label: (
        Annotated[
            list[LabelText],
            Meta(max_length=32, description="Only jobs with this label, as NAME=VALUE. Repeat it for several labels."),
        ]
        | None
    ) = None


class JobsQuery(JobsFilter, frozen=True, forbid_unknown_fields=True):
    """Which jobs to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None
