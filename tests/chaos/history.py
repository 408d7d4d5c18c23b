"""What a run under faults leaves behind: what clients were told, what the store holds, what the sink received.

Plain frozen values, so that any world (real processes, a simulation) can fill them in. Every instant is in
seconds since an epoch of the world's choice; in one history they are all of one clock, the store's and the
sink's. `None` means that it never happened or is not known.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Answer = Literal["ok", "refused", "unknown"]
"""What a client knows: it was done, it was not done, or it may be either."""
Delivery = Literal["at_least_once", "at_most_once"]
Misfire = Literal["fire_once", "fire_all", "skip"]
OnFailure = Literal["block", "skip"]


class Asked(Struct, frozen=True, kw_only=True):
    """A job that a client handed in. Its message names it, and no other job has that message."""

    message: str
    answer: Answer
    asked_at: float
    answered_at: float
    job_id: int | None = None
    """Known if the answer was `ok`."""
    batch: int | None = None
    """Jobs of one request that is all or nothing share a number."""
    execute_at: float | None = None
    """The instant that was asked for; None: at once."""
    lane: str | None = None
    delivery: Delivery = "at_least_once"
    max_attempts: int = 5
    on_failure: OnFailure = "block"
    to_sink: bool = True
    key: str | None = None
    """The idempotency key, if there was one: then the request may have been repeated."""


class Edited(Struct, frozen=True, kw_only=True):
    """Something that a client did to a job or to a schedule."""

    kind: Literal["cancel", "edit", "pause", "resume", "delete"]
    answer: Answer
    asked_at: float
    answered_at: float
    job_id: int | None = None
    schedule_id: int | None = None
    message: str | None = None
    """An edit's new message."""
    state: str | None = None
    """The job's state as answered: a cancelled run may be `running` still."""


class Recurring(Struct, frozen=True, kw_only=True):
    """A schedule that a client registered: every so many seconds, counted from an anchor."""

    schedule_id: int
    every: float
    anchor: float
    created_at: float
    until: float | None = None
    """It has no instant from here on."""
    misfire: Misfire = "fire_once"
    to_sink: bool = True
    delivery: Delivery = "at_least_once"


class OpenJob(Struct, frozen=True, kw_only=True):
    """A job that the store holds as not finished."""

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
    """When the store committed its end: as long after `finished_at` as a fault kept the two apart."""
    launched_at: float | None = None
    started_at: float | None = None
    """None with a launch: whoever ended it was not the one that ran it."""
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
    """When it was answered; None: the caller hung up, or it is open."""
    status: int | None
    key: str = ""
    """The idempotency key that the target was given."""


class Taken(Struct, frozen=True, kw_only=True):
    """A change of a shard's row, in the order in which they were made."""

    order: int
    shard: int
    term: int
    owner: int | None


class Launched(Struct, frozen=True, kw_only=True):
    """A launch as it was committed, in one order with `Taken`."""

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
    """Seconds that it still stands; below zero: it ran out."""


class Owned(Struct, frozen=True, kw_only=True):
    """A shard at the end."""

    shard: int
    term: int
    owner: int | None
    order: int | None = None
    """How far the order of `Taken` had come when it was read; None: to its end."""


class Fault(Struct, frozen=True, kw_only=True):
    """Something that the nemesis did, from its beginning to its healing."""

    kind: str
    node: int | None
    began: float
    healed: float
    happened: int
    """Proof: how often it really struck (connections cut, processes killed, …)."""


class Sample(Struct, frozen=True, kw_only=True):
    """What a process used at an instant."""

    node: int
    at: float
    rss: int
    files: int


class History(Struct, frozen=True, kw_only=True):
    """All of it."""

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
    owned: list[Owned] = []
    faults: list[Fault] = []
    samples: list[Sample] = []
    stale_writes: int = 0
    """Writes of nodes that were no longer the holder, rejected by the store."""
    zombies_expected: bool = False
    """Whether the faults were such that there must have been stale writes."""
    healed_at: float = 0.0
    """When the last fault was over."""
    ended_at: float = 0.0
    """When the store was read; everything due before `healed_at` had time to end."""
    drained: bool = True
    """Whether the world was given the time to come to rest."""
    tolerance: float = 0.0
    """How far instants noted by nodes may lie behind the store's clock."""
    most_memory: int = 1 << 30
    """Bytes that a node may use at most."""
