"""The contract of the store, one protocol for each stage of a job's life.

Common obligations:
- A verb on many items does its work in one statement or one transaction, all or nothing, unless it says otherwise.
- Time is an argument. The store never asks its own clock, except for leases, which it judges.
- When a verb raises `StoreAway`, the outcome of a write is unknown, unless the verb says otherwise. Every verb is safe
  to repeat, because it is conditional or because an idempotency key guards it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from msgspec import UNSET, Struct, UnsetType

from duetime.model.broken_host import BrokenHost
from duetime.model.definition import Definition
from duetime.model.events import JobEnded
from duetime.model.gate import ClosedGate, NodeGate
from duetime.model.ids import DefinitionId, Flow, JobId, NodeId, UserId
from duetime.model.job import DeadFilter, DeadGroup, Job, JobFilter
from duetime.model.lane import LaneHead, LaneState
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.user import Credentials, Role, Share, Usage, User, UserChange


class JobRef(NamedTuple):
    """What a scheduler needs to decide about a job. It is small, so that many fit in memory."""

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
"""Where a job stands in its flow: minus priority, due instant, id."""


def position_of(ref: JobRef) -> Position:
    """Returns where a job stands in its flow."""
    return (-ref.priority, ref.due_at, ref.id)


class Wanted(NamedTuple):
    """What to read of a flow: at most `limit` jobs, from its head or after a position."""

    flow: int
    limit: int
    after: Position | None = None


class JobRow(NamedTuple):
    """A job to be stored: the columns of the type `job_row`."""

    taken_id: int | None
    """The id that was reserved with an idempotency key. None: the store gives an id."""
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
    """An idempotency key that a request claims for its job."""

    key: str
    fingerprint: bytes


class KeyHolder(Struct, frozen=True):
    """The job that already has an idempotency key."""

    job_id: JobId
    fingerprint: bytes


class Stored(NamedTuple):
    """The answer for a job: its id and whether it is ready, or the job that already has its key."""

    job_id: int
    ready: bool
    holder: KeyHolder | None = None


class Edited(NamedTuple):
    """A job after an edit, and whether it is ready: in a lane it may wait for other jobs."""

    ref: JobRef
    ready: bool


class Withdrawn(NamedTuple):
    """What the end of a waiting job led to: its end, then those of steps skipped because of it; steps it released."""

    ended: list[JobEnded]
    released: Sequence[JobRef] = ()


class Cancelled(NamedTuple):
    """What a cancel of many jobs did: the ends of those that waited, and the executors of those that run."""

    ended: list[JobEnded]
    """With those of steps that are skipped because of them."""
    asked: dict[int, NodeId]
    released: Sequence[JobRef] = ()
    """Steps of workflows that start now."""


class LaunchIntent(NamedTuple):
    """A picked job, with the term to launch it under."""

    ref: JobRef
    term: int


class LaunchedRow(NamedTuple):
    """What to run, as read under the lock of a committed launch."""

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
    """Committed launches: rows to run, and jobs (`gone`) whose launch the caller takes back."""

    rows: list[LaunchedRow]
    gone: list[int]


class Ending(NamedTuple):
    """A run that ends its job: the columns of the type `ending_row`."""

    job_id: int
    executor: int
    attempt: int
    state: JobState
    started_at: datetime | None
    finished_at: datetime
    reason: str | None
    result: str | None


class Again(NamedTuple):
    """A run after which its job waits for another attempt at `next_at`, or, parked, for a person: as `again_row`."""

    job_id: int
    executor: int
    attempt: int
    state: JobState
    started_at: datetime | None
    finished_at: datetime
    result: str | None
    next_at: datetime
    park: bool
    spared: bool = False
    """Whether the attempt does not count towards the job's retries."""

    def stopped(self) -> Ending:
        """Returns the same run as the end of a job that has a request to cancel: it gets no other attempt."""
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
    """A run launched or taken at `launched_at` whose executor is gone; without `definition_id`, so is its job."""

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
    """Stores definitions and new jobs."""

    async def intern(self, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        """Store new definitions, given as (user, hash, body). Returns the ids of all; a repeat returns the same ids."""
        ...

    async def other_definitions(self, user_id: int, hashes: Sequence[bytes]) -> int:
        """Returns how many definitions a user has beside those with these hashes."""
        ...

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably, all or none. On return they are committed. Returns an answer for each, in order."""
        ...

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that have idempotency keys, in one transaction. Returns an answer for each, in order.

        A job whose key already belongs to a job is not stored: the answer names that job. So a repeat stores nothing.
        """
        ...


class DueStore(Protocol):
    """Reads due jobs, and makes jobs of lanes ready. An answer may be outdated a moment later: `launch` decides."""

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """Returns ready jobs of the held shards in due order, strictly after (due instant, id), up to an instant."""
        ...

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """Returns the next due jobs of each flow by priority, due instant, id, one flow after the other."""
        ...

    async def due_flows(self, now: datetime) -> list[int]:
        """Returns every flow that has a due job. The cost grows with the flows, not with the jobs."""
        ...

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """Returns the next lanes (user, key) after a position that have a job which is not ready.

        Each comes with its first job, if that job should be ready and is not. For a moment this is so in every such
        lane whose last ready job has just ended.
        """
        ...

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make the next jobs of each lane ready. Returns the first job of each, and jobs that became ready behind it.

        A lane with a job in flight, or whose first job waits for a person, is left alone.
        """
        ...

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """As `promote`, but only for those of the lanes that have a job which is not ready.

        For lanes in which jobs have ended. The same lane may be given several times.
        """
        ...

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Make jobs of lanes not ready, except those that nothing is before: they turned out not to be next."""
        ...


class LaunchStore(Protocol):
    """Launches jobs. Atomic: the insert itself checks the lease, the term, that the run is unique, and the lane."""

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        """Commit launches for this node. Returns what to run, read under the locks of these launches.

        A job is not launched, and is in neither list, if this node is fenced or no longer owns the shard under the
        term, or if the job is in flight or not next in its lane. A job that no longer exists, or was given another
        instant meanwhile, is launched and in `gone`: the caller takes that launch back.
        """
        ...

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
        """Take back launches that were never started and that became this node's at or before the instant `until`.

        Jobs that have a request to cancel end as cancelled. Returns their ends.

        An offer became this node's when the node took it, every other launch when it was committed. `until` is the
        instant of the launch that is meant: a call that the store carries out late, after its caller gave it up, must
        not take back a later launch of the same job.
        """
        ...

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """Returns the jobs whose launches became this node's at exactly one of these instants, and still are."""
        ...

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Returns definitions by id."""
        ...


class SettleStore(Protocol):
    """Settles runs. Only the holder (job, executor, attempt) can; a call by any other has no effect and no error."""

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history. Returns the ids that this call settled.

        Each run is settled whole or not at all. A call that fails may have settled some; a repeat leaves them alone.
        """
        ...

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs whose jobs wait for the next attempt. Returns the jobs.

        A job that has a request to cancel is left in flight and is not returned: the caller ends it as cancelled.
        """
        ...

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Returns launches of an executor that are older than an instant; an offer's age counts from its taking."""
        ...

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Returns runs of the held shards whose executor has no lease."""
        ...


class ControlStore(Protocol):
    """Edits jobs. Each edit acquires the launch lock first, so after its answer no run starts with the old content."""

    async def withdraw(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> Withdrawn | None:
        """End a job that is not in flight. Returns None when it is in flight, finished or unknown."""
        ...

    async def edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        """Change a job that is not in flight. Returns None when it is in flight, finished or unknown."""
        ...

    async def request_cancel(self, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
        """Request that a run be cancelled. Returns its executor, or None when the job is not in flight."""
        ...

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
        """Cancel jobs that are not in flight, and request it of runs. Jobs that have ended are left alone.

        A job that another change holds just now is in neither list. The change is audited as one.
        """
        ...

    async def cancel_requests(self, node: NodeId) -> list[int]:
        """Returns the jobs of an executor's runs that have a request to cancel."""
        ...


class GateStore(Protocol):
    """Makes closed gates visible to people. The scheduler reads only which of its breakers people reset."""

    async def publish(self, node: NodeId, gates: Sequence[ClosedGate]) -> list[int]:
        """Store the closed gates of this node, in place of its last ones. Returns the flows of breakers to reset."""
        ...

    async def closed_gates(self, user_id: int) -> list[NodeGate]:
        """Returns the closed gates of living schedulers that hold back this user, or all users."""
        ...

    async def broken_hosts(self, user_id: int | None) -> list[BrokenHost]:
        """Returns the hosts for which a living scheduler has an open breaker of this user, or of any user."""
        ...

    async def reset_breakers(self, user_id: int | None, host: str, now: datetime, actor: int) -> int:
        """Request that living schedulers close their breakers of a host, for this user or for all users.

        Returns how many breakers are requested to close. The request is audited.
        """
        ...

    async def reset_requests(self, node: NodeId) -> list[int]:
        """Returns the flows of this node's breakers that are requested to close."""
        ...


class DeadStore(Protocol):
    """Dead letters and blocked lanes, which wait for a person. Every change is audited in the same transaction."""

    async def dead(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Returns dead jobs, newest first."""
        ...

    async def groups(self, user_id: int, wanted: DeadFilter) -> list[DeadGroup]:
        """Returns the newest dead jobs, as many as the filter's limit, by the class of their last failure."""
        ...

    async def redrive(
        self, user_id: int, job_ids: Sequence[int], first_at: datetime, spacing: float, now: datetime, actor: int
    ) -> list[JobRef]:
        """Redrive dead jobs in the order given, one every `spacing` seconds. Jobs that are not dead are left alone."""
        ...

    async def discard(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
        """Discard dead jobs in history. Returns the ends of those that were dead.

        A dead job that holds its lane is left alone: `ControlStore.withdraw` ends it.
        """
        ...

    async def lanes(self, user_id: int, *, lane: str | None, blocked: bool, limit: int) -> list[LaneState]:
        """Returns all lanes of a user, one lane, or those that wait for a person (`blocked`)."""
        ...

    async def blocked_lanes(self, user_id: int) -> int:
        """Returns how many lanes wait for a person. The cost grows with these lanes, not with the jobs."""
        ...

    async def clear_lane(self, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
        """Cancel every job of a lane that is not in flight. Returns their ends."""
        ...


class ColumnChange(Struct, frozen=True):
    """What an edit sets. None leaves a column as it is, except for the expiry: there None removes it."""

    action: str
    execute_at: datetime | None = None
    due_at: datetime | None = None
    message: str | None = None
    definition_id: int | None = None
    flow: int | None = None
    priority: int | None = None
    expires_at: datetime | UnsetType | None = UNSET


class InsightStore(Protocol):
    """Reads jobs, runs and counts for people."""

    async def job(self, user_id: int, job_id: int) -> Job | None:
        """Returns one job, finished or not."""
        ...

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Job]:
        """Returns jobs, newest first, including finished ones."""
        ...

    async def search_floor(self, user_id: int, wanted: JobFilter) -> int | None:
        """Returns the lowest id that one search for these jobs should look at; None where it can look at all.

        No index finds jobs by every condition. A search that reads through a user's jobs reads a bounded number, and
        the next one continues below the floor.
        """
        ...

    async def count(self, user_id: int, wanted: JobFilter) -> dict[JobState, int]:
        """Counts such jobs by state, each state up to the filter's limit. Reads no messages that it need not search."""
        ...

    async def definitions(self, user_id: int, limit: int) -> dict[int, Definition]:
        """Returns the newest definitions of a user."""
        ...

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """Returns the ids of jobs that can be cancelled, newest first: not dead ones, nor those with a request to."""
        ...

    async def jobs_by_key(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """Returns the jobs that have these idempotency keys, finished or not. A key that no job has is left out."""
        ...

    async def lane_heads(self, user_id: int, lanes: Sequence[str]) -> dict[str, LaneHead]:
        """Returns the job that the others wait for, for each of these lanes that holds jobs."""
        ...

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns the last 100 runs of a job, in the order of attempts."""
        ...

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns how many jobs are in each state."""
        ...

    async def usage(self, user_id: int) -> Usage:
        """Returns how many schedules, calendars, dates and definitions a user has. Jobs and bytes are left out."""
        ...

    async def message_bytes(self, user_id: int) -> int:
        """Returns the bytes of the messages of all jobs that are not finished. Reads all of them."""
        ...


class AccountStore(Protocol):
    """Stores users. Every change is audited in the same transaction."""

    async def create_user(
        self,
        username: str,
        password_hash: str,
        job_weight: float,
        role: Role,
        now: datetime,
        actor: int | None,
    ) -> User:
        """Create a user. Raises `Conflict` when another user has the name, in upper or lower case."""
        ...

    async def credentials(self, username: str) -> Credentials | None:
        """Returns a user by name, with the hash of the password."""
        ...

    async def user(self, user_id: int) -> User | None:
        """Returns a user by id."""
        ...

    async def users(self, limit: int, after_id: int) -> list[User]:
        """Returns users in the order of ids."""
        ...

    async def set_password(self, user_id: int, password_hash: str, now: datetime, actor: int) -> User | None:
        """Set a new password. Every token issued before `now` becomes invalid."""
        ...

    async def change_user(self, user_id: int, change: UserChange, now: datetime, actor: int) -> User | None:
        """Change a user's weight, limits, quotas, shards or required labels."""
        ...

    async def shares(self) -> list[Share]:
        """Returns what the scheduler has to know about every user."""
        ...


class RetentionStore(Protocol):
    """Maintains the store. Every verb may be repeated, and several nodes may run it at once."""

    async def make_days(self, first: date, last: date) -> None:
        """Create the partitions of history for jobs that finish on these days."""
        ...

    async def drop_days(self, before: date, logs_before: date | None = None) -> list[date]:
        """Drop the history and the counts of the days before a day. Returns the days dropped."""
        ...

    async def fold_tallies(self) -> None:
        """Add up the counts that batches appended."""
        ...

    async def drop_keys(self, before: datetime, now: datetime, limit: int) -> int:
        """Look at `limit` idempotency keys older than an instant, the oldest first, and delete them. Returns how many.

        A key whose job is not finished stays, and counts as given at `now`: people find the job by it.
        """
        ...

    async def drop_definitions(self, before: date) -> int:
        """Delete definitions that were not used since a day and that nothing refers to. Returns how many."""
        ...
