"""Take: an executor helps itself to what is on offer, as much as it has room for, many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog

from duetime.bus.port import Bus
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.engine.due.scheduler import Scheduler
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.held import HeldRuns
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.settling.ends import Ends
from duetime.engine.signal import Signal
from duetime.model.errors import StoreAway
from duetime.model.labels import spelled
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.offer_port import OfferStore

log = structlog.get_logger()
BATCH = 1000
SPACING = timedelta(milliseconds=5)
"""While slots become free one by one, they are filled together."""
PAUSE = timedelta(milliseconds=200)


class TakeOffers:
    """Owns the loop from offered to started."""

    def __init__(
        self,
        store: OfferStore,
        ends: Ends,
        definitions: Definitions,
        ownership: Ownership,
        hints: Hints,
        clock: Clock,
        unanswered: UnansweredLaunches,
        *,
        labels: Mapping[str, str],
        bus: Bus,
        held: HeldRuns,
        scheduler: Scheduler | None,
        freed: Signal,
        expire: Callable[[LaunchedRun, Outcome], None],
        every: timedelta,
    ) -> None:
        """`scheduler` is the one of this node, if it has one; `every` is how often to look without a hint."""
        self._store, self._ends, self._definitions = store, ends, definitions
        self._ownership, self._clock, self._unanswered, self._labels = ownership, clock, unanswered, spelled(labels)
        self._bus, self._held, self._scheduler, self._expire, self._every = bus, held, scheduler, expire, every
        self._signal = asyncio.Event()
        self._more = True
        """Whether there may be something on offer."""
        self._stopping = False
        self.taking = 0
        """Slots that a statement under way may fill."""
        hints.listen("offers", lambda _: self.wake())
        freed.listen(self.freed)

    def wake(self) -> None:
        """There is something on offer."""
        self._more = True
        self._signal.set()

    def freed(self) -> None:
        """A slot became free."""
        if self._more:
            self._signal.set()

    async def run(self) -> None:
        """Take until stopped."""
        while not self._stopping:
            self._signal.clear()
            turned = self._clock.now()
            await self._clock.wait(self._signal, await self._turn(turned))
            early = turned + SPACING - self._clock.now()
            if early > timedelta(0) and not self._stopping:
                await self._clock.sleep(early.total_seconds())

    def stop(self) -> None:
        """Take nothing more."""
        self._stopping = True
        self._signal.set()

    async def idle(self) -> None:
        """Wait until nothing is being taken."""
        while self.taking:
            await self._clock.sleep(SPACING.total_seconds())

    async def run_once(self) -> int:
        """Take as much as there is room for, up to a batch; how much was there."""
        asked = min(BATCH, self.room())
        if asked <= 0 or self._ownership.draining or not self._ownership.trusted:
            return 0
        node, now, standing = self._ownership.node, self._unanswered.instant(), self._ownership.standing
        self._more, self.taking, started = False, asked, False
        try:
            taken = await self._store.take(node, self._labels, asked, now)
            rows = [one.row for one in taken if one.row is not None]
            runs = await as_runs(rows, node, self._definitions)
            if len(rows) < len(taken):
                gone = [one.job_id for one in taken if one.row is None]
                await self._ends.by_taking_back(node, gone, now)
            started = self._ownership.stands(standing)
        finally:
            self.taking = 0
            if not started:
                # Whether it was taken or not: it is found by its instant, and given back.
                self._unanswered.add(node, now)
        if not started:
            return 0
        self._held.take(runs)
        self._bus.send(in_time(runs, rows, now, self._expire))
        self._more = self._more or len(taken) == asked
        return len(taken)

    def room(self) -> int:
        """Slots that offers may fill. A node that schedules too keeps half, or it would have to offer its own jobs."""
        if self._scheduler is None:
            return self._bus.room()
        return (self._bus.room() - self._scheduler.reserved + 1) // 2

    async def _turn(self, now: datetime) -> datetime:
        try:
            while not self._stopping and await self.run_once() >= BATCH:
                pass
        except StoreAway:
            self._more = True
            return now + PAUSE
        except Exception:
            log.exception("taking what is on offer failed")
            self._more = True
            return now + PAUSE
        return now + (PAUSE if not self._ownership.trusted else self._every)
