"""Overview: whether jobs are on time, and what waits for a person. Shared by all who look, for a second."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.engine.brief_cache import BriefCache
from duetime.engine.services import BreakerService, DeadLetterService, InsightService
from duetime.model.activity import EVERYBODY, HOUR, MINUTE, ActivityRow, plus, start_of
from duetime.model.states import JobState
from duetime.store.activity_port import ActivitySums, DueNow, InFlight

Window = Literal["15m", "1h", "3h", "24h", "7d"]
WINDOWS: Final[dict[Window, tuple[int, int]]] = {
    "15m": (15, MINUTE),
    "1h": (60, MINUTE),
    "3h": (180, MINUTE),
    "24h": (24, HOUR),
    "7d": (168, HOUR),
}
"""How many steps each has, and how long a step is."""
SECONDS: Final = 1.0
COUNTED: Final = 10_000
"""Where counting ends."""
OVERDUE_AFTER: Final = timedelta(seconds=1)
"""A job that is launched within this time after its instant is on time, and the lateness budget is the same."""


class OverviewOf(Struct, frozen=True):
    """What one user, or all users together, had within a window, and have now."""

    now: datetime
    window: Window
    steps: Sequence[ActivityRow]
    """One for each step, oldest first."""
    total: ActivityRow
    due: DueNow | None
    """None for all users together."""
    oldest_due: datetime | None
    in_flight: InFlight
    jobs: dict[JobState, int]
    blocked_lanes: int
    broken_hosts: int


Due = Callable[[int, datetime, int], Awaitable[DueNow]]
"""Reads the due jobs of a user, before an instant, each count up to a bound: `DueJobs.of`."""


class Overview:
    """Reads overviews. Callers that ask for the same one within a second share it."""

    def __init__(
        self,
        store: ActivitySums,
        due: Due,
        insight: InsightService,
        dead: DeadLetterService,
        breakers: BreakerService,
        census: Census | None,
        clock: Clock,
    ) -> None:
        self._store, self._due, self._insight = store, due, insight
        self._dead, self._breakers = dead, breakers
        self._census, self._clock = census, clock
        self._known = BriefCache(self._read, clock, seconds=SECONDS, most=1000)

    async def of(self, user_id: int, window: Window) -> OverviewOf:
        """Returns the overview of a user, or of all users together (`EVERYBODY`)."""
        return await self._known.of((user_id, window))

    async def _read(self, key: tuple[int, Window]) -> OverviewOf:
        user_id, window = key
        now = self._clock.now()
        steps = await self.steps(user_id, *WINDOWS[window], now)
        read = self._of_all if user_id == EVERYBODY else self._of_user
        due, oldest_due, in_flight, jobs, blocked, broken = await read(user_id, now)
        total = plus(steps, user_id, WINDOWS[window][1], steps[0].at)
        return OverviewOf(now, window, steps, total, due, oldest_due, in_flight, jobs, blocked, broken)

    async def steps(self, user_id: int, number: int, span: int, now: datetime) -> list[ActivityRow]:
        """Returns the sums of the last steps, the present one included; a step without jobs has zeros."""
        last = start_of(now, span)
        first = last - timedelta(seconds=span * (number - 1))
        return await self.between(user_id, span, first, last + timedelta(seconds=span))

    async def between(self, user_id: int, span: int, first: datetime, until: datetime) -> list[ActivityRow]:
        """Returns the sums of all steps from one instant to another."""
        found = {row.at: row for row in await self._store.read(user_id, span, first, until)}
        number = int((until - first).total_seconds()) // span
        starts = [first + timedelta(seconds=span * step) for step in range(number)]
        return [found.get(at) or ActivityRow(user_id, span, at) for at in starts]

    async def _of_user(
        self, user_id: int, now: datetime
    ) -> tuple[DueNow | None, datetime | None, InFlight, dict[JobState, int], int, int]:
        due, in_flight, jobs, blocked, broken = await asyncio.gather(
            self._due(user_id, now - OVERDUE_AFTER, COUNTED),
            self._store.in_flight(user_id),
            self._insight.stats(user_id),
            self._dead.blocked_lanes(user_id),
            self._breakers.list(user_id),
        )
        return due, due.oldest_due, in_flight, jobs, blocked, len(broken)

    async def _of_all(
        self, _user_id: int, now: datetime
    ) -> tuple[DueNow | None, datetime | None, InFlight, dict[JobState, int], int, int]:
        in_flight, totals, blocked, broken = await asyncio.gather(
            self._store.in_flight(None),
            self._store.totals(),
            self._store.blocked_lanes(COUNTED),
            self._breakers.list(None),
        )
        nodes = [] if self._census is None else await self._census.nodes()
        oldest = min((node.oldest_due for node in nodes if node.oldest_due), default=None)
        if oldest is not None and oldest > now - OVERDUE_AFTER:
            oldest = None
        jobs = {JobState(state): count for state, count in totals.items()}
        waiting = jobs.get(JobState.CREATED, 0) - in_flight.running - in_flight.queued - blocked
        jobs |= {
            JobState.CREATED: max(0, waiting),
            JobState.RUNNING: in_flight.running,
            JobState.QUEUED: in_flight.queued,
            JobState.DEAD: jobs.get(JobState.DEAD, 0) + blocked,
        }
        return None, oldest, in_flight, jobs, blocked, len(broken)
