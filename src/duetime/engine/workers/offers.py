"""Takes offers of other schedulers for the workers that wait at this node."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import structlog

from duetime.coordination.port import Hints
from duetime.engine.workers.desk import Desk, WaitingTake
from duetime.engine.workers.pull import Deliveries
from duetime.store.worker_port import WorkerStore

log = structlog.get_logger()
TOPIC = "worker offers"
"""The topic of hints: there are offers to workers."""
POOLS = 1000
"""How many pools one look returns."""


class WorkerOffers:
    """Looks which pools have offers, and takes them for waiting workers: one look for any number of these."""

    def __init__(
        self,
        store: WorkerStore,
        desk: Desk,
        deliveries: Deliveries,
        hints: Hints,
        instant: Callable[[], datetime],
        alone: Callable[[], bool],
    ) -> None:
        """`alone` says whether this node owns every shard, so that no other scheduler makes offers."""
        self._store, self._desk, self._deliveries = store, desk, deliveries
        self._instant, self._alone = instant, alone
        self._may_be = True
        self.nudge: Callable[[], None] = lambda: None
        """Has `run_once` called at once."""
        hints.listen(TOPIC, lambda _: self.arrived())

    def arrived(self) -> None:
        """There are offers."""
        self._may_be = True
        if len(self._desk):
            self.nudge()

    def waits(self) -> None:
        """A take begins to wait: look for offers, if there may be some."""
        if self._may_be or not self._alone():
            self.nudge()

    async def run_once(self) -> None:
        """Take what is on offer for the workers that wait here."""
        if not len(self._desk):
            return
        self._may_be = False
        pools = await self._store.on_offer(POOLS)
        for pool in pools:
            while (claimed := self._desk.claim(pool, 1)) and await self._take(claimed[0][0]):
                pass
        self._may_be = self._may_be or bool(pools)

    async def _take(self, take: WaitingTake) -> bool:
        """Take offers for one worker. Returns whether there were any."""
        now = self._instant()
        try:
            rows, gone = await self._store.take(take.worker.id, take.take_id, take.most, now)
            await self._deliveries.deliver(take, rows, gone, now)
        except Exception as error:
            self._deliveries.fail(take, error)
            raise
        return bool(rows)
