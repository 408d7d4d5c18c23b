"""The server's answers about schedules and calendars. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from msgspec import Struct


class NextRun(Struct, frozen=True):
    """A schedule's next occurrence."""

    job_id: int
    nominal: datetime
    run_at: datetime


class Schedule(Struct, frozen=True, omit_defaults=True):
    """A schedule."""

    id: int
    name: str
    state: str
    cron: str | list[str] | None = None
    dialect: str | None = None
    every: str | float | None = None
    anchor: datetime | None = None
    at: list[datetime] | None = None
    rrule: str | None = None
    zone: str = "UTC"
    dst_policy: str | None = None
    calendar: str | None = None
    window: str | None = None
    window_policy: str | None = None
    jitter: str | float | None = None
    start: datetime | None = None
    end: datetime | None = None
    max_occurrences: int | None = None
    misfire: dict[str, Any] | None = None
    overlap: str | None = None
    message: Any = ""
    target: dict[str, Any] | None = None
    ordering_key: str | None = None
    priority: int | None = None
    timeout: float | None = None
    expires_after: float | None = None
    delivery: str | None = None
    retry: dict[str, Any] | None = None
    on_failure: str | None = None
    labels: dict[str, str] | None = None
    limit: dict[str, Any] | None = None
    hours: dict[str, Any] | None = None
    breaker: bool | None = None
    requires: dict[str, str] | None = None
    version: int | None = None
    occurrences: int | None = None
    next: NextRun | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None


class ScheduleRecord(Struct, frozen=True, omit_defaults=True):
    """What happened to one occurrence, or to `count` of them from `nominal` to `until`."""

    job_id: int
    nominal: datetime
    status: str
    occurrence: bool = True
    attempts: int = 0
    due_at: datetime | None = None
    launched_at: datetime | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    until: datetime | None = None
    count: int | None = None


class PreviewInstant(Struct, frozen=True, omit_defaults=True):
    """An upcoming nominal instant. Without `run_at`, a calendar or a window leaves it out."""

    nominal: datetime
    local: datetime
    run_at: datetime | None = None
    run_local: datetime | None = None
    flags: list[str] = []


class Preview(Struct, frozen=True):
    """Upcoming instants, and sentences about what may not be meant or was not found."""

    instants: list[PreviewInstant]
    warnings: list[str]


class Backfilled(Struct, frozen=True):
    """The jobs that a backfill created, or would create."""

    count: int
    nominals: list[datetime]
    first_at: datetime
    last_at: datetime
    ids: list[int]


class FieldChange(Struct, frozen=True):
    """A field of a schedule that differs, with both values. Credentials are hidden and long text is cut."""

    field: str
    before: Any = None
    after: Any = None


class Applied(Struct, frozen=True):
    """What was done, or would be done, to one schedule: create, change, keep or delete."""

    name: str
    action: str
    changes: list[FieldChange]
    id: int | None = None


class Calendar(Struct, frozen=True, omit_defaults=True):
    """A calendar: dates that schedules leave out or keep to."""

    id: int
    name: str
    dates: list[date]
    mode: str = "exclude"
    version: int | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
