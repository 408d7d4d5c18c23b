"""The contract of the store for launches on offer. The obligations of `store.port` hold here too.

A launch on offer is a row in `in_flight` like every other, with `OFFERED` in the place of its executor: the run's
identity and the lock on its job. Taking it puts the taker's id there, and that is the start's compare-and-set.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from duetime.model.ids import NodeId
from duetime.store.port import LaunchedRow, LaunchIntent

OFFERED: Final = NodeId(-1)


class Executor(Struct, frozen=True):
    """A living executor as it last reported."""

    node: NodeId
    slots: int
    open: int
    """Slots that runs from the bus may have: all, or what a node's own scheduler leaves."""
    free: int
    """Those of them in which nothing runs."""
    labels: dict[str, str]
    schedules: bool
    """Whether the node schedules as well, and so fills its slots itself."""


class Abilities(Struct, frozen=True):
    """What a node says of itself."""

    slots: int | None = None
    open: int = 0
    free: int = 0
    labels: str = "{}"
    key_print: bytes | None = None


class Taken(NamedTuple):
    """A launch that was taken, and what it is to do; nothing when its job is gone or moved."""

    job_id: int
    row: LaunchedRow | None


class InFlight(NamedTuple):
    """A job in flight: in which attempt, and with whom."""

    job_id: int
    attempt: int
    executor: int


class OfferStore(Protocol):
    """Offers. Fenced like launches on both sides: neither offering nor taking works without a lease."""

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches on offer to whoever has the labels (JSON); the ids. Checked as `LaunchStore.launch` is."""
        ...

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Put committed launches of this node, which were never sent, on offer."""
        ...

    async def take(self, node: NodeId, labels: str, limit: int, now: datetime) -> list[Taken]:
        """Take what is on offer for these labels (JSON), oldest first. No two takers get the same."""
        ...

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers of the held shards that nobody took since an instant; which."""
        ...

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Which of these jobs are in flight."""
        ...

    async def report(self, node: NodeId, report: Abilities, *, first: bool) -> None:
        """Make known what a living node says of itself; the first time, what dead ones said is swept away."""
        ...

    async def executors(self) -> list[Executor]:
        """The living executors."""
        ...

    async def other_keys(self, key_print: bytes) -> list[str]:
        """The names of living APIs whose tokens are signed with another key."""
        ...
