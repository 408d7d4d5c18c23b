"""What clients send about schedules."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.jobs.bodies import (
    AnyTarget,
    DefinitionLimit,
    DeliveryRule,
    Labels,
    Message,
    OrderingKey,
    Priority,
    Requires,
    RetryRule,
    StartHours,
    Timeout,
    UseBreaker,
)
from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.model.bounds import OCCURRENCES, PREVIEWED
from duetime.model.policy import OnFailure
from duetime.model.schedule import Misfire, MisfirePolicy, Overlap, ScheduleState
from duetime.timing.dst import DstPolicy
from duetime.timing.expression import Dialect
from duetime.timing.spec import MAX_CRONS, MAX_INSTANTS, WindowPolicy

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Unique among your schedules; `H` and the jitter are derived from it.",
        extra_json_schema=NO_NUL,
    ),
]
Expression = Annotated[str, Meta(max_length=256)]
CronText = Annotated[
    Expression | Annotated[tuple[Expression, ...], Meta(min_length=1, max_length=MAX_CRONS)],
    Meta(
        description="Five fields, six with seconds first, or a nickname. A list is due whenever one of them is.",
        examples=["30 2 * * *"],
    ),
]
CronDialect = Annotated[
    Dialect,
    Meta(
        description="How `cron` is written; default standard. `quartz` has six fields, seven with a year, and 1 for "
        "Sunday."
    ),
]
Span = Annotated[
    Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)],
    Meta(description='Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").', examples=["15m", 90]),
]
Moment = Annotated[datetime, Meta(tz=True)]
Instants = Annotated[tuple[Moment, ...], Meta(min_length=1, max_length=MAX_INSTANTS, description="A list of instants.")]
Rrule = Annotated[str, Meta(max_length=8192, description="A recurrence rule of RFC 5545.")]
Zone = Annotated[str, Meta(min_length=1, max_length=64, description="The time zone of local times; default UTC.")]
Dst = Annotated[
    DstPolicy,
    Meta(description="What local times do when clocks change, in `cron` (default vixie) and `rrule` (default shift)."),
]
CalendarName = Annotated[str, Meta(min_length=1, max_length=255, description="The name of one of your calendars.")]
WindowText = Annotated[
    str,
    Meta(
        max_length=256,
        description="Weekly local hours in which attempts may start.",
        examples=["MON-FRI 09:00-17:00"],
    ),
]
WindowRule = Annotated[
    WindowPolicy,
    Meta(description="With `window`: an instant outside it moves to the next opening, or is skipped; default move."),
]
MisfireRule = Annotated[
    Misfire | MisfirePolicy,
    Meta(description="What happens to instants that passed before they could be launched; default fire_once."),
]
OverlapRule = Annotated[
    Overlap, Meta(description="What happens while an earlier occurrence has not finished; default skip.")
]
PreviewCount = Annotated[int, Meta(ge=PREVIEWED.least, le=PREVIEWED.most, description="How many instants to show.")]
PreviewFrom = Annotated[datetime, Meta(tz=True, description="Show instants from this one on; default now.")]
Occurrences = Annotated[
    int, Meta(ge=OCCURRENCES.least, le=OCCURRENCES.most, description="The schedule ends after this many launches.")
]


class TimingFields(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A timing: at least one of `cron`, `every`, `at`, `rrule`, and fields that narrow it."""

    cron: CronText | None = None
    dialect: CronDialect | None = None
    every: Span | None = None
    anchor: Annotated[Moment, Meta(description="The instant that `every` counts from.")] | None = None
    at: Instants | None = None
    rrule: Rrule | None = None
    zone: Zone | None = None
    dst_policy: Dst | None = None
    calendar: CalendarName | None = None
    window: WindowText | None = None
    window_policy: WindowRule | None = None
    jitter: Span | None = None
    start: Annotated[Moment, Meta(description="No instant before this one.")] | None = None
    end: Annotated[Moment, Meta(description="No instant at or after this one.")] | None = None


class ScheduleBody(TimingFields, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A schedule: a name, a timing (at least one of `cron`, `every`, `at`, `rrule`), and what each occurrence does.

    In the message `{{nominal}}`, `{{occurrence}}` and `{{schedule}}` stand for the occurrence's instant,
    its number and the schedule's name.
    """

    name: Name
    max_occurrences: Occurrences | None = None
    misfire: MisfireRule | None = None
    overlap: OverlapRule | None = None
    message: Message = ""
    target: AnyTarget | None = None
    ordering_key: OrderingKey | None = None
    priority: Priority | None = None
    timeout: Timeout | None = None
    expires_after: (
        Annotated[Span, Meta(description="How long after its due instant an occurrence may still start.")] | None
    ) = None
    delivery: DeliveryRule | None = None
    retry: RetryRule | None = None
    on_failure: (
        Annotated[
            OnFailure,
            Meta(
                description="With `ordering_key` or `overlap: queue`: what a final failure does to later jobs in the "
                "lane; default block, or skip in a lane that only this schedule has."
            ),
        ]
        | None
    ) = None
    labels: Labels | None = None
    limit: DefinitionLimit | None = None
    hours: StartHours | None = None
    breaker: UseBreaker | None = None
    requires: Requires | None = None


def _patch_type() -> type[Struct]:
    hints = get_type_hints(ScheduleBody, include_extras=True)
    fields: list[tuple[str, Any, Any]] = [(name, hints[name] | UnsetType, UNSET) for name in hints]
    return msgspec.defstruct(
        "SchedulePatch",
        fields,
        frozen=True,
        forbid_unknown_fields=True,
        kw_only=True,
        namespace={
            "__doc__": "Changes to a schedule; at least one field. Null removes a value; as a message it is one."
        },
        module=__name__,
    )


SchedulePatch: Any = _patch_type()


Prefix = Annotated[
    str,
    Meta(
        max_length=255,
        description="Delete those of your schedules whose names begin with this text and are not among `schedules`. "
        "Every name in `schedules` must then begin with it. Empty text selects all of your schedules.",
        extra_json_schema=NO_NUL,
    ),
]


class ApplyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A set of schedules to apply, found by name: new ones are created, others are changed where they differ."""

    schedules: list[ScheduleBody]
    dry_run: Annotated[bool, Meta(description="Change nothing: only show what the call would do.")] = False
    prune: Prefix | None = None


class PreviewBody(TimingFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A timing that is not saved."""

    name: Annotated[str, Meta(max_length=255, description="The name that `H` and the jitter are derived from.")] = ""
    n: PreviewCount = 10
    from_: PreviewFrom | None = msgspec.field(name="from", default=None)


class PreviewQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many coming instants to show."""

    n: PreviewCount = 10
    from_: PreviewFrom | None = msgspec.field(name="from", default=None)


class SchedulesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which schedules to list."""

    state: Annotated[ScheduleState, Meta(description="Only schedules in this state.")] | None = None
    q: Annotated[str, Meta(max_length=255, description="Only schedules whose name contains this text.")] | None = None
    limit: PageSize = 100
    cursor: Cursor | None = None


class RecordsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a schedule's history to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None


class BackfillBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A range of the past whose instants to launch; `dry_run` shows them without launching."""

    from_: Annotated[Moment, Meta(description="The start of the range, inclusive.")] = msgspec.field(name="from")
    to: Annotated[Moment, Meta(description="The end of the range, exclusive; not later than now.")]
    pace: Annotated[Span, Meta(description="The time between two launches; default 0.")] = 0
    dry_run: bool = False
