"""The bus over PostgreSQL: launches on offer in the store, taken by executors, with hints that wake both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from duetime.bus.capacity import Capacity
from duetime.bus.envelope import read_ended, spell_ended
from duetime.bus.outstanding import Outstanding
from duetime.bus.port import Committed, Ended, LaunchListener
from duetime.bus.worker_offers import WorkerOfferStore
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.model.ids import SHARDS, NodeId, shard_of
from duetime.model.labels import spelled
from duetime.store.offer_port import OfferStore, Taken
from duetime.store.port import JobRef, LaunchedRow, LaunchIntent

log = structlog.get_logger()
PATIENCE = timedelta(seconds=5)
"""An offer that no executor took for so long is taken back, and the scheduler decides again."""
LOOK_AFTER = timedelta(seconds=1)
"""A report that has not come by then may be lost: the scheduler looks."""
COMMITTED_AFTER = timedelta(milliseconds=200)
"""A launch that has been out for less may not be committed yet."""
LIMIT = 5000
"""How many launches one statement looks at or takes back."""
OFFERS, ENDED, EXECUTORS = "offers", "ended", "executors"
"""The topics of hints: there is something to take; runs ended; an executor joined."""


class PostgresSchedulerEnd:
    """`SchedulerEnd` on PostgreSQL: launches are offers."""

    def __init__(
        self,
        store: OfferStore | WorkerOfferStore,
        ownership: Ownership,
        hints: Hints,
        clock: Clock,
        listener: LaunchListener,
        topic: str = OFFERS,
    ) -> None:
        """`topic` is that of the hints which say that there is something to take."""
        self._topic = topic
        self._store, self._ownership, self._hints, self._clock = store, ownership, hints, clock
        self._listener = listener
        self._capacity = Capacity()
        self._out = Outstanding(clock.now())
        self._look_at_all = False
        self.nudge: Callable[[], None] = lambda: None
        """Has `run_once` called at once."""
        hints.listen(EXECUTORS, lambda _: self.nudge())
        hints.listen(ENDED, lambda text: self.ended(read_ended(text)))

    @property
    def out(self) -> Collection[int]:
        """The jobs whose launches are out."""
        return list(self._out)

    def room(self, pool: str) -> int:
        """Returns how many more launches executors of a pool can start soon."""
        ended = self._out.ended_recently(self._clock.now())
        return self._capacity.room(pool, self._out.count(pool), len(self._out), ended)

    def free_slots(self, pool: str) -> int:
        """Returns the same: an offer counts until its run has ended, whether it takes a slot or not."""
        return self.room(pool)

    def expect(self, refs: Sequence[JobRef], pool: str, taking_slots: Collection[int] = ()) -> None:
        """Count these launches from now on."""
        self._out.add(refs, pool, self._clock.now())
        self._capacity.use(pool, len(refs))

    def forget(self, job_ids: Collection[int]) -> None:
        """Stop counting these launches."""
        self._out.remove(job_ids)

    async def launch(self, node: NodeId, now: datetime, intents: Sequence[LaunchIntent], pool: str) -> Committed:
        """Commit launches on offer, and hint to executors."""
        return self._sent(await self._store.offer(node, now, intents, pool or None))

    async def hand_over(self, node: NodeId, rows: Sequence[LaunchedRow], pool: str) -> Committed:
        """Put launches of this node on offer."""
        ids = {row.id for row in rows}
        await self._store.hand_over(node, list(ids), pool or None)
        return self._sent(ids)

    def _sent(self, ids: set[int]) -> Committed:
        if ids:
            self._hints.send(self._topic, "")
        return Committed(elsewhere=ids)

    def ended(self, ended: Sequence[Ended] | None) -> None:
        """Executors report runs that ended; None: some did, and the hint does not say which."""
        if ended is None:
            self._look_at_all = True
            self.nudge()
            return
        gone: list[JobRef] = []
        for one in ended:
            for out in self._out.remove([one.job_id]):
                self._listener.ended(out.ref, one)
                gone.append(out.ref)
        if gone:
            self._out.note_ended(len(gone), self._clock.now())
            self._listener.released(gone)

    async def run_once(self) -> None:
        """Learn what executors can start, find ends that were not reported, take back what no executor took."""
        part = sum(self._ownership.held) / SHARDS
        self._capacity.learn(await self._store.executors(), self._ownership.node, part)
        await self._find_ended()
        taken_back = await self._store.take_back(self._ownership.held, self._clock.now() - PATIENCE, LIMIT)
        if taken_back:
            log.info("no executor took some launches: the scheduler decides again", launches=len(taken_back))
            mine = [out.ref for out in self._out.remove(taken_back)]
            self._listener.released(mine)
            self._listener.missed(mine if len(mine) == len(taken_back) else None)
        self._listener.released([])

    async def _find_ended(self) -> None:
        """Look whether launches that have been out for a while are still in flight."""
        before = self._clock.now() - (COMMITTED_AFTER if self._look_at_all else LOOK_AFTER)
        self._look_at_all = False
        old = self._out.before(before)
        for start in range(0, len(old), LIMIT):
            asked = old[start : start + LIMIT]
            expected = {job_id: one for job_id in asked if (one := self._out.get(job_id)) is not None}
            attempts = {one.job_id: one.attempt for one in await self._store.standing(asked)}
            lost = [
                job_id
                for job_id, one in expected.items()
                if self._out.get(job_id) is one and attempts.get(job_id) != one.ref.attempt + 1
            ]
            if lost:
                gone = [out.ref for out in self._out.remove(lost)]
                self._out.note_ended(len(gone), self._clock.now())
                self._listener.released(gone)
                self._listener.missed(gone)


class PostgresExecutorEnd:
    """`ExecutorEnd` on PostgreSQL: an executor takes offers, and reports by hints to the owners of the shards."""

    def __init__(
        self,
        store: OfferStore,
        ownership: Ownership,
        hints: Hints,
        labels: Mapping[str, str],
        scheduler: PostgresSchedulerEnd | None,
    ) -> None:
        """`scheduler` is the other end of the bus in this process, if the node schedules."""
        self._store, self._ownership, self._hints = store, ownership, hints
        self._labels, self._scheduler = spelled(labels), scheduler

    def listen(self, arrived: Callable[[], None]) -> None:
        """Call `arrived` when a scheduler hints that there are offers."""
        self._hints.listen(OFFERS, lambda _: arrived())

    async def take(self, node: NodeId, limit: int, now: datetime) -> list[Taken]:
        """Take offers for this executor's labels."""
        return await self._store.take(node, self._labels, limit, now)

    def report(self, ended: Sequence[Ended]) -> None:
        """Report to the scheduler of this process directly, and by hints to the owners of other shards."""
        held = self._ownership.held
        if self._scheduler is not None:
            self._scheduler.ended(ended)
        for one in ended:
            if not held[shard_of(one.job_id)]:
                self._hints.send(ENDED, spell_ended(one))
