"""The server's answers. Fields that only a newer server sends are ignored, so that old programs keep working."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Raw, Struct

FINAL = frozenset({"succeeded", "dead", "cancelled", "skipped", "lost"})
"""The states in which a job has ended."""


class User(Struct, frozen=True, omit_defaults=True):
    """A user."""

    id: int
    username: str
    job_weight: float
    role: str | None = None
    created_at: datetime | None = None
    limits: dict[str, Any] | None = None
    quotas: dict[str, Any] | None = None
    distribution: dict[str, Any] | None = None
    allowed: dict[str, Any] | None = None
    """The quotas that count: the user's own and the server's defaults. Only users themselves see it."""
    used: dict[str, Any] | None = None
    """What the user has of the things that have quotas."""


class Token(Struct, frozen=True):
    """A token and when it expires."""

    token: str
    expire: datetime
    user: User | None = None

    def __repr__(self) -> str:
        """Hides the token."""
        return f"Token(token='***', expire={self.expire.isoformat()}, user={self.user!r})"


class Waiting(Struct, frozen=True, omit_defaults=True):
    """One thing that holds a job back: its kind, a sentence, and since when and until when, where that is known."""

    kind: str
    message: str
    since: datetime | None = None
    until: datetime | None = None
    host: str | None = None
    job_id: int | None = None
    job_status: str | None = None
    labels: dict[str, str] | None = None


class WorkerRun(Struct, frozen=True, omit_defaults=True):
    """A run that a worker holds, with what it last reported."""

    job: int
    attempt: int
    worker: str
    name: str
    queue: str
    task: str
    since: datetime
    cancel_requested: bool = False
    progress: Any = None
    reported_at: datetime | None = None
    checkpoint: bool = False


class Job(Struct, frozen=True, omit_defaults=True):
    """A job."""

    id: int
    user_id: int
    message: Any
    status: str
    execute_at: datetime
    shard_id: int | None = None
    ordering_key: str | None = None
    priority: int | None = None
    target: dict[str, Any] | None = None
    timeout: float | None = None
    delivery: str | None = None
    retry: dict[str, Any] | None = None
    on_failure: str | None = None
    labels: dict[str, str] | None = None
    expires_at: datetime | None = None
    created_at: datetime | None = None
    due_at: datetime | None = None
    attempts: int | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    cancel_requested: bool | None = None
    late: bool | None = None
    definition_id: int | None = None
    limit: dict[str, Any] | None = None
    hours: dict[str, Any] | None = None
    breaker: bool | None = None
    schedule_id: int | None = None
    nominal: datetime | None = None
    requires: dict[str, str] | None = None
    waiting_for: list[Waiting] = []
    created: bool | None = None
    """Of a job that `create_job` returns: False when its idempotency key had this job before."""
    held: WorkerRun | None = None
    """Of a job that `job` returns: the attempt that a worker has now."""
    result: Any = None
    """Of a job that `job` returns: what the worker gave back."""
    traceparent: str | None = None
    """The span that created a traced job."""

    @property
    def message_text(self) -> str:
        """The message as its target receives it: text as it is, any other value as JSON."""
        return self.message if isinstance(self.message, str) else msgspec.json.encode(self.message).decode()

    @property
    def finished(self) -> bool:
        """Whether the job has ended, in whatever state."""
        return self.status in FINAL


class RunError(Struct, frozen=True):
    """Why an attempt failed."""

    kind: str
    message: str


class Run(Struct, frozen=True, omit_defaults=True):
    """One attempt of a job."""

    attempt: int
    state: str
    id: str | None = None
    due_at: datetime | None = None
    launched_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    lateness_ms: float | None = None
    duration_ms: float | None = None
    executor: str | None = None
    error: RunError | None = None
    response: dict[str, Any] | None = None
    """What the target answered, by its kind: of an HTTP target `status`, `headers`, `body` and `body_cut`."""
    log: str | None = None


class DeadLetter(Struct, frozen=True):
    """A job that failed for good, with its attempts."""

    job: Job
    runs: list[Run]


class Chosen(Struct, frozen=True):
    """The dead letters that were changed, or with `dry_run` would be. `more_remain` if one call cannot do all."""

    ids: list[int]
    count: int
    more_remain: bool = False
    dry_run: bool = False


class Cancelled(Struct, frozen=True):
    """The jobs that were cancelled, or with `dry_run` would be, and those that run and were asked to stop.

    Of jobs named by ids or keys, `ended` are those that had ended or do not exist, `unknown_keys` those without a job.
    """

    ids: list[int] = []
    stopping: list[int] = []
    count: int = 0
    ended: list[int] = []
    unknown_keys: list[str] = []
    dry_run: bool = False

    def and_also(self, more: Cancelled) -> Cancelled:
        """Returns what two calls did together."""
        return Cancelled(
            self.ids + more.ids,
            self.stopping + more.stopping,
            self.count + more.count,
            self.ended + more.ended,
            self.unknown_keys + more.unknown_keys,
            self.dry_run,
        )


class Summary(Struct, frozen=True):
    """The user's jobs by state, and the number of blocked lanes."""

    jobs: dict[str, int]
    blocked_lanes: int = 0


