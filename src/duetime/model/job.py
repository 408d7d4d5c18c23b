"""A job: one thing to do at one instant."""

from __future__ import annotations

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType

from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.states import JobState
from duetime.model.waiting import Waiting

DEFAULT_PRIORITY = 5
MAX_PRIORITY = 9


class NewJob(Struct, frozen=True):
    """A submitted job, checked, before it has an id."""

    user_id: UserId
    definition: Definition
    message: str
    execute_at: datetime
    lane: str | None = None
    priority: int = DEFAULT_PRIORITY
    expires_at: datetime | None = None
    labels: dict[str, str] | None = None
    idempotency_key: str | None = None
    schedule_id: int | None = None
    fingerprint: bytes | None = None
    """With an idempotency key: a hash of the request, to tell a repeat from another request with the same key."""


class Job(Struct, frozen=True):
    """A job as the store holds it, ended or not."""

    id: JobId
    user_id: UserId
    state: JobState
    definition_id: DefinitionId
    definition: Definition
    message: str
    execute_at: datetime
    due_at: datetime
    created_at: datetime
    lane: str | None
    priority: int
    attempts: int
    expires_at: datetime | None = None
    labels: dict[str, str] | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    cancel_requested: bool = False
    schedule_id: int | None = None
    waiting_for: tuple[Waiting, ...] = ()
    """What holds it back, while it waits. The store leaves it empty."""


class JobEdit(Struct, frozen=True):
    """A change to a job that has not started. `None` leaves a field as it is, but removes an expiry."""

    execute_at: datetime | None = None
    message: str | None = None
    definition: Definition | None = None
    priority: int | None = None
    expires_at: datetime | UnsetType | None = UNSET


class DeadFilter(Struct, frozen=True):
    """Which dead jobs to list or act on. Instants bound `finished_at`: from inclusive, to exclusive."""

    ids: tuple[int, ...] | None = None
    """Only these jobs; all other fields are ignored."""
    error: str | None = None
    kind: str | None = None
    """Only those whose last failure is of exactly this class."""
    definition_id: int | None = None
    from_: datetime | None = None
    to: datetime | None = None
    ordering_key: str | None = None
    before_id: int | None = None
    limit: int = 100


class DeadGroup(Struct, frozen=True):
    """Dead jobs whose last failure is of one class; None where none is recorded."""

    kind: str | None
    reason: str | None
    """Of the newest."""
    count: int
    first_at: datetime
    last_at: datetime
    latest_id: int
    hosts: tuple[str, ...] = ()
    """What some of their targets depend on."""


class JobFilter(Struct, frozen=True):
    """Which jobs a listing shows. Instants bound `execute_at`: from inclusive, to exclusive."""

    statuses: tuple[JobState, ...] = ()
    """Only jobs in one of these states; none: in any."""
    from_: datetime | None = None
    to: datetime | None = None
    ordering_key: str | None = None
    q: str | None = None
    before_id: int | None = None
    limit: int = 100
    schedule_id: int | None = None
    labels: dict[str, str] | None = None
    """Only jobs that have all of these labels."""
    ids: tuple[int, ...] | None = None
    """Only these jobs, at most a few thousand."""
    definitions: tuple[int, ...] | None = None
    """Only jobs with one of these definitions. The engine finds them by `target` and `host`."""
    target: str | None = None
    """Only jobs with this kind of target."""
    host: str | None = None
    """Only jobs whose target depends on this, such as a host."""
    retrying: bool = False
    """Only jobs that wait for another attempt."""
    floor_id: int | None = None
    """The lowest id to look at, see `InsightStore.search_floor`."""
