"""The bus over PostgreSQL: launches on offer, taken by executors, with hints to wake both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog

from duetime.bus.capacity import Capacity
from duetime.bus.envelope import Ended
from duetime.bus.port import OfferListener
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.model.ids import SHARDS, NodeId
from duetime.model.labels import ANY
from duetime.store.offer_port import OfferStore
from duetime.store.port import JobRef, LaunchIntent

log = structlog.get_logger()
PATIENCE = timedelta(seconds=5)
"""After this an offer that nobody took is taken back, so that what goes next is decided anew."""
LOOK_AFTER = timedelta(seconds=1)
"""Word of an end that has not come by then may be lost: look."""
SETTLED = timedelta(milliseconds=200)
"""What has been out for less may not be committed yet."""
LIMIT = 5000
LATELY = timedelta(seconds=1)


class _Out(NamedTuple):
    """A launch that was offered and is not known to be over."""

    ref: JobRef
    pool: str
    since: datetime


class PostgresBus:
    """`OfferBus` on PostgreSQL."""

    def __init__(
        self,
        store: OfferStore,
        ownership: Ownership,
        hints: Hints,
        clock: Clock,
        listener: OfferListener,
    ) -> None:
        self._store, self._ownership, self._hints, self._clock = store, ownership, hints, clock
        self._listener = listener
        self._capacity = Capacity()
        self._out: dict[int, _Out] = {}
        self._counts: dict[str, int] = {}
        self._ended = (clock.now(), 0, 0)
        self._look_at_all = False
        self.nudge: Callable[[], None] = lambda: None
        """Has `run_once` called at once."""
        hints.listen("executors", lambda _: self.nudge())

    def room(self, pool: str) -> int:
        """How many more launches executors of a pool can start soon."""
        return self._capacity.room(pool, self._counts.get(pool, 0), len(self._out), self._ended_lately())

    def expect(self, refs: Sequence[JobRef], pool: str) -> None:
        """Count these from now on; what was taken back unheard and goes again only once."""
        self._remove([ref.id for ref in refs])
        now = self._clock.now()
        for ref in refs:
            self._out[ref.id] = _Out(ref, pool, now)
        self._counts[pool] = self._counts.get(pool, 0) + len(refs)
        self._capacity.use(pool, len(refs))

    def forget(self, job_ids: Collection[int]) -> None:
        """These are not out."""
        if self._out:
            self._remove(job_ids)

    async def offer(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent], pool: str) -> set[int]:
        """Commit launches on offer."""
        return await self._store.offer(node, now, launches, pool or None)

    async def hand_over(self, node: NodeId, job_ids: Sequence[int], pool: str) -> None:
        """Put launches of this node on offer."""
        await self._store.hand_over(node, job_ids, pool or None)

    def announce(self) -> None:
        """Wake executors."""
        self._hints.send("offers", "")

    def ended(self, ended: Sequence[Ended] | None) -> None:
        """Word from executors; None: something ended, and nobody says what."""
        if ended is None:
            self._look_at_all = True
            self.nudge()
            return
        gone: list[JobRef] = []
        for one in ended:
            (out,) = self._remove([one.job_id]) or (None,)
            if out is not None:
                self._listener.ended(out.ref, one)
                gone.append(out.ref)
        if gone:
            self._count_ended(len(gone))
            self._listener.released(gone)

    async def run_once(self) -> None:
        """Learn what executors report, find what ended unheard, and take back what nobody takes."""
        part = sum(self._ownership.held) / SHARDS
        self._capacity.learn(await self._store.executors(), self._ownership.node, part)
        await self._find_ended()
        taken_back = await self._store.take_back(self._ownership.held, self._clock.now() - PATIENCE, LIMIT)
        if taken_back:
            log.info("nobody took some launches: they are decided anew", launches=len(taken_back))
            mine = [out.ref for out in self._remove(taken_back)]
            self._listener.released(mine)
            self._listener.missed(mine if len(mine) == len(taken_back) else None)
        self._listener.released([])

    async def _find_ended(self) -> None:
        """Look whether what has been out for a while still is."""
        before = self._clock.now() - (SETTLED if self._look_at_all else LOOK_AFTER)
        self._look_at_all = False
        old = [job_id for job_id, out in self._out.items() if out.since <= before]
        for start in range(0, len(old), LIMIT):
            asked = old[start : start + LIMIT]
            known = {job_id: self._out[job_id] for job_id in asked if job_id in self._out}
            standing = {one.job_id: one.attempt for one in await self._store.standing(asked)}
            lost = [
                job_id
                for job_id, out in known.items()
                if self._out.get(job_id) is out and standing.get(job_id) != out.ref.attempt + 1
            ]
            if lost:
                gone = [out.ref for out in self._remove(lost)]
                self._count_ended(len(gone))
                self._listener.released(gone)
                self._listener.missed(gone)

    def _remove(self, job_ids: Collection[int]) -> list[_Out]:
        found = [out for job_id in job_ids if (out := self._out.pop(job_id, None)) is not None]
        for out in found:
            self._counts[out.pool] -= 1
            if not self._counts[out.pool] and out.pool != ANY:
                del self._counts[out.pool]
        return found

    def _count_ended(self, count: int) -> None:
        start, before, current = self._ended
        now = self._clock.now()
        if now - start >= LATELY:
            recent = now - start < 2 * LATELY
            start, before, current = now, current if recent else 0, 0
        self._ended = (start, before, current + count)

    def _ended_lately(self) -> int:
        start, before, current = self._ended
        return max(before, current) if self._clock.now() - start < 2 * LATELY else 0