class Worker(Struct, frozen=True):
    """A living worker, and how many runs it holds."""

    worker: str
    name: str
    queues: list[str]
    tasks: list[str]
    slots: int
    running: int
    labels: dict[str, str]
    sdk: str
    drain: bool
    registered_at: datetime
    lease_left_ms: int


class WorkerDetail(Worker, frozen=True):
    """A living worker with the runs that it holds, longest held first."""

    runs: list[WorkerRun]


class Queue(Struct, frozen=True):
    """A queue: what waits in it, and what takes it."""

    queue: str
    waiting: int
    waiting_capped: bool
    running: int
    workers: int
    slots: int
    oldest_due_at: datetime | None = None
    missing: str | None = None
    """Why no worker takes some of what waits."""


class JobResult(Struct, frozen=True):
    """What a job ended with; `done` is false while it has not."""

    job: int
    status: str
    done: bool
    result: Any = None
    error: dict[str, Any] | None = None


class Lane(Struct, frozen=True):
    """The unfinished jobs with the same ordering key: how many, and the first one."""

    key: str
    length: int
    head: int
    head_status: str
    blocked: bool
    reason: str | None = None


class LaneChange(Struct, frozen=True):
    """The jobs of a lane that were changed, and the lane after that; None if it is empty."""

    ids: list[int]
    lane: Lane | None = None


class Breaker(Struct, frozen=True, omit_defaults=True):
    """A host whose circuit breaker is open. From `next_probe_at` on, the next job tries it; None while one tries."""

    host: str
    failures: int
    opened_at: datetime
    next_probe_at: datetime | None = None
    user_id: int | None = None
    """In the list of all users' breakers: whose it is."""


class Reset(Struct, frozen=True):
    """A host whose breakers are reset, and how many these were."""

    host: str
    breakers: int


class Node(Struct, frozen=True):
    """A living node: its roles, shards and runs, how long its lease lasts, and how late it is."""

    id: int
    name: str
    roles: list[str]
    version: str
    since: datetime
    status: str
    shards: int = 0
    lowest_term: int | None = None
    highest_term: int | None = None
    running: int = 0
    lease_left_ms: int | None = None
    lag_ms: int = 0
    clock_skew_ms: int | None = None


class Database(Struct, frozen=True):
    """One of several databases: whether it answers, and which shards it holds."""

    number: int
    answers: bool
    shards: str


class Cluster(Struct, frozen=True):
    """The state of the cluster. A shard that no living node owns is orphaned."""

    id: str
    coordinator: str
    nodes: list[Node]
    name: str | None = None
    orphaned_shards: int = 0
    databases: list[Database] = []


class Move(Struct, frozen=True):
    """How many shards moved from one node to another. None means no node."""

    shards: int
    source: int | None = None
    target: int | None = None


class Rebalanced(Struct, frozen=True):
    """How many shards moved, and between which nodes."""

    moved: int
    moves: list[Move]


class Created(Struct, frozen=True):
    """The ids of the jobs that one request created, in order."""

    ids: list[int]


class Envelope(Struct, frozen=True):
    """The frame of every successful answer."""

    data: Raw
    next_cursor: str | None = None


class Refusal(Struct, frozen=True):
    """Why the server refused a call."""

    code: str
    message: str
    details: Any = None


class RefusalEnvelope(Struct, frozen=True):
    """The frame of every refusal."""

    error: Refusal


decode_envelope = msgspec.json.Decoder(Envelope).decode
decode_refusal = msgspec.json.Decoder(RefusalEnvelope).decode
