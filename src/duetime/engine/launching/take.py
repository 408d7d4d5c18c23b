"""Take: an executor helps itself to what is on offer, as much as it has room for, many at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs, in_time
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.model.errors import StoreAway
from duetime.model.labels import spelled
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.offer_port import OfferStore
from duetime.store.port import LaunchStore

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
        launches: LaunchStore,
        definitions: Definitions,
        ownership: Ownership,
        hints: Hints,
        clock: Clock,
        doubts: UnansweredLaunches,
        *,
        labels: Mapping[str, str],
        room: Callable[[], int],
        start: Callable[[Sequence[LaunchedRun]], None],
        expire: Callable[[LaunchedRun, Outcome], None],
        every: timedelta,
    ) -> None:
        """`every` is how often to look without being told: only the safety net."""
        self._store, self._launches, self._definitions = store, launches, definitions
        self._ownership, self._clock, self._doubts, self._labels = ownership, clock, doubts, spelled(labels)
        self._room, self._start, self._expire, self._every = room, start, expire, every
        self._signal = asyncio.Event()
        self._more = True
        """Whether there may be something on offer."""
        self._stopping = False
        self.taking = 0
        """Slots that a statement under way may fill."""
        self.holding: dict[int, int] = {}
        """Runs taken and not on record yet: jobs, each with its attempt."""
        hints.listen("offers", lambda _: self.wake())

    def wake(self) -> None:
        """There is something on offer."""
        self._more = True
        self._signal.set()

    def freed(self) -> None:
        """A slot became free."""
        if self._more:
            self._signal.set()

    def release(self, job_ids: Collection[int]) -> list[int]:
        """These runs are on record; those of them that had been taken."""
        if not self.holding:
            return []
        mine = [job_id for job_id in job_ids if job_id in self.holding]
        for job_id in mine:
            del self.holding[job_id]
        return mine

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
        asked = min(BATCH, self._room())
        if asked <= 0 or self._ownership.draining or not self._ownership.trusted:
            return 0
        node, now, standing = self._ownership.node, self._doubts.instant(), self._ownership.standing
        self._more, self.taking, started = False, asked, False
        try:
            taken = await self._store.take(node, self._labels, asked, now)
            rows = [one.row for one in taken if one.row is not None]
            runs = await as_runs(rows, node, self._definitions)
            if len(rows) < len(taken):
                gone = [one.job_id for one in taken if one.row is None]
                await self._launches.unlaunch(node, gone, now)
            started = self._ownership.stands(standing)
        finally:
            self.taking = 0
            if not started:
                # Whether it was taken or not: it is found by its instant, and given back.
                self._doubts.add(node, now)
        if not started:
            return 0
        self.holding.update((run.job_id, run.attempt) for run in runs)
        self._start(in_time(runs, rows, now, self._expire))
        self._more = self._more or len(taken) == asked
        return len(taken)

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
