"""One database of several, as the others' stores see it: whether it answers, and what it has of ours."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from datetime import datetime
from typing import Any, Protocol, TypeVar

from duetime.model.errors import Elsewhere, StoreAway
from duetime.model.ids import SHARDS, NodeId
from duetime.model.shard_ranges import written_shards
from duetime.store.port import Again, Ending
from duetime.store.spread.port import PlacedStore, PlacementStore
from duetime.store.stores import Stores

T = TypeVar("T")
LOOK = 0.1
"""Seconds between looks whether a database that has not answered yet is still taken to be there."""


class Lease(Protocol):
    """This node's lease in one database."""

    @property
    def node(self) -> NodeId:
        """The id that this node has there."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether the lease can still be relied on."""
        ...


class SpreadMember:
    """A database. It is taken to be away while this node's lease in it is not renewed."""

    def __init__(
        self, number: int, stores: Stores, placed: PlacedStore, placing: PlacementStore, lease: Lease, title: str
    ) -> None:
        self.number, self.stores, self.placed, self.placing, self.lease = number, stores, placed, placing, lease
        self.title = title
        self.away: frozenset[int] = frozenset(range(SHARDS))
        """The shards that are not open here, as last read."""
        self.version = -1
        self.blind = False
        """A read failed since the scheduler last looked: there may be something here that it has not seen."""
        self.launched_as: dict[int, NodeId] = {}
        """For runs that were launched here: the id that this node had in this database."""
        self.doubts: dict[tuple[NodeId, datetime], set[int] | None] = {}
        """Statements whose answer was lost, by who sent them and when: the jobs concerned, or whichever they took.
        Nothing of them was sent, and they may still be carried out."""
        self.owed: dict[tuple[NodeId, datetime], set[int]] = {}
        """Launches that are to be taken back as soon as this database answers."""
        self.endings: list[Ending] = []
        self.agains: list[Again] = []
        """Outcomes that wait until this database answers."""
        self.copied: set[int] = set()
        """Definitions that were copied here today."""

    def doubt(self, node: NodeId, at: datetime, job_ids: Iterable[int] | None = None) -> None:
        """Nobody knows what came of a statement of this instant; None: it took whatever was on offer."""
        known = self.doubts.get((node, at), set[int]())
        if job_ids is None or known is None:
            self.doubts[node, at] = None
            return
        self.doubts[node, at] = known.union(job_ids)
        for job_id in job_ids:
            self.launched_as.pop(job_id, None)

    @property
    def answers(self) -> bool:
        """Whether this database is taken to be there."""
        return self.lease.trusted

    @property
    def here(self) -> frozenset[int]:
        """The shards that are open here."""
        return frozenset(range(SHARDS)) - self.away

    def sentence(self) -> str:
        """What is missing while it is away."""
        return f"Database {self.number} (shards {written_shards(self.here)}) does not answer"

    async def ask(self, call: Callable[[Stores], Coroutine[Any, Any, T]]) -> T:
        """Call a verb; `StoreAway` when this database is away, or goes away before it has answered."""
        if not self.answers:
            raise StoreAway(f"{self.sentence()}: try again.")
        task = asyncio.get_running_loop().create_task(call(self.stores))
        try:
            while not task.done() and self.answers:
                await asyncio.wait({task}, timeout=LOOK)
            if task.done():
                return task.result()
        except Elsewhere:
            raise
        except StoreAway:
            self.blind = True
            raise
        finally:
            if not task.done():
                task.cancel()
                task.add_done_callback(_swallow)
        self.blind = True
        raise StoreAway(f"{self.sentence()}: try again.")


def _swallow(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
