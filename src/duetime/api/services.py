"""What the API asks of the engine: the verbs, and the settings it goes by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from duetime.api.cluster.views import ClusterStatus, Move, NodeState
from duetime.api.schedule_services import Backfill, Calendars, Schedules
from duetime.clock.port import Clock
from duetime.model.job import DeadFilter, Job, JobEdit, JobFilter, NewJob
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.user import Credentials, Role, User, UserChange

MIB = 1024 * 1024


class Submitted(Protocol):
    """A job that is stored; `repeated` when its idempotency key had stored it before."""

    @property
    def job(self) -> Job:
        """The job as it stands."""
        ...

    @property
    def repeated(self) -> bool:
        """Whether nothing new was stored."""
        ...


class Submit(Protocol):
    """The way in. On return, what was handed in is durable."""

    async def one(self, job: NewJob, /) -> Submitted:
        """Store one job; `Conflict` when its idempotency key belongs to another request."""
        ...

    async def many(self, jobs: Sequence[NewJob], /) -> list[int]:
        """Store all or none; their ids in the order given."""
        ...


class Control(Protocol):
    """What a person does to a job. `NotFound` when it is not theirs, `Conflict` when it is too late."""

    async def cancel(self, user_id: int, job_id: int, actor: int, /) -> Job:
        """End a job that waits, ask one that runs to stop."""
        ...

    async def edit(self, user_id: int, job_id: int, edit: JobEdit, actor: int, /) -> Job:
        """Change a job that has not started."""
        ...

    async def run_now(self, user_id: int, job_id: int, actor: int, /) -> Job:
        """Make a job due at once."""
        ...


class Insight(Protocol):
    """Reading. `NotFound` for what does not exist and for what is somebody else's, alike."""

    async def job(self, user_id: int, job_id: int, /) -> Job:
        """One job, finished or not."""
        ...

    async def jobs(self, user_id: int, wanted: JobFilter, /) -> list[Job]:
        """Jobs, newest first, at most `wanted.limit`."""
        ...

    async def runs(self, user_id: int, job_id: int, /) -> list[Run]:
        """Every attempt, first to last."""
        ...

    async def stats(self, user_id: int, /) -> dict[JobState, int]:
        """Counts by state; a state without jobs may be left out."""
        ...


class LaneState(Protocol):
    """A lane: its first job and how many there are."""

    @property
    def lane(self) -> str: ...
    @property
    def head(self) -> int: ...
    @property
    def head_state(self) -> JobState: ...
    @property
    def length(self) -> int: ...
    @property
    def blocked(self) -> bool: ...
    @property
    def reason(self) -> str | None: ...


class DeadLetters(Protocol):
    """Jobs that failed for good, and the lanes that wait for them. `Conflict` when it is too late."""

    async def list(self, user_id: int, wanted: DeadFilter, /) -> list[Job]:
        """Dead jobs, newest first, at most `wanted.limit`."""
        ...

    async def redrive(self, user_id: int, job_ids: Sequence[int], per_second: float | None, actor: int, /) -> list[int]:
        """Give dead jobs another life; those that were dead."""
        ...

    async def redrive_edited(self, user_id: int, job_id: int, edit: JobEdit, actor: int, /) -> Job:
        """Give one dead job another life as something else."""
        ...

    async def discard(self, user_id: int, job_ids: Sequence[int], actor: int, /) -> list[int]:
        """Give dead jobs up; those that were dead."""
        ...

    async def lanes(self, user_id: int, /, *, blocked: bool, limit: int) -> Sequence[LaneState]:
        """Lanes by key, or only those that wait for a person."""
        ...

    async def blocked_lanes(self, user_id: int, /) -> int:
        """How many lanes wait for a person."""
        ...

    async def lane(self, user_id: int, lane: str, /) -> LaneState:
        """One lane; `NotFound` when nothing is in it."""
        ...

    async def retry_head(self, user_id: int, lane: str, actor: int, /) -> int:
        """Give the dead job at a lane's head another life; which one."""
        ...

    async def skip_head(self, user_id: int, lane: str, actor: int, /) -> int:
        """Leave the dead job at a lane's head behind; which one."""
        ...

    async def clear(self, user_id: int, lane: str, actor: int, /) -> Sequence[int]:
        """Cancel everything in a lane that is not in flight; what was cancelled."""
        ...


