"""What clients get to see of schedules and calendars."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from duetime.api.schedules.goes_with import shown_timing
from duetime.model.policy import Delivery, Hours, Limit, OnFailure, Retry
from duetime.model.schedule import MisfirePolicy, Overlap, Schedule, ScheduleRecord, ScheduleState, StoredCalendar
from duetime.model.targets import Target
from duetime.timing.preview import PreviewRow


class NextView(Struct, frozen=True):
    """A schedule's next occurrence."""

    job_id: int
    nominal: Annotated[datetime, Meta(description="The instant by the timing.")]
    run_at: Annotated[datetime, Meta(description="When it is launched, after window and jitter.")]


class MisfireView(Struct, frozen=True):
    """What becomes of instants that passed before they could be launched."""

    policy: MisfirePolicy
    grace: Annotated[float, Meta(description="Seconds of lateness up to which `skip` still launches.")]
    max_count: Annotated[int, Meta(description="`fire_all`: at most so many.")]
    max_age: Annotated[float, Meta(description="`fire_all`: only those younger than so many seconds.")]


class ScheduleView(Struct, frozen=True):
    """A schedule. Credentials in its target are shown as `(hidden)`."""

    id: int
    name: str
    state: ScheduleState
    cron: str | tuple[str, ...] | None
    every: str | int | float | None
    anchor: datetime | None
    at: tuple[datetime, ...] | None
    rrule: str | None
    zone: str
    dst_policy: str | None
    calendar: str | None
    window: str | None
    window_policy: Annotated[str, Meta(description="What becomes of instants outside the window.")] | None
    jitter: str | int | float | None
    start: datetime | None
    end: datetime | None
    max_occurrences: int | None
    misfire: MisfireView
    overlap: Overlap
    message: str
    target: Target
    ordering_key: str | None
    priority: int
    timeout: float
    expires_after: float | None
    delivery: Delivery
    retry: Retry
    on_failure: OnFailure
    labels: dict[str, str]
    limit: Limit | None
    hours: Hours | None
    breaker: bool
    requires: dict[str, str]
    version: Annotated[int, Meta(description="Rises with each change.")]
    occurrences: Annotated[int, Meta(description="How many were launched.")]
    next: NextView | None
    created_at: datetime
    updated_at: datetime


class ScheduleIds(Struct, frozen=True):
    """The ids of all schedules, in the order in which they were sent."""

    ids: list[int]


class RecordView(Struct, frozen=True):
    """What became of one nominal instant, or of `count` of them from `nominal` to `until`."""

    job_id: int
    nominal: datetime
    status: str
    occurrence: Annotated[bool, Meta(description="False for what was started by hand, redriven or filled in later.")]
    attempts: int
    due_at: datetime
    launched_at: datetime | None
    finished_at: datetime | None
    reason: str | None
    until: Annotated[datetime, Meta(description="The last instant that this stands for.")] | None
    count: Annotated[int, Meta(description="How many instants this stands for; null for too many to count.")] | None


class PreviewView(Struct, frozen=True):
    """One instant to come; `run_at` is null when a calendar or a window leaves it out."""

    nominal: datetime
    local: Annotated[datetime, Meta(description="As the clocks of the zone show it, with their offset.")]
    run_at: datetime | None
    run_local: datetime | None
    flags: tuple[str, ...]


class BackfillView(Struct, frozen=True):
    """What a backfill made, or would make."""

    count: int
    nominals: Annotated[list[datetime], Meta(description="The instants, the first 1,000 of them.")]
    first_at: datetime
    last_at: Annotated[datetime, Meta(description="When the last one is launched.")]
    ids: Annotated[list[int], Meta(description="The jobs made; none on a dry run.")]


class ApplyEntry(Struct, frozen=True):
    """What is done, or would be done, to one schedule."""

    name: str
    action: Literal["create", "change", "keep", "delete"]
    changes: Annotated[list[str], Meta(description="The fields that differ.")]
    id: int | None


class CalendarView(Struct, frozen=True):
    """A calendar."""

    id: int
    name: str
    dates: tuple[date, ...]
    mode: str
    version: int
    created_at: datetime
    updated_at: datetime


def schedule_view(schedule: Schedule) -> ScheduleView:
    """A schedule as shown."""
    content, policy = schedule.content, schedule.content.definition.policy
    return ScheduleView(
        id=schedule.id,
        name=content.name,
        state=schedule.state,
        **shown_timing(content.timing),
        max_occurrences=content.max_occurrences,
        misfire=MisfireView(*structs.astuple(content.misfire)),
        overlap=content.overlap,
        message=content.message,
        target=content.definition.target.redacted(),
        ordering_key=content.ordering_key,
        priority=content.priority,
        timeout=policy.timeout,
        expires_after=content.expires_after,
        delivery=policy.delivery,
        retry=policy.retry,
        on_failure=policy.on_failure,
        labels=content.labels or {},
        limit=policy.limit,
        hours=policy.hours,
        breaker=policy.breaker,
        requires=policy.requires or {},
        version=schedule.version,
        occurrences=schedule.occurrences,
        next=_next(schedule),
        created_at=schedule.created_at,
        updated_at=schedule.updated_at,
    )


def _next(schedule: Schedule) -> NextView | None:
    job, nominal, due = schedule.pending_job, schedule.pending_nominal, schedule.pending_due
    return None if job is None or nominal is None or due is None else NextView(job, nominal, due)


def record_view(record: ScheduleRecord) -> RecordView:
    """A record as shown."""
    single = record.until is None
    return RecordView(
        record.job_id,
        record.nominal,
        record.state,
        record.occurrence,
        record.attempts,
        record.due_at,
        record.launched_at,
        record.finished_at,
        record.reason,
        record.until,
        1 if single else record.count,
    )


def preview_view(row: PreviewRow) -> PreviewView:
    """An instant to come as shown."""
    return PreviewView(row.nominal, row.local, row.run_at, row.run_local, row.flags)


def calendar_view(stored: StoredCalendar) -> CalendarView:
    """A calendar as shown."""
    one = stored.calendar
    return CalendarView(stored.id, one.name, one.dates, one.mode, stored.version, stored.created_at, stored.updated_at)
