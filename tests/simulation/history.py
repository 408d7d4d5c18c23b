"""The history of a finished world: the answers to clients, the store's journal and tables, and what the sink saw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from simulation.memory.tables import Fact, Tables

Answer = Literal["ok", "refused", "unknown"]


class Told(NamedTuple):
    """One call of a client and its answer."""

    kind: Literal["submit", "cancel", "edit", "schedule", "pause"]
    answer: Answer
    sent: datetime
    answered: datetime
    job: int = 0
    """The job (or schedule) that was named in the answer, or that the call was about."""
    token: str = ""
    """Identifies a submission: its message begins with it."""
    message: str = ""
    key: str = ""
    lane: str | None = None
    execute_at: datetime | None = None
    running: bool = False
    """A cancel's answer: the job was running, and was asked to stop."""


class Start(NamedTuple):
    """An attempt arrived at the sink."""

    at: datetime
    job: int
    attempt: int
    executor: int
    message: str
    user: int
    lane: str | None
    at_most_once: bool
    woken: datetime | None = None
    """When its node was last resumed after a pause."""


class Stop(NamedTuple):
    """An attempt ended at the sink."""

    at: datetime
    job: int
    attempt: int
    executor: int
    outcome: str


class Trust(NamedTuple):
    """A node that still relied on a lease that had expired."""

    at: datetime
    node: int


class History(NamedTuple):
    """Everything that a checker may read."""

    told: Sequence[Told]
    journal: Sequence[Fact]
    starts: Sequence[Start]
    stops: Sequence[Stop]
    tables: Tables
    trusted_too_long: Sequence[Trust] = ()
    broken: Sequence[str] = ()
    """Unhandled errors."""
    healed: datetime | None = None
    """When the faults ended; None when they did not."""
    left: Sequence[str] = ()
    """What had not come to rest in time."""


class Violation(NamedTuple):
    """An invariant that does not hold, and what shows it."""

    invariant: str
    text: str
