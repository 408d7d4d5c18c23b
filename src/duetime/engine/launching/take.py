"""Take: an executor takes offers from the bus in batches, as many as it has free slots for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from duetime.bus.port import ExecutorEnd
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.buses import Buses
from duetime.engine.launching.held import HeldRuns
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.signal import Signal
from duetime.model.errors import StoreAway
from duetime.model.labels import ANY
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun

log = structlog.get_logger()
BATCH = 1000
SPACING = timedelta(milliseconds=5)
"""The least time between two calls to the bus: slots become free one by one, and one call fills several."""
PAUSE = timedelta(milliseconds=200)


class TakeOffers:
    """Runs the loop that takes offers and starts their runs."""

    def __init__(
        self,
        bus: ExecutorEnd,
        ends: Ends,
        definitions: Definitions,
        node: NodeContext,
        unanswered: UnansweredLaunches,
        *,
        buses: Buses,
        held: HeldRuns,
        schedules: bool,
        freed: Signal,
        expire: Callable[[LaunchedRun, Outcome], None],
        every: timedelta,
    ) -> None:
        """`schedules` says whether this node has a scheduler, which fills the slots over the local bus.

        `every` is how often the loop asks the bus without a hint.
        """
        self._bus, self._ends, self._definitions = bus, ends, definitions
        self._ownership, self._clock, self._unanswered = node.ownership, node.clock, unanswered
        self._slots, self._local, self._schedules = buses.slots, buses.local, schedules
        self._held, self._expire, self._every, self._counts = held, expire, every, node.counts
        self._traces = node.traces
        self._signal = asyncio.Event()
        self._more = True
        """Whether there may be offers to take."""
        self._stopping = False
        self.taking = 0
        """Slots that the call in progress may fill."""
        bus.listen(self.wake)
        freed.listen(self.freed)

    def wake(self) -> None:
        """Make the loop ask the bus: there are offers."""
        self._more = True
        self._signal.set()

    def freed(self) -> None:
        """Make the loop ask the bus, if there may be offers: a slot became free."""
        if self._more:
            self._signal.set()

    async def run(self) -> None:
        """Take offers until stopped."""
        while not self._stopping:
            self._signal.clear()
            began = self._clock.now()
            await self._clock.wait(self._signal, await self._fill_slots(began))
            early = began + SPACING - self._clock.now()
            if early > timedelta(0) and not self._stopping:
                await self._clock.sleep(early.total_seconds())

    def stop(self) -> None:
        """Take no more offers."""
        self._stopping = True
        self._signal.set()

    async def idle(self) -> None:
        """Wait until no call to the bus is in progress."""
        while self.taking:
            await self._clock.sleep(SPACING.total_seconds())

    async def run_once(self) -> int:
        """Take as many offers as there is room for, up to a batch, and start their runs. Returns how many."""
        asked = min(BATCH, self.room())
        if asked <= 0 or self._ownership.draining or not self._ownership.trusted:
            return 0
        node, now, lease = self._ownership.node, self._unanswered.instant(), self._ownership.lease
        self._more, self.taking, started = False, asked, False
        try:
            taken = await self._bus.take(node, asked, now)
            rows = [one.row for one in taken if one.row is not None]
            runs = await as_runs(rows, node, self._definitions, starting=True)
            if len(rows) < len(taken):
                gone = [one.job_id for one in taken if one.row is None]
                await self._ends.by_taking_back(node, gone, now)
            started = self._ownership.still_holds(lease)
        finally:
            self.taking = 0
            if not started:
                # If offers were taken, they carry this instant. A search by it finds them and takes them back.
                self._unanswered.add(node, now)
        if not started:
            return 0
        self._held.take(runs)
        self._counts.taken(runs, self._clock.now())
        if self._traces is not None:
            self._traces.launched(runs, now, self._clock.now())
        self._slots.start(in_time(runs, rows, now, self._expire))
        self._more = self._more or len(taken) == asked
        return len(taken)

    def room(self) -> int:
        """Returns how many slots may be filled with offers.

        A node with a scheduler keeps half of its free slots. Otherwise it would have to offer its own jobs elsewhere.
        """
        free = self._local.free_slots(ANY)
        return (free + 1) // 2 if self._schedules else free

    async def _fill_slots(self, now: datetime) -> datetime:
        """Take batches while they are full. Returns when to ask the bus next without a hint."""
        try:
            while not self._stopping and await self.run_once() >= BATCH:
                pass
        except StoreAway:
            self._more = True
            return now + PAUSE
        except Exception:
            log.exception("taking offers from the bus failed")
            self._more = True
            return now + PAUSE
        return now + (PAUSE if not self._ownership.trusted else self._every)
