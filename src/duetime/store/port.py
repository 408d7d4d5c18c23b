"""The contract of the store, one protocol for each part of a job's way.

Common obligations:
- Every verb that takes many does its work in one statement or one transaction, all or nothing, unless it
  says otherwise.
- Time is an argument. The store never asks its own clock, except for leases, whose judge it is.
- When a verb raises `StoreAway`, the outcome of a write is unknown unless said otherwise; every verb
  is safe to repeat, either because it is conditional or because an idempotency key guards it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from msgspec import UNSET, Struct, UnsetType

from duetime.model.broken_host import BrokenHost
from duetime.model.definition import Definition
from duetime.model.events import JobEnded
from duetime.model.ids import DefinitionId, Flow, JobId, NodeId, UserId
from duetime.model.job import DeadFilter, Job, JobFilter
from duetime.model.lane import LaneState
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.user import Credentials, Role, Share, User, UserChange


class JobRef(NamedTuple):
    """What deciding about a job needs: small, so that many fit in memory."""

    id: int
    user_id: int
    flow: int
    priority: int
    due_at: datetime
    attempt: int
    """Attempts used up so far."""
    lane: str | None
    execute_at: datetime
    schedule_id: int | None = None


Position = tuple[int, datetime, int]
"""Where a job stands in its queue: minus priority, due instant, id."""


def position_of(ref: JobRef) -> Position:
    """Where a job stands in its queue."""
    return (-ref.priority, ref.due_at, ref.id)


class Wanted(NamedTuple):
    """What to read of a queue: so many, from its head or after a place."""

    flow: int
    limit: int
    after: Position | None = None


class JobRow(NamedTuple):
    """A job on its way into the store; the columns of the type `job_row`."""

    taken_id: int | None
    """The id that an idempotency key has reserved; None for a new one."""
    shard: int
    user_id: UserId
    definition_id: DefinitionId
    flow: Flow
    priority: int
    ready: bool
    execute_at: datetime
    due_at: datetime
    expires_at: datetime | None
    schedule_id: int | None
    lane: str | None
    labels: str | None
    message: str


class KeyClaim(Struct, frozen=True):
    """An idempotency key that a job wants to take."""

    key: str
    fingerprint: bytes


class KeyHolder(Struct, frozen=True):
    """The job that has an idempotency key already."""

    job_id: JobId
    fingerprint: bytes


class Stored(NamedTuple):
    """What became of a row: its id and whether it is ready, or who has its key already."""

    job_id: int
    ready: bool
    holder: KeyHolder | None = None


class Edited(NamedTuple):
    """A job as it is after a change, and whether it is ready: one in a lane may wait for others."""

    ref: JobRef
    ready: bool


class LaunchIntent(NamedTuple):
    """A job that was picked, with the term under which it is launched."""

    ref: JobRef
    term: int


class LaunchedRow(NamedTuple):
    """What a committed launch is to do."""

    id: int
    user_id: int
    definition_id: int
    message: str
    execute_at: datetime
    due_at: datetime
    expires_at: datetime | None
    lane: str | None
    attempt: int
    base_attempt: int
    flow: int
    schedule_id: int | None = None


class Launched(NamedTuple):
    """What came of launches: those to carry out, and those to take back because their jobs are gone or moved."""

    rows: list[LaunchedRow]
    gone: list[int]


class Ending(NamedTuple):
    """A run that settles for good; the columns of the type `ending_row`."""

    job_id: int
    executor: int
    attempt: int
    state: JobState
    started_at: datetime | None
    finished_at: datetime
    reason: str | None
    result: str | None


class Again(NamedTuple):
    """A run that settles for another attempt at `next_at`, or waits for a person (`park`); as `again_row`."""

    job_id: int
    executor: int
    attempt: int
    state: JobState
    started_at: datetime | None
    finished_at: datetime
    result: str | None
    next_at: datetime
    park: bool

    def stopped(self) -> Ending:
        """The same run, whose job was asked to stop meanwhile: there is no other attempt."""
        return Ending(
            self.job_id,
            self.executor,
            self.attempt,
            JobState.CANCELLED,
            self.started_at,
            self.finished_at,
            "cancelled while running",
            self.result,
        )


class Orphan(NamedTuple):
    """A run whose executor is gone, launched or taken at `launched_at`; no `definition_id` when its job is gone too."""

    job_id: int
    user_id: int
    executor: int
    attempt: int
    launched_at: datetime
    cancel: bool
    lane: str | None
    definition_id: int | None
    execute_at: datetime | None
    base_attempt: int | None
    flow: int | None


class SubmitStore(Protocol):
    """The way in."""

    async def intern(self, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        """Ids of definitions given as (user, hash, body), stored if new. A repeat gives the same ids."""
        ...

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably: all or none. On return they are committed."""
        ...

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that carry idempotency keys; those whose key is taken are not stored but answered."""
        ...


class DueStore(Protocol):
    """What is due. Reads only; what they say may be out of date a moment later: `launch` decides."""

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """Ready jobs of the held shards in due order, strictly after a position, up to an instant."""
        ...

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """Of each queue its next due jobs by priority, due instant, id, one queue after the other."""
        ...

    async def due_flows(self, now: datetime) -> list[int]:
        """Every queue that has something due; cost by queues, not by jobs."""
        ...

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """The next lanes (user, key) after a position in which somebody is not ready, and their heads that should be.

        For a moment that is so of every such lane whose last ready job has just ended.
        """
        ...

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make what is next in each lane ready; the heads, and whoever became ready behind them.

        Nothing of a lane that has a job in flight, or whose head waits for a person.
        """
        ...

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """As `promote`, of those lanes in which somebody is not ready: for lanes of which jobs have ended.

        Lanes may be given several times.
        """
        ...

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Jobs of lanes that turned out not to be next, or not yet: they are ready no longer."""
        ...


class LaunchStore(Protocol):
    """Launching. Atomic: the fence, the term, the unique run and the lane are checked by the insert itself."""

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        """Commit launches for this node and return what to run, as it stands once they are locked.

        A job that is fenced, in flight or not the next of its lane is not launched and appears nowhere. A job that
        no longer exists, or was given another instant meanwhile, is launched and `gone`: the caller takes that
        launch back.
        """
        ...

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
        """Take back launches that were never sent and became this node's up to an instant.

        Jobs that were asked to stop end as cancelled, and are returned.

        A launch from the bus became this node's when it was taken, every other one when it was made. The instant is
        that of the launch that is meant: a call that is carried out late, after its caller gave it up, must not take
        back a later launch of the same job.
        """
        ...

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """The jobs whose launches became this node's at exactly one of these instants, and still are."""
        ...

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Definitions by id."""
        ...


class SettleStore(Protocol):
    """Settling. Only the holder (job, executor, attempt) can; anything else is silently without effect."""

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history; the ids that were settled by this call.

        Each is settled whole or not at all; a call that fails may have settled some, and a repeat leaves them alone.
        """
        ...

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs and let their jobs wait for the next attempt; jobs asked to stop are left in flight."""
        ...

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Launches of an executor that are older than an instant."""
        ...

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Runs of the held shards whose executor has no lease."""
        ...


class ControlStore(Protocol):
    """Edits. Each takes the launch lock first, so nothing starts under what was changed after the answer."""

    async def withdraw(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> JobEnded | None:
        """End a job that is not in flight; None when it is in flight, finished or unknown."""
        ...

    async def edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        """Change a job that is not in flight; None when it is in flight, finished or unknown."""
        ...

    async def request_cancel(self, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
        """Ask a run to stop; the executor that carries it out, or None."""
        ...

    async def cancel_requests(self, node: NodeId) -> list[int]:
        """The runs of an executor that were asked to stop."""
        ...


class BreakerStore(Protocol):
    """Where breakers are made visible. Nothing depends on it but people."""

    async def opened(self, node: NodeId, broken: BrokenHost) -> None:
        """A breaker opened."""
        ...

    async def closed(self, node: NodeId, flow: int) -> None:
        """A breaker closed."""
        ...

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """The hosts that living schedulers take to be down for a user."""
        ...


class DeadStore(Protocol):
    """Dead letters and lanes: what waits for a person. Every change is audited in the same transaction."""

    async def dead(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Dead jobs, newest first."""
        ...

    async def redrive(
        self, user_id: int, job_ids: Sequence[int], first_at: datetime, spacing: float, now: datetime, actor: int
    ) -> list[JobRef]:
        """Give dead jobs another life, in their order, one every `spacing` seconds; others are left alone."""
        ...

    async def discard(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
        """Give dead jobs in history up for good. Returns those that were dead."""
        ...

    async def lanes(self, user_id: int, *, lane: str | None, blocked: bool, limit: int) -> list[LaneState]:
        """Lanes, or one, or those that wait for a person."""
        ...

    async def blocked_lanes(self, user_id: int) -> int:
        """How many lanes wait for a person; cost by those, not by jobs."""
        ...

    async def clear_lane(self, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
        """Cancel everything in a lane that is not in flight. Returns what was cancelled."""
        ...


class ColumnChange(Struct, frozen=True):
    """What an edit sets; None leaves a thing as it is, but takes an expiry away."""

    action: str
    execute_at: datetime | None = None
    due_at: datetime | None = None
    message: str | None = None
    definition_id: int | None = None
    flow: int | None = None
    priority: int | None = None
    expires_at: datetime | UnsetType | None = UNSET


class InsightStore(Protocol):
    """Reading, for people."""

    async def job(self, user_id: int, job_id: int) -> Job | None:
        """One job, finished or not."""
        ...

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Job]:
        """Jobs, newest first, finished ones included."""
        ...

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Every attempt of a job, first to last."""
        ...

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Counts by state."""
        ...


class AccountStore(Protocol):
    """Users. Every change is audited in the same transaction."""

    async def create_user(
        self,
        username: str,
        password_hash: str,
        job_weight: float,
        role: Role,
        now: datetime,
        actor: int | None,
    ) -> User:
        """A new user; `Conflict` when the name is taken, however it is capitalised."""
        ...

    async def credentials(self, username: str) -> Credentials | None:
        """A user with the password's hash."""
        ...

    async def user(self, user_id: int) -> User | None:
        """A user by id."""
        ...

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Users by id."""
        ...

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """A new password; every token issued before `now` is void."""
        ...

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """A new weight, other limits, quotas or shards."""
        ...

    async def shares(self) -> list[Share]:
        """What the scheduler has to know of every user."""
        ...


class RetentionStore(Protocol):
    """Keeping the store in shape. Every verb may be repeated and run by several nodes at once."""

    async def make_days(self, first: date, last: date) -> None:
        """Make sure that history can take what finishes on these days."""
        ...

    async def drop_days(self, before: date) -> list[date]:
        """Drop what finished before a day, with its counts; the days dropped."""
        ...

    async def fold_tallies(self) -> None:
        """Fold the counts that batches appended."""
        ...

    async def drop_keys(self, before: datetime, limit: int) -> int:
        """Forget idempotency keys older than an instant, at most so many; how many."""
        ...

    async def drop_definitions(self, before: date) -> int:
        """Remove definitions not used since a day that nothing refers to any more; how many."""
        ...
