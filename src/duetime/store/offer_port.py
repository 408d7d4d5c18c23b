"""The contract of the store for offers. The obligations of `store.port` apply here too.

An offer is a row in `in_flight` like every other launch: the run's identity and the lock on its job. It has `OFFERED`
instead of an executor's id. Taking the offer writes the executor's id there, by compare-and-set, so only one executor
can start the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from duetime.model.ids import NodeId
from duetime.model.labels import meets
from duetime.store.port import LaunchedRow, LaunchIntent

OFFERED: Final = NodeId(-1)


class Executor(Struct, frozen=True):
    """A living executor, as it last reported itself."""

    node: NodeId
    slots: int
    open: int
    """Slots for offers: all of them, or those that the node's own scheduler leaves."""
    free: int
    """How many of the slots for offers are free."""
    labels: dict[str, str]
    schedules: bool = False
    """Whether the node also has a scheduler, which fills its slots itself."""

    def fits(self, pool: str) -> bool:
        """Whether the executor is in a pool."""
        return meets(self.labels, pool)


class Abilities(Struct, frozen=True):
    """What a node reports about itself."""

    slots: int | None = None
    open: int = 0
    free: int = 0
    labels: str = "{}"
    key_print: bytes | None = None


class Taken(NamedTuple):
    """An offer that was taken, and what to run; no row when the job is gone or has another instant."""

    job_id: int
    row: LaunchedRow | None


class InFlight(NamedTuple):
    """A job in flight: its attempt, and its executor (`OFFERED` for an offer)."""

    job_id: int
    attempt: int
    executor: int


class OfferStore(Protocol):
    """Offers. Both sides are fenced like launches: a node without a lease can neither offer nor take."""

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches as offers to executors that have the labels (JSON). Returns the ids launched.

        The same checks apply as in `LaunchStore.launch`.
        """
        ...

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Turn committed launches of this node into offers. Their runs have not been started."""
        ...

    async def take(self, node: NodeId, labels: str, limit: int, now: datetime) -> list[Taken]:
        """Take offers that fit these labels (JSON), oldest first. No two executors get the same offer."""
        ...

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers of the held shards that were made before an instant and not taken. Returns their jobs."""
        ...

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Returns which of these jobs are in flight."""
        ...

    async def report(self, node: NodeId, report: Abilities, *, first: bool) -> None:
        """Store a living node's report, in place of its last one. `first` also deletes the reports of dead nodes."""
        ...

    async def executors(self) -> list[Executor]:
        """Returns the living executors."""
        ...

    async def other_keys(self, key_print: bytes) -> list[str]:
        """Returns the names of living nodes whose API signs tokens with another key."""
        ...