class BrokenHost(Protocol):
    """A host that is taken to be down."""

    @property
    def host(self) -> str: ...
    @property
    def failures(self) -> int: ...
    @property
    def opened_at(self) -> datetime: ...


class Breakers(Protocol):
    """Hosts that are down for all."""

    async def broken_hosts(self, user_id: int, /) -> Sequence[BrokenHost]:
        """The hosts that are taken to be down for a user."""
        ...


class Accounts(Protocol):
    """Users. `actor` is who asked for the change; none for a sign-up."""

    async def create(
        self, username: str, password_hash: str, job_weight: float, role: Role, actor: int | None, /
    ) -> User:
        """A new user; `Conflict` when the name is taken."""
        ...

    async def credentials(self, username: str, /) -> Credentials | None:
        """A user with the password's hash."""
        ...

    async def by_id(self, user_id: int, /) -> User | None:
        """A user; may be up to a second old, and costs no query most of the time."""
        ...

    async def change_password(self, user_id: int, password_hash: str, actor: int, /) -> User:
        """A new password; every token issued before is void."""
        ...

    async def update(self, user_id: int, change: UserChange, actor: int, /) -> User:
        """Change what is given; `NotFound` when there is no such user."""
        ...

    async def list(self, limit: int, after_id: int, /) -> list[User]:
        """Users by id, after one."""
        ...


class DatabaseHealth(Protocol):
    """How one database is."""

    @property
    def number(self) -> int: ...
    @property
    def answers(self) -> bool: ...
    @property
    def shards(self) -> str: ...


class Readiness(Protocol):
    """Whether jobs can be accepted and fired, and if not, why."""

    @property
    def ready(self) -> bool:
        """Whether both can be done."""
        ...

    @property
    def reasons(self) -> Sequence[str]:
        """Sentences, one for each thing that is wrong."""
        ...

    @property
    def databases(self) -> Sequence[DatabaseHealth]:
        """Each of several databases; nothing with one."""
        ...


class Health(Protocol):
    """How the node is."""

    async def readiness(self) -> Readiness:
        """Whether this node can accept and fire now."""
        ...


class Cluster(Protocol):
    """The nodes. `NotFound` when there is no such living node."""

    async def status(self) -> ClusterStatus:
        """The cluster as it stands."""
        ...

    async def drain(self, node_id: int, /, *, force: bool, actor: int) -> NodeState:
        """Take a node out; `Conflict` when it is the last scheduler."""
        ...

    async def undrain(self, node_id: int, /, *, actor: int) -> NodeState:
        """Take a node back in."""
        ...

    async def rebalance(self) -> Sequence[Move]:
        """Even shards out now; what moved."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """What the API goes by. The signing key has at least 32 bytes and is never shown."""

    signing_key: bytes = field(repr=False)
    signup: Literal["open", "admin"] = "admin"
    loopback: bool = False
    """Whether the API listens on loopback only."""
    max_message_bytes: int = 262_144
    max_bulk: int = 10_000
    max_bulk_bytes: int = 64 * MIB
    token_life: float = 3600.0
    requests_per_second: float | None = None
    """Per user; none means no limit."""

    @property
    def max_job_bytes(self) -> int:
        """The largest body with one job: every character of the message may be escaped to six bytes."""
        return 4 * MIB + 6 * self.max_message_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the API is made from."""

    settings: ApiSettings
    clock: Clock
    submit: Submit
    control: Control
    insight: Insight
    dead_letters: DeadLetters
    breakers: Breakers
    schedules: Schedules
    backfill: Backfill
    calendars: Calendars
    accounts: Accounts
    cluster: Cluster
    health: Health
