"""What is due: read ahead from the store, a little before its instant, and kept in the backlog."""

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
"""How much of the look-ahead is read at a time; and while somebody comes, who must not wait long behind a page of
somebody else's flood."""
SAFETY_NET = timedelta(seconds=5)
BEHIND, BEHIND_AT_ONCE = 10, 200
"""How many of a queue are looked at behind what was read of it, and of how many queues with one cast of the net."""
BEGINNING = (datetime(1970, 1, 1, tzinfo=UTC), 0)


class LookAhead:
    """Fills the backlog.

    A cursor moves along the due index, from the beginning to the look-ahead's horizon: each window is
    read once. New work for an instant behind the cursor is offered by whoever stored it (directly, or
    by a hint from another node). When a window holds more than memory should, the cursor jumps to the
    horizon and the queues concerned are read one by one instead, each from its head on: so one user's
    ten million due jobs neither hide another's one nor cost anything themselves. A safety net looks
    every few seconds for forgotten queues, and for jobs forgotten in front of the others, some at a time:
    beside the reading, which goes on from where it was, so that nobody runs dry because of it.
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
        """Where the cursor was asked to go back to while a window was being read: it may not have been in it yet."""
        self._hinted: set[int] = set()
        """Queues to look at of which one was told while they were being read."""
        self._next_sweep: datetime | None = None
        """When to cast the net; None: something may have been missed, and is looked for everywhere before all else."""
        self._misses = self._behind = 0
        """How often that was so, and the last queue that was looked at behind what was read of it."""

    def restart(self) -> None:
        """Ownership changed: read everything anew."""
        self._backlog.clear()
        self._pick.clear()
        self._cursor = self._back_to = BEGINNING
        self.look_everywhere()

    def rewind(self, instant: datetime) -> None:
        """Something was stored for an instant that the cursor may have passed."""
        place = (instant, 0)
        self._cursor = min(self._cursor, place)
        self._back_to = place if self._back_to is None else min(self._back_to, place)

    def ripen(self, now: datetime) -> None:
        """Let what has come due compete for slots."""
        self._pick.wake(self._backlog.ripen(now))

    def next_due(self) -> datetime | None:
        """The next instant at which something in memory comes due."""
        return self._backlog.next_due()

    def offer(self, refs: Sequence[JobRef], now: datetime, *, arrived: bool = True) -> None:
        """Take in what was stored or came back just now; `arrived` unless it only follows what went before."""
        mine = self._mine(refs, now)
        self._backlog.stored(mine)
        self._pick.wake(self._backlog.offer(mine, now), arrived=arrived)

    def hinted(self, refs: Sequence[JobRef], now: datetime) -> None:
        """Another node stored these. Word of a job can be late, so against what memory has the store is asked."""
        news: list[JobRef] = []
        for ref in refs:
            if not self._backlog.differs(ref):
                news.append(ref)
            elif ref.due_at <= now:
                self.look_at([ref.flow])
            else:
                self.rewind(ref.due_at)
        self._pick.wake(self._backlog.offer(self._mine(news, now), now))

    def look_at(self, flows: Collection[int]) -> None:
        """Something due now may be in these queues, wherever they were read to: read them from their heads."""
        self._backlog.incomplete.update(flows)
        self._backlog.read_from_heads(flows)
        self._hinted.update(flows)

    def look_everywhere(self) -> None:
        """Something may have been missed, in whichever queue: look for it at the next fill."""
        self._next_sweep = None
        self._misses += 1

    def wants_fill(self, now: datetime) -> bool:
        """Whether the store should be asked now."""
        return (
            self._next_sweep is None
            or (self._backlog.has_room and now + self._look_ahead / 2 >= self._cursor[0])
            or bool(self._backlog.running_low(small=self._batch_size.small))
        )

    def wants_sweep(self, now: datetime) -> bool:
        """Whether the safety net should be cast now."""
        return self._next_sweep is not None and now >= self._next_sweep

    def next_fill(self) -> datetime:
        """When the store should be asked again if nothing happens before."""
        ahead = self._cursor[0] - self._look_ahead / 2
        if self._next_sweep is None:
            return ahead
        return min(ahead, self._next_sweep) if self._backlog.has_room else self._next_sweep

    async def fill(self, now: datetime) -> None:
        """Ask the store for whatever is wanted; where nothing was missed, first for more of what runs low."""
        if self._next_sweep is None:
            await self._find_missed(now)
        else:
            await self._read_on(now)
        await self._look_forward(now)
        await self._read_on(now)

    async def sweep(self, now: datetime) -> None:
        """Find forgotten queues, and jobs that were forgotten in front of the others. May run beside a fill."""
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
        """Read every queue from its head, and what is coming due."""
        misses = self._misses
        self._backlog.read_from_heads()
        self._backlog.incomplete.update(await self._store.due_flows(now))
        self.rewind(now)
        if misses == self._misses:
            self._next_sweep = now + self._safety_net

    async def _look_forward(self, now: datetime) -> None:
        """Read one page: what the next one should be depends on the instant at which it is read."""
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
        """Read on in the queues that run low."""
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
        """A queue that is never empty hides what no hint told of: whoever stored it died before it sent one.

        What was forgotten comes to the front of its queue in the store, so the first few are enough: where they bring
        something new, and there may be more of it, the queue is read from its head.
        """
        some = sorted(flow for flow in flows if flow > self._behind)[:BEHIND_AT_ONCE]
        self._behind = some[-1] if len(some) == BEHIND_AT_ONCE else 0
        if not some:
            return
        with self._backlog.reading() as reading:
            found = await self._store.backlog([Wanted(flow, BEHIND) for flow in some], now, self._ownership.held)
        behind = [ref for ref in found if self._backlog.is_read_past(ref)]
        news, several = self._backlog.offer(behind, now, reading), Counter(ref.flow for ref in behind)
        self._pick.wake(news)
        self.look_at([flow for flow in news if several[flow] >= BEHIND])
