"""The scheduler: each round picks due jobs and launches them. A round only decides; I/O runs beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime, timedelta
from math import ceil

import structlog

from duetime.bus.port import SchedulerEnd
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.contests import Room
from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.due.unknown_limits import UnknownLimits
from duetime.engine.launching.buses import Buses
from duetime.engine.launching.launch import Launch
from duetime.engine.node.context import NodeContext
from duetime.model.errors import StoreAway
from duetime.model.events import ShardsChanged
from duetime.store.port import JobRef

log = structlog.get_logger()
BATCH = 1000
SMALL_BATCH = 50
"""The batch size while a light user's jobs wait, so that they do not wait long for the end of another user's batch."""
SMALL_UNSETTLED = SMALL_BATCH // 2
"""While more outcomes than this are not yet recorded, the next small batch waits: a core is left for other work."""
WIDTH, DEEP, SMALL_WIDTH = 2, 3, 1
"""How many launches may be under way; while whole batches wait, since commits that take long must not set the rate; and
while batches are small."""
EXPRESS = 16
PAUSE = timedelta(milliseconds=200)


class Scheduler:
    """Owns the loop from due to launched."""

    def __init__(
        self,
        node: NodeContext,
        due: LookAhead,
        pick: Pick,
        unknown: UnknownLimits,
        launch: Launch,
        buses: Buses,
        batch_size: BatchSize,
        unsettled: Callable[[], int] = lambda: 0,
    ) -> None:
        """`unsettled` returns how many outcomes of this process's executor wait to be recorded."""
        self._clock, self._ownership, self._events = node.clock, node.ownership, node.events
        self._due, self._pick, self._unknown, self._launch = due, pick, unknown, launch
        self._local, self._beyond, self._pull = buses.local, buses.beyond, buses.pull
        self._batch_size, self._unsettled = batch_size, unsettled
        self._signal = asyncio.Event()
        self._work: set[asyncio.Task[None]] = set()
        self._launching = 0
        self._whole = False
        """Whether the last launch was a whole batch: more jobs wait."""
        self._serves, self._offering = buses.serves, 0
        self._filling = self._sweeping = False
        self._pause_until: datetime | None = None
        self._stopping = False
        self.decided_at: datetime | None = None
        """When the last round began: it shows that the loop is alive."""
        self.made_room: Callable[[], None] = lambda: None
        """Called when a launch has ended: its jobs are started, or their room is free."""

    def wake(self) -> None:
        """Start a round soon: something happened that may let more jobs launch."""
        self._signal.set()

    def restart(self) -> None:
        """Forget the waiting jobs and read them again: this node owns other shards than before."""
        self._due.restart()
        self.wake()
        owner, now = self._ownership, self._clock.now()
        self._events.publish(ShardsChanged, [ShardsChanged(owner.node, owner.count, now)])

    async def run(self) -> None:
        """Run rounds until stopped. A failed round is not the last: no other node launches the jobs of these shards."""
        while not self._stopping:
            self._signal.clear()
            now = self._clock.now()
            try:
                until = self.decide(now)
            except Exception:
                log.exception("a round of the scheduler failed")
                until = self._pause_until = now + PAUSE
            await self._clock.wait(self._signal, until)

    async def stop(self) -> None:
        """Launch nothing more, and wait for the launches that are under way."""
        self._stopping = True
        self._signal.set()
        await self.idle()

    async def idle(self) -> None:
        """Wait until no launch and no read is under way."""
        while self._work:
            await self.under_way()

    async def under_way(self) -> None:
        """Wait for the launches and reads that are under way now, not for those that begin meanwhile."""
        if self._work:
            await asyncio.wait(set(self._work))

    def decide(self, now: datetime) -> datetime:
        """Run one round. Returns the instant of the next round if nothing happens before."""
        self.decided_at = now
        if self._stopping or not (self._ownership.trusted and any(self._ownership.held)):
            return now + PAUSE
        if self._pause_until and now < self._pause_until:
            return self._pause_until
        self._due.ripen(now)
        if not self._filling and self._due.wants_fill(now):
            self._filling = True
            self._run_beside(self._fill(now))
        elif not self._filling:
            self._sweep_if_due(now)
        for pool in self._pick.pools():
            if self._serves(pool):
                self._launch_due(now, pool)
            bus = self._beyond(pool)
            if bus is not None and self._wants_elsewhere(pool):
                self._offer_due(now, pool, bus)
        if unknown := self._unknown.claim():
            self._run_beside(self._unknown.read(unknown))
        return self._next_round(now)

    def waiting_for_slots(self) -> set[tuple[str, int]]:
        """Returns the pools without a free slot that users wait for, and the users that hold too much of a pool.

        Each is a pool and a user; user 0 stands for all of them.
        """
        found: set[tuple[str, int]] = set()
        for pool, beyond in self._pick.waiting_for_slots().items():
            free = max(0, self._local.free_slots(pool)) if self._serves(pool) else 0
            bus = self._beyond(pool)
            if free + (0 if bus is None else max(0, bus.room(pool))) <= 0:
                found.add((pool, 0))
            else:
                found.update((pool, user) for user in beyond)
        return found

    def _launch_due(self, now: datetime, pool: str) -> None:
        """Launch as many batches as may be under way, and a small one beyond, so that a light user need not wait."""
        while True:
            arrived = self._pick.light_user_arrived
            if arrived:
                self._batch_size.make_room()
            room = self._local.room(pool)
            full = self._full(room)
            if full and not (arrived and self._launching <= DEEP):
                return
            most = min(EXPRESS, room) if full else self._most(room, max(1, WIDTH - self._launching))
            picked, taking_slots = self._pick.batch(most, now, pool, self._room_here(pool, room))
            if not picked:
                return
            self._launching += 1
            self._whole = len(picked) == BATCH
            self._local.expect(picked, pool, taking_slots)
            self._run_beside(self._launch_these(picked, pool))

    def _offer_due(self, now: datetime, pool: str, offers: SchedulerEnd) -> None:
        """Offer jobs that this process cannot start to executors that soon can."""
        while self._offering < WIDTH and (room := offers.room(pool)) > 0:
            if self._pick.light_user_arrived:
                self._batch_size.make_room()
            instant = room if self._local.room(pool) <= 0 else 0
            free = max(0, self._local.free_slots(pool)) + room
            picked, taking_slots = self._pick.batch(self._most(room), now, pool, Room(instant, room, free))
            if not picked:
                return
            self._offering += 1
            offers.expect(picked, pool, taking_slots)
            self._run_beside(self._offer_these(picked, pool))

    def _room_here(self, pool: str, room: int) -> Room:
        """Returns the room of this process. Executors elsewhere count among what is free in the pool."""
        slots = max(0, self._local.free_slots(pool))
        bus = self._beyond(pool)
        return Room(room, slots, slots if bus is None else slots + bus.room(pool))

    def _wants_elsewhere(self, pool: str) -> bool:
        """Whether jobs may wait that this process cannot start, or not for their users."""
        local = self._local
        return local.room(pool) <= 0 or self._pick.waits_for_slots(pool, free=local.free_slots(pool) > 0)

    def _full(self, room: int) -> bool:
        """Whether no further launch may be under way. Beyond `WIDTH`, only whole batches are."""
        if self._batch_size.small:
            return self._launching >= SMALL_WIDTH or self._unsettled() > SMALL_UNSETTLED
        return self._launching >= (DEEP if self._whole and room >= BATCH else WIDTH)

    def _most(self, room: int, parts: int = 1) -> int:
        """Returns the size of the next batch: what fits, in `parts` batches of one size.

        While batches are small, at most `SMALL_BATCH`, and half the room is left for jobs that arrive next.
        """
        if self._batch_size.small:
            return min(SMALL_BATCH, ceil(room / 2))
        return min(BATCH, ceil(room / parts))

    def _next_round(self, now: datetime) -> datetime:
        fill = self._due.next_fill()
        candidates = (self._due.next_due(), self._pick.next_opening(), fill if fill > now else now + PAUSE)
        return min(at for at in candidates if at is not None)

    def _run_beside(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()):
            if isinstance(error, StoreAway):
                log.debug("the scheduler waits for the database")
            else:
                log.error("a task of the scheduler failed", exc_info=error)
            self._pause_until = self._clock.now() + PAUSE
        self._signal.set()

    async def _fill(self, now: datetime) -> None:
        try:
            await self._due.fill(now)
        finally:
            self._filling = False
        if not self._stopping:
            self._sweep_if_due(self._clock.now())

    def _sweep_if_due(self, now: datetime) -> None:
        """Start the safety net if it is time.

        It runs after a fill, so that it need not read the same again, and beside the next fill: however long it takes,
        no job waits for it.
        """
        if not self._sweeping and self._due.wants_sweep(now):
            self._sweeping = True
            self._run_beside(self._sweep(now))

    async def _sweep(self, now: datetime) -> None:
        try:
            await self._due.sweep(now)
        finally:
            self._sweeping = False

    async def _launch_these(self, picked: Sequence[JobRef], pool: str) -> None:
        try:
            await self._launch.run(picked, pool)
        finally:
            self._launching -= 1
            self._local.forget([ref.id for ref in picked])
            self.made_room()

    async def _offer_these(self, picked: Sequence[JobRef], pool: str) -> None:
        try:
            await self._launch.offer(picked, pool)
        finally:
            self._offering -= 1
            if self._pull is not None:
                self._pull.launched([ref.id for ref in picked])
