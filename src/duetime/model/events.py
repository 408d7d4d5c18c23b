"""Events: facts about jobs, schedules and nodes. Each is raised once, at the one place where it becomes true.

Events are plain values. Listeners within the process may miss some (`engine.events`); what must not be missed is
written to the outbox by the statement that makes it true (`store.outbox_port`).
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from duetime.model.states import JobState


class JobSubmitted(NamedTuple):
    """A job is stored durably."""

    job_id: int
    user_id: int
    execute_at: datetime


class RunLaunched(NamedTuple):
    """A launch is committed. Without a holder it is on offer."""

    job_id: int
    user_id: int
    attempt: int
    due_at: datetime
    launched_at: datetime
    holder: int | None


class AttemptFailed(NamedTuple):
    """An attempt failed, and the job waits for another one."""

    job_id: int
    user_id: int
    attempt: int
    started_at: datetime | None
    finished_at: datetime
    next_at: datetime


class JobEnded(NamedTuple):
    """A job is in a final state, or dead. The columns of the type `ended_row`."""

    job_id: int
    user_id: int
    state: JobState
    attempt: int
    started_at: datetime | None
    """When its last attempt started; None when none did."""
    finished_at: datetime
    reason: str | None = None
    schedule_id: int | None = None
    lane: str | None = None
    blocks_lane: bool = False
    """Whether the job is dead and holds its lane until a person decides."""


class InstantsSkipped(NamedTuple):
    """Instants of a schedule that are recorded as skipped, from the first to the last."""

    schedule_id: int
    user_id: int
    first: datetime
    last: datetime
    number: int | None
    """How many; None when there are too many to count."""
    reason: str


class BreakerChanged(NamedTuple):
    """A scheduler opened or closed the circuit breaker of a host, for one user."""

    user_id: int
    host: str
    open: bool
    at: datetime


class ShardsChanged(NamedTuple):
    """A node owns another set of shards than before."""

    node: int
    owned: int
    at: datetime


Event = JobSubmitted | RunLaunched | AttemptFailed | JobEnded | InstantsSkipped | BreakerChanged | ShardsChanged
