"""What clients send about schedules and calendars."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.jobs.bodies import (
    AnyTarget,
    Cursor,
    DefinitionLimit,
    DeliveryRule,
    Labels,
    Limit,
    Message,
    OrderingKey,
    Priority,
    Requires,
    RetryRule,
    StartHours,
    Timeout,
    UseBreaker,
)
from duetime.model.policy import OnFailure
from duetime.model.schedule import Misfire, MisfirePolicy, Overlap, ScheduleState
from duetime.timing.calendars import MAX_DATES
from duetime.timing.dst import DstPolicy
from duetime.timing.spec import MAX_CRONS, MAX_INSTANTS, WindowPolicy

MAX_PREVIEW = 1000
_NO_NUL = {"pattern": r"^[^\x00]*$"}

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Unique among your schedules; `H` and the jitter choose by it.",
        extra_json_schema=_NO_NUL,
    ),
]
Expression = Annotated[str, Meta(max_length=256)]
CronText = Annotated[
    Expression | Annotated[tuple[Expression, ...], Meta(min_length=1, max_length=MAX_CRONS)],
    Meta(description="Five fields, six with seconds first, or a nickname; several add up.", examples=["30 2 * * *"]),
]
Span = Annotated[
    Annotated[str, Meta(max_length=64)] | Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)],
    Meta(description='Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").', examples=["15m", 90]),
]
Moment = Annotated[datetime, Meta(tz=True)]
Instants = Annotated[
    tuple[Moment, ...], Meta(min_length=1, max_length=MAX_INSTANTS, description="Instants, one by one.")
]
Rrule = Annotated[str, Meta(max_length=8192, description="A recurrence rule of RFC 5545.")]
Zone = Annotated[str, Meta(min_length=1, max_length=64, description="Whose clocks are meant; UTC if not given.")]
Dst = Annotated[
    DstPolicy,
    Meta(
        description="What to do when clocks change: with `cron` (vixie if not given) or `rrule` (shift if not given)."
    ),
]
CalendarName = Annotated[str, Meta(min_length=1, max_length=255, description="The name of one of your calendars.")]
WindowText = Annotated[
    str,
    Meta(
        max_length=256,
        description="Weekly local hours within which attempts start.",
        examples=["MON-FRI 09:00-17:00"],
    ),
]
WindowRule = Annotated[
    WindowPolicy,
    Meta(description="With `window`: what is outside moves to its opening, or is skipped; move if not given."),
]
MisfireRule = Annotated[
    Misfire | MisfirePolicy,
    Meta(description="What becomes of instants that passed before they could be launched; fire_once if not given."),
]
OverlapRule = Annotated[
    Overlap, Meta(description="What happens when an earlier occurrence has not finished; skip if not given.")
]
Occurrences = Annotated[int, Meta(ge=1, le=2**53 - 1, description="After so many launches it ends.")]


class ScheduleBody(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A schedule: a name, when (at least one of `cron`, `every`, `at`, `rrule`), and what each occurrence does.

    In the message `{{nominal}}`, `{{occurrence}}` and `{{schedule}}` stand for the occurrence's instant,
    its number and the schedule's name.
    """

    name: Name
    cron: CronText | None = None
    every: Span | None = None
    anchor: Annotated[Moment, Meta(description="What `every` counts from.")] | None = None
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
    max_occurrences: Occurrences | None = None
    misfire: MisfireRule | None = None
    overlap: OverlapRule | None = None
    message: Message = ""
    target: AnyTarget | None = None
    ordering_key: OrderingKey | None = None
    priority: Priority | None = None
    timeout: Timeout | None = None
    expires_after: (
        Annotated[Span, Meta(description="How long after it is due an occurrence may still be started.")] | None
    ) = None
    delivery: DeliveryRule | None = None
    retry: RetryRule | None = None
    on_failure: (
        Annotated[
            OnFailure,
            Meta(
                description="With `ordering_key`, or `overlap: queue`: what a final failure does to later ones; block "
                "if not given, but skip in a queue of the schedule's own."
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
        namespace={"__doc__": "What to change about a schedule; null takes a thing away. At least one thing."},
        module=__name__,
    )


SchedulePatch: Any = _patch_type()


Prefix = Annotated[
    str,
    Meta(
        max_length=255,
        description="Delete those of yours whose names begin with this and that are not given here; then all "
        "names given must begin with it. An empty text stands for all that you have.",
        extra_json_schema=_NO_NUL,
    ),
]


class ApplyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Schedules as they are to be, found by name: new ones are made, others changed where they differ."""

    schedules: list[ScheduleBody]
    dry_run: Annotated[bool, Meta(description="Only say what would be done.")] = False
    prune: Prefix | None = None


class PreviewBody(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A timing that is not saved."""

    name: Annotated[str, Meta(max_length=255, description="By which `H` and the jitter choose.")] = ""
    cron: CronText | None = None
    every: Span | None = None
    anchor: Moment | None = None
    at: Instants | None = None
    rrule: Rrule | None = None
    zone: Zone | None = None
    dst_policy: Dst | None = None
    calendar: CalendarName | None = None
    window: WindowText | None = None
    window_policy: WindowRule | None = None
    jitter: Span | None = None
    start: Moment | None = None
    end: Moment | None = None
    n: Annotated[int, Meta(ge=1, le=MAX_PREVIEW, description="How many instants.")] = 10
    from_: Annotated[Moment, Meta(description="Look on from here; now if not given.")] | None = msgspec.field(
        name="from", default=None
    )


class PreviewQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How much of what is to come to show."""

    n: Annotated[int, Meta(ge=1, le=MAX_PREVIEW, description="How many instants.")] = 10
    from_: Annotated[datetime, Meta(tz=True, description="Look on from here; now if not given.")] | None = (
        msgspec.field(name="from", default=None)
    )


class SchedulesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which schedules to list."""

    state: Annotated[ScheduleState, Meta(description="Only those in this state.")] | None = None
    q: Annotated[str, Meta(max_length=255, description="Only those whose name contains this.")] | None = None
    limit: Limit = 100
    cursor: Cursor | None = None


class RecordsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a schedule's history to list."""

    limit: Limit = 100
    cursor: Cursor | None = None


class BackfillBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A stretch of the past whose instants are to be launched; `dry_run` first shows which."""

    from_: Annotated[Moment, Meta(description="The first instant that counts.")] = msgspec.field(name="from")
    to: Annotated[Moment, Meta(description="The first that does not; not later than now.")]
    pace: Annotated[Span, Meta(description="How long between two launches; none if not given.")] = 0
    dry_run: bool = False


Dates = Annotated[tuple[date, ...], Meta(max_length=MAX_DATES, description="Local dates, such as 2026-12-25.")]
Mode = Annotated[Literal["exclude", "only"], Meta(description="Whether nothing runs on these dates, or only on these.")]


class CalendarBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A named set of dates."""

    name: Annotated[str, Meta(min_length=1, max_length=255, extra_json_schema=_NO_NUL)]
    dates: Dates
    mode: Mode = "exclude"


class CalendarPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Other dates for a calendar; its name stays."""

    dates: Dates | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET


class CalendarsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which calendars to list."""

    limit: Limit = 100
    cursor: Cursor | None = None
