"""Workers as the scheduler's end of the PostgreSQL bus sees them: executors that take offers at other nodes' APIs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.coordination.ownership import Ownership
from duetime.model.ids import NodeId
from duetime.model.pull import Worker
from duetime.store.offer_port import Executor, InFlight, OfferStore
from duetime.store.port import LaunchIntent
from duetime.store.worker_port import WorkerStore


class WorkerSlots(Executor, frozen=True, kw_only=True):
    """The slots of a worker."""

    worker: Worker

    def fits(self, pool: str) -> bool:
        """Whether the worker is in a pool; every worker is in the pool of all."""
        return not pool or self.worker.fits(pool)


class WorkerOfferStore:
    """The verbs of `OfferStore` that a scheduler's end needs, for offers to workers."""

    def __init__(self, store: WorkerStore, offers: OfferStore, ownership: Ownership) -> None:
        self._store, self._offers, self._ownership = store, offers, ownership

    async def offer(
        self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], requires: str | None
    ) -> set[int]:
        """Commit launches as offers to workers."""
        return await self._offers.offer(node, now, launches, requires)

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], requires: str | None) -> None:
        """Turn committed launches of this node into offers."""
        await self._offers.hand_over(node, job_ids, requires)

    async def standing(self, job_ids: Sequence[int]) -> list[InFlight]:
        """Returns which of these jobs are in flight."""
        return await self._offers.standing(job_ids)

    async def take_back(self, held: Sequence[bool], before: datetime, limit: int) -> list[int]:
        """Undo offers that no worker took."""
        return await self._store.take_back(held, before, limit)

    async def executors(self) -> list[Executor]:
        """Returns the living workers, while they can take runs at another node."""
        return [
            WorkerSlots(one.id, one.slots, one.slots, 0, one.labels, worker=one)
            for one in await self._store.elsewhere(self._ownership.node)
        ]
