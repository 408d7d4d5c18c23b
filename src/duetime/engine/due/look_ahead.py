"""Reads due jobs from the store into the backlog, a little before their due instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta

from duetime.coordination.ownership import Ownership
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.pick import Pick
from duetime.model.ids import MAX_ID, shard_of
from duetime.store.port import DueStore, JobRef, Wanted

PAGE, SMALL_PAGE = 2000, 400
"""How many jobs the look-ahead reads at a time; and while batches are small, so that a light user's jobs do not wait
long behind a page of another user's flood."""
SAFETY_NET = timedelta(seconds=5)
BEHIND, BEHIND_AT_ONCE = 10, 200
"""How many jobs the safety net looks at in the part of a flow that was read already, and in how many flows at once."""
BEGINNING = (datetime(1970, 1, 1, tzinfo=UTC), 0)


class LookAhead:
    """Fills the backlog.

    A cursor moves along the due index, from the beginning to the look-ahead's horizon. Each window is read once. A new
    job for an instant behind the cursor is offered by the node that stored it (directly, or by a hint to another
    node). When a window holds more than memory should, the cursor jumps to the present, and the flows concerned are
    read one by one instead, each from its head. So one user's ten million due jobs neither hide another user's single
    job nor cost anything themselves. Every few seconds a safety net looks for missed flows, and for missed jobs in the
    part of a flow that was read already, some flows at a time. It runs beside the other reads, which continue from
    where they were, so that no flow runs dry because of it.
    """

    def __init__(
        self,
        store: DueStore,
        ownership: Ownership,
        backlog: Backlog,
        pick: Pick,
        batch_size: BatchSize,
        look_ahead: timedelta,
        safety_net: timedelta = SAFETY_NET,
    ) -> None:
        self._store, self._ownership, self._backlog, self._pick = store, ownership, backlog, pick
        self._batch_size = batch_size
        self._look_ahead, self._safety_net = look_ahead, safety_net
        self._cursor: tuple[datetime, int] = BEGINNING
        self._back_to: tuple[datetime, int] | None = None
        """Where `rewind` moved the cursor while a window was being read: the window may lack the job in question."""
        self._hinted: set[int] = set()
        """Flows that `look_at` named while they were being read."""
        self._next_sweep: datetime | None = None
        """When the safety net runs next. None: jobs may have been missed, and all flows are searched first."""
        self._misses = self._behind = 0
        """How often jobs may have been missed, and the last flow in whose read part the safety net looked."""

    def restart(self) -> None:
        """Read everything again: this node owns other shards than before."""
        self._backlog.clear()
        self._pick.clear()
        self._cursor = self._back_to = BEGINNING
        self.look_everywhere()

    def rewind(self, instant: datetime) -> None:
        """Move the cursor back: a job was stored for an instant that the cursor may have passed."""
        position = (instant, 0)
        self._cursor = min(self._cursor, position)
        self._back_to = position if self._back_to is None else min(self._back_to, position)

    def ripen(self, now: datetime) -> None:
        """Let jobs that have come due compete for slots."""
        self._pick.wake(self._backlog.ripen(now))

    def next_due(self) -> datetime | None:
        """Returns the next instant at which a job in memory comes due."""
        return self._backlog.next_due()

    def offer(self, refs: Sequence[JobRef], now: datetime, *, arrived: bool = True) -> None:
        """Add jobs that were stored or wait again; `arrived` unless they only follow others in their lanes."""
        mine = self._mine(refs, now)
        self._backlog.stored(mine)
        self._pick.wake(self._backlog.offer(mine, now), arrived=arrived)

    def hinted(self, refs: Sequence[JobRef], now: datetime) -> None:
        """Add jobs that another node stored. A hint can be late, so if it contradicts memory, the store is read."""
        to_offer: list[JobRef] = []
        for ref in refs:
            if not self._backlog.differs(ref):
                to_offer.append(ref)
            elif ref.due_at <= now:
                self.look_at([ref.flow])
            else:
                self.rewind(ref.due_at)
        self._pick.wake(self._backlog.offer(self._mine(to_offer, now), now))

    def look_at(self, flows: Collection[int]) -> None:
        """Read these flows from their heads, however far they were read: they may have a due job that was missed."""
        self._backlog.incomplete.update(flows)
        self._backlog.read_from_heads(flows)
        self._hinted.update(flows)

    def look_everywhere(self) -> None:
        """Search all flows at the next fill: a job may have been missed in any of them."""
        self._next_sweep = None
        self._misses += 1

    def wants_fill(self, now: datetime) -> bool:
        """Whether the store should be read now."""
        return (
            self._next_sweep is None
            or (self._backlog.has_room and now + self._look_ahead / 2 >= self._cursor[0])
            or bool(self._backlog.running_low(small=self._batch_size.small))
        )

    def wants_sweep(self, now: datetime) -> bool:
        """Whether the safety net should run now."""
        return self._next_sweep is not None and now >= self._next_sweep

    def next_fill(self) -> datetime:
        """Returns when the store should be read again if nothing happens before."""
        ahead = self._cursor[0] - self._look_ahead / 2
        if self._next_sweep is None:
            return ahead
        return min(ahead, self._next_sweep) if self._backlog.has_room else self._next_sweep

    async def fill(self, now: datetime) -> None:
        """Read what is needed from the store. If nothing was missed, the flows that run low are first."""
        if self._next_sweep is None:
            await self._find_missed(now)
        else:
            await self._read_on(now)
        await self._look_forward(now)
        await self._read_on(now)

    async def sweep(self, now: datetime) -> None:
        """Find missed flows, and missed jobs in the part of a flow that was read already. May run beside a fill."""
        misses = self._misses
        flows = await self._store.due_flows(now)
        unread = {flow for flow in flows if self._backlog.is_unread(flow)}
        self.look_at(unread)
        await self._look_behind([flow for flow in flows if flow not in unread], now)
        if misses == self._misses:
            self._next_sweep = now + self._safety_net

    def _mine(self, refs: Sequence[JobRef], now: datetime) -> list[JobRef]:
        held, horizon = self._ownership.held, now + self._look_ahead
        return [ref for ref in refs if held[shard_of(ref.id)] and ref.due_at <= horizon]

    async def _find_missed(self, now: datetime) -> None:
        """Have every flow read from its head, and the jobs that come due soon."""
        misses = self._misses
        self._backlog.read_from_heads()
        self._backlog.incomplete.update(await self._store.due_flows(now))
        self.rewind(now)
        if misses == self._misses:
            self._next_sweep = now + self._safety_net

    async def _look_forward(self, now: datetime) -> None:
        """Read one page. Which page is next depends on the instant at which it is read."""
        if self._backlog.missed and self._backlog.has_room:
            self.rewind(self._backlog.missed - timedelta(microseconds=1))
            self._backlog.missed = None
        horizon = now + self._look_ahead
        if self._cursor[0] >= horizon or not self._backlog.has_room:
            return
        self._back_to = None
        most = SMALL_PAGE if self._batch_size.small else PAGE
        with self._backlog.reading() as reading:
            page = await self._store.due(self._cursor, horizon, self._ownership.held, most)
        self._pick.wake(self._backlog.offer(page, now, reading))
        if len(page) < most:
            self._cursor = (horizon, 0)
        elif page[-1].due_at <= now and self._backlog.incomplete:
            self._backlog.incomplete.update(await self._store.due_flows(now))
            self._backlog.read_from_heads()
            self._cursor = (now, MAX_ID)
        else:
            self._cursor = (page[-1].due_at, page[-1].id)
        if self._back_to is not None:
            self._cursor = min(self._cursor, self._back_to)

    async def _read_on(self, now: datetime) -> None:
        """Read on in the flows that run low."""
        low = self._backlog.running_low(small=self._batch_size.small)
        if not low:
            return
        self._hinted.clear()
        wanted = [self._backlog.next_read(flow) for flow in low]
        with self._backlog.reading() as reading:
            found = await self._store.backlog(wanted, now, self._ownership.held)
        read: dict[int, list[JobRef]] = {flow: [] for flow in low}
        for ref in found:
            read[ref.flow].append(ref)
        for flow, limit, _ in wanted:
            if flow not in self._hinted:
                self._backlog.mark_read(flow, read[flow][-1] if len(read[flow]) >= limit else None)
        self._pick.wake(self._backlog.offer(found, now, reading))

    async def _look_behind(self, flows: Sequence[int], now: datetime) -> None:
        """Look for missed jobs in the part of these flows that was read already.

        A job is missed if the node that stored it died before it sent a hint. A flow that is never empty hides such a
        job. It comes to the front of its flow in the store, so reading the first few is enough. Where they bring
        something new, and there may be more of it, the flow is read from its head.
        """
        some = sorted(flow for flow in flows if flow > self._behind)[:BEHIND_AT_ONCE]
        self._behind = some[-1] if len(some) == BEHIND_AT_ONCE else 0
        if not some:
            return
        with self._backlog.reading() as reading:
            found = await self._store.backlog([Wanted(flow, BEHIND) for flow in some], now, self._ownership.held)
        behind = [ref for ref in found if self._backlog.is_read_past(ref)]
        new, counts = self._backlog.offer(behind, now, reading), Counter(ref.flow for ref in behind)
        self._pick.wake(new)
        self.look_at([flow for flow in new if counts[flow] >= BEHIND])
