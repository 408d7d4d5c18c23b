"""What clients see of schedules."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from duetime.api.jobs.bodies import Message
from duetime.api.schedules.dependent_fields import shown_timing
from duetime.model.message import message_shown
from duetime.model.policy import Delivery, Hours, Limit, OnFailure, Retry
from duetime.model.schedule import MisfirePolicy, Overlap, Schedule, ScheduleRecord, ScheduleState
from duetime.model.targets import Target
from duetime.timing.dialects import other_days_in_quartz
from duetime.timing.preview import Preview
from duetime.timing.spec import Timing, expressions, in_words

LONGEST_SHOWN = 1000
"""How much of a text a change shows: thousands of changes fit into one answer."""


class NextView(Struct, frozen=True):
    """A schedule's next occurrence."""

    job_id: int
    nominal: Annotated[datetime, Meta(description="The instant that the timing gives.")]
    run_at: Annotated[datetime, Meta(description="When it is launched, after window and jitter.")]


class MisfireView(Struct, frozen=True):
    """What happens to instants that passed before they could be launched."""

    policy: MisfirePolicy
    grace: Annotated[float, Meta(description="`skip`: launch up to this many seconds late.")]
    max_count: Annotated[int, Meta(description="`fire_all`: launch at most this many.")]
    max_age: Annotated[float, Meta(description="`fire_all`: launch only those at most this many seconds old.")]


class ScheduleView(Struct, frozen=True):
    """A schedule. Credentials in its target are shown as `(hidden)`."""

    id: int
    name: str
    state: ScheduleState
    cron: str | tuple[str, ...] | None
    dialect: Annotated[str, Meta(description="How `cron` is written.")] | None
    every: str | int | float | None
    anchor: datetime | None
    at: tuple[datetime, ...] | None
    rrule: str | None
    zone: str
    dst_policy: str | None
    calendar: str | None
    window: str | None
    window_policy: Annotated[str, Meta(description="What happens to instants outside the window.")] | None
    jitter: str | int | float | None
    start: datetime | None
    end: datetime | None
    max_occurrences: int | None
    misfire: MisfireView
    overlap: Overlap
    message: Message
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
    occurrences: Annotated[int, Meta(description="How many occurrences were launched.")]
    next: NextView | None
    created_at: datetime
    updated_at: datetime


class ScheduleIds(Struct, frozen=True):
    """The ids of all schedules, in the order in which they were sent."""

    ids: list[int]


class RecordView(Struct, frozen=True):
    """The record of one nominal instant, or of `count` instants from `nominal` to `until`."""

    job_id: int
    nominal: datetime
    status: str
    occurrence: Annotated[bool, Meta(description="False for a job that was started by hand, redriven or backfilled.")]
    attempts: int
    due_at: datetime
    launched_at: datetime | None
    finished_at: datetime | None
    reason: str | None
    until: Annotated[datetime, Meta(description="The last instant of the record.")] | None
    count: (
        Annotated[int, Meta(description="How many instants the record stands for; null if they are too many to count.")]
        | None
    )


class PreviewInstant(Struct, frozen=True):
    """An upcoming instant; `run_at` is null when a calendar or a window leaves it out."""

    nominal: datetime
    local: Annotated[datetime, Meta(description="The same instant in local time, with its offset.")]
    run_at: datetime | None
    run_local: datetime | None
    flags: tuple[str, ...]


class PreviewView(Struct, frozen=True):
    """The coming instants, and sentences about what may not be meant or was not found."""

    instants: list[PreviewInstant]
    warnings: list[str]
    words: Annotated[list[str], Meta(description="The timing in words; none for a recurrence rule.")]


class BackfillView(Struct, frozen=True):
    """The jobs that a backfill created, or would create."""

    count: int
    nominals: Annotated[list[datetime], Meta(description="The first 1,000 instants.")]
    first_at: datetime
    last_at: Annotated[datetime, Meta(description="When the last one is launched.")]
    ids: Annotated[list[int], Meta(description="The created jobs; none on a dry run.")]


class FieldChange(Struct, frozen=True):
    """A field of a schedule that differs. Credentials are shown as `(hidden)`; long text is cut."""

    field: str
    before: Any
    after: Any


class ApplyEntry(Struct, frozen=True):
    """What the call did, or would do, to one schedule."""

    name: str
    action: Literal["create", "change", "keep", "delete"]
    changes: Annotated[list[FieldChange], Meta(description="The fields that differ, with their values.")]
    id: int | None


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
        message=message_shown(content.message),
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


def change_view(field: str, before: Any, after: Any) -> FieldChange:
    """A field that differs, as shown."""
    return FieldChange(field, _beginning(before), _beginning(after))


def _beginning(value: Any) -> Any:
    return value if not isinstance(value, str) or len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "…"


def preview_view(timing: Timing, found: Preview) -> PreviewView:
    """Coming instants as shown."""
    instants = [PreviewInstant(one.nominal, one.local, one.run_at, one.run_local, one.flags) for one in found.rows]
    warnings = [warning for one in expressions(timing) if (warning := other_days_in_quartz(one)) is not None]
    if found.searched_until is not None:
        warnings.append(
            f"The preview ends early: up to {found.searched_until:%Y-%m-%d} no further instant that runs was found, "
            "and the search stopped there."
        )
    return PreviewView(instants, warnings, in_words(timing))
