"""The server's answers about whether jobs are on time. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Lateness(Struct, frozen=True):
    """How late jobs were launched; None when nothing was. Up to `budget_ms`, a job is on time."""

    p50_ms: float | None
    p99_ms: float | None
    worst_ms: float | None
    budget_ms: float
    launched: int


class Counts(Struct, frozen=True):
    """What happened within a window."""

    launched: int
    succeeded: int
    failed: int
    """Attempts that were followed by another."""
    dead: int
    cancelled: int
    skipped: int
    lost: int
    missed: int
    """Instants of schedules that the misfire policy left out."""


class DueJobs(Struct, frozen=True):
    """Jobs that are due and not launched. Counts end at 10,000, and are None for all users together."""

    overdue: int | None
    oldest_due_at: datetime | None
    held: int | None
    oldest_held_at: datetime | None


class Needs(Struct, frozen=True):
    """What waits for a person."""

    dead_letters: int
    blocked_lanes: int
    broken_hosts: int
    missed: int
    lost: int


class Overview(Struct, frozen=True):
    """Whether jobs are on time, and what waits for a person."""

    now: datetime
    window: str
    lateness: Lateness
    counts: Counts
    waiting: DueJobs
    running: int
    queued: int
    jobs: dict[str, int]
    needs: Needs


class PlannedRun(Struct, frozen=True):
    """A run that is planned. Without a job, its schedule creates one."""

    at: datetime
    user_id: int
    job_id: int | None
    schedule_id: int | None
    schedule: str | None


class Planned(Struct, frozen=True):
    """Planned runs by minute, and the first of them."""

    start: datetime
    counts: list[int]
    total: int
    complete: bool
    """False when there are more than the server looks at."""
    next: list[PlannedRun]


class Share(Struct, frozen=True):
    """What a user got, beside its weight."""

    user_id: int
    username: str
    job_weight: float
    weight_part: float
    launched: int
    launched_part: float


class Shares(Struct, frozen=True):
    """What users got within a window: those with the most launches."""

    now: datetime
    window: str
    launched: int
    users: list[Share]
