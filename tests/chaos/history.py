"""The history of a run under faults: the answers to clients, the contents of the store, the requests at the sink.

Plain frozen values, so that any world (real processes, a simulation) can fill them in. Every instant is in
seconds since an epoch of the world's choice; all instants of one history are of one clock, which the store and the
sink share. `None` means that it never happened or is unknown.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Answer = Literal["ok", "refused", "unknown"]
"""What a client knows: it was done, it was not done, or it is unknown."""
Delivery = Literal["at_least_once", "at_most_once"]
Misfire = Literal["fire_once", "fire_all", "skip"]
OnFailure = Literal["block", "skip"]


class Asked(Struct, frozen=True, kw_only=True):
    """A job that a client submitted. Its message is unique and identifies it."""

    message: str
    answer: Answer
    asked_at: float
    answered_at: float
    job_id: int | None = None
    """Known if the answer was `ok`."""
    batch: int | None = None
    """Jobs of one all-or-nothing request share a number."""
    execute_at: float | None = None
    """The requested instant; None means at once."""
    lane: str | None = None
    delivery: Delivery = "at_least_once"
    max_attempts: int = 5
    on_failure: OnFailure = "block"
    to_sink: bool = True
    key: str | None = None
    """The idempotency key, if there was one: then the request may have been repeated."""


class Edited(Struct, frozen=True, kw_only=True):
    """A client's change to a job or a schedule."""

    kind: Literal["cancel", "edit", "pause", "resume", "delete"]
    answer: Answer
    asked_at: float
    answered_at: float
    job_id: int | None = None
    schedule_id: int | None = None
    message: str | None = None
    """An edit's new message."""
    state: str | None = None
    """The job's state in the answer: a cancelled run may still be `running`."""


class Recurring(Struct, frozen=True, kw_only=True):
    """A schedule that a client created: an interval in seconds, counted from an anchor."""

    schedule_id: int
    every: float
    anchor: float
    created_at: float
    until: float | None = None
    """The schedule is not due from this instant on."""
    misfire: Misfire = "fire_once"
    to_sink: bool = True
    delivery: Delivery = "at_least_once"


class OpenJob(Struct, frozen=True, kw_only=True):
    """A job in the store that has not ended."""

    job_id: int
    message: str
    state: str
    attempts: int
    execute_at: float
    due_at: float
    lane: str | None = None
    schedule_id: int | None = None


class EndedJob(Struct, frozen=True, kw_only=True):
    """A job in the store's history; `launched_at` to `finished_at` are those of its last run."""

    job_id: int
    message: str
    state: str
    attempts: int
    execute_at: float
    due_at: float
    created_at: float
    finished_at: float
    recorded_at: float | None = None
    """When the store committed its end: a fault can delay it long after `finished_at`."""
    launched_at: float | None = None
    started_at: float | None = None
    """None although it was launched: the node that ended the job did not run it."""
    executor: int | None = None
    lane: str | None = None
    schedule_id: int | None = None
    reason: str | None = None
    covers_until: float | None = None
    covers_count: int | None = None


class EndedRun(Struct, frozen=True, kw_only=True):
    """An attempt that was followed by another."""

    job_id: int
    attempt: int
    state: str
    due_at: float
    finished_at: float
    launched_at: float | None = None
    started_at: float | None = None
    executor: int | None = None


class Flight(Struct, frozen=True, kw_only=True):
    """A launch that is open at the end."""

    job_id: int
    attempt: int
    executor: int
    term: int


class Arrival(Struct, frozen=True, kw_only=True):
    """A request that reached the sink."""

    run_id: str
    job_id: int
    attempt: int
    message: str
    arrived: float
    ended: float | None
    """When it was answered; None if the caller closed the connection, or if it is open."""
    status: int | None
    key: str = ""
    """The idempotency key that was sent to the target."""


class Taken(Struct, frozen=True, kw_only=True):
    """A change of a shard's row, in the order of the changes."""

    order: int
    shard: int
    term: int
    owner: int | None


class Launched(Struct, frozen=True, kw_only=True):
    """A committed launch, in one order with `Taken`."""

    order: int
    at: float
    job_id: int
    attempt: int
    term: int
    executor: int


class Lease(Struct, frozen=True, kw_only=True):
    """A lease at the end."""

    node: int
    left: float
    """Seconds until it expires; below zero if it has expired."""


class Known(Struct, frozen=True, kw_only=True):
    """A worker, alive or not."""

    node: int


class Owned(Struct, frozen=True, kw_only=True):
    """A shard at the end."""

    shard: int
    term: int
    owner: int | None
    order: int | None = None
    """The last number in the order of `Taken` when the shard was read; None if it was read at the end."""


class Fault(Struct, frozen=True, kw_only=True):
    """A fault, from its beginning to its healing."""

    kind: str
    node: int | None
    began: float
    healed: float
    happened: int
    """How often it really happened (connections cut, processes killed, …)."""


class Sample(Struct, frozen=True, kw_only=True):
    """The resources that a process used at an instant."""

    node: int
    at: float
    rss: int
    files: int


class History(Struct, frozen=True, kw_only=True):
    """The whole history."""

    asked: list[Asked] = []
    edited: list[Edited] = []
    recurring: list[Recurring] = []
    open_jobs: list[OpenJob] = []
    ended_jobs: list[EndedJob] = []
    ended_runs: list[EndedRun] = []
    flights: list[Flight] = []
    arrivals: list[Arrival] = []
    taken: list[Taken] = []
    launched: list[Launched] = []
    leases: list[Lease] = []
    workers: list[Known] = []
    """Holders of runs that are no nodes, over the whole run."""
    owned: list[Owned] = []
    faults: list[Fault] = []
    samples: list[Sample] = []
    stale_writes: int = 0
    """Writes that the store rejected, because the node was no longer the holder."""
    zombies_expected: bool = False
    """Whether the faults must have caused stale writes."""
    healed_at: float = 0.0
    """When the last fault was healed."""
    ended_at: float = 0.0
    """When the store was read; everything due before `healed_at` had time to end."""
    drained: bool = True
    """Whether the run waited for everything to come to rest."""
    tolerance: float = 0.0
    """How far instants recorded by nodes may be behind the store's clock."""
    most_memory: int = 1 << 30
    """The largest memory of a node, in bytes."""
