"""What a worker and the server send each other (docs/workers.md). Unknown fields of a newer server are ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, Raw, Struct, UnsetType

NULL, NOTHING = Raw(b"null"), Raw(b"")
Status = Literal["succeeded", "failed", "released", "snoozed"]


class Registration(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a worker says about itself."""

    name: str
    queues: tuple[str, ...]
    tasks: tuple[str, ...]
    slots: int
    labels: dict[str, str] = {}
    sdk: str = ""


class Registered(Struct, frozen=True):
    """The id of a worker, how long it lives without a beat, and how often to send one."""

    worker: str
    lease_ms: int
    beat_ms: int


class Broadcast(Struct, frozen=True):
    """Which of all runs of a broadcast this one is, from 0, and how many there are."""

    index: int
    count: int


class TakenRun(Struct, frozen=True, kw_only=True):
    """A run that the server hands to a worker. `run` is its fencing token."""

    run: str
    job: int
    queue: str
    task: str
    attempt: int
    message: Raw = NULL
    attempts: int | None = None
    due_at: datetime | None = None
    nominal_at: datetime | None = None
    deadline_ms: int | None = None
    stall_ms: int | None = None
    ordering_key: str | None = None
    labels: dict[str, str] | None = None
    checkpoint: Raw = NULL
    schedule: Any = None
    broadcast: Broadcast | None = None
    traceparent: str | None = None
    inputs: dict[str, Raw] | None = None


class TakeRequest(Struct, frozen=True):
    """Asks for runs, and waits for the first one."""

    take_id: str
    max: int
    wait_ms: int


class Taken(Struct, frozen=True):
    """Runs for this worker. With `drain` the server asks it to finish and to leave."""

    runs: list[TakenRun] = []
    drain: bool = False


class BeatRun(Struct, frozen=True, omit_defaults=True):
    """A run that the worker has, and what is new about it."""

    run: str
    progress: Any = UNSET
    checkpoint: Raw | UnsetType = UNSET


class Beat(Struct, frozen=True):
    """The worker is alive, and has these runs."""

    runs: list[BeatRun]
    free: int


class BeatAnswer(Struct, frozen=True):
    """The runs to stop, the runs that belong to the worker no more, and whether to finish and leave."""

    cancel: list[str] = []
    stale: list[str] = []
    drain: bool = False


class RunFailure(Struct, frozen=True, omit_defaults=True):
    """Why a run failed."""

    kind: str
    message: str
    trace: str | None = None


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a run ended."""

    run: str
    status: Status
    result: Raw = NOTHING
    error: RunFailure | None = None
    retryable: bool | None = None
    retry_in_ms: int | None = None


class Settlements(Struct, frozen=True):
    """How runs ended."""

    outcomes: list[Outcome]


class Recorded(Struct, frozen=True):
    """Whether an outcome was recorded, or came too late (`stale`)."""

    run: str
    status: str


class Settled(Struct, frozen=True):
    """The answer about each outcome."""

    results: list[Recorded] = []


class LogLines(Struct, frozen=True):
    """Lines that a run wrote. `seq` is the number of the first one within the run, so that a repeat is harmless."""

    run: str
    seq: int
    lines: list[str]


class JobResult(Struct, frozen=True):
    """The end of a job, if `done`: its state, what its function returned, and why it failed."""

    job: int
    status: str
    done: bool
    result: Raw = NULL
    error: RunFailure | None = None
