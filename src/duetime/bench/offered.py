"""Offers jobs at a fixed rate, by the clock, whether or not the earlier ones have ended."""

from __future__ import annotations

import asyncio
import time

from msgspec import Struct

from duetime.bench.api import ApiLoad
from duetime.bench.feed import CHUNK, Bodies, bulk, same
from duetime.bench.percentiles import slope
from duetime.bench.server import Server

TICK = 0.2
WIDTH = 4
GROWN = 0.5
"""How many seconds' worth of jobs the backlog may grow by: calls and measurements both come in steps."""


class OfferedRate(Struct, frozen=True):
    """What happened at an offered rate."""

    rate: float
    """Acknowledged jobs per second."""
    sent: int
    sent_in_all: int
    """How many finished jobs the user has once all of these have ended."""
    late: float
    """How many seconds after its time the last call was sent."""
    growth: float
    backlog: float
    backlogs: list[tuple[float, float]]
    python_cpu: float
    postgres_cpu: float
    rss: float
    offered: float
    seconds: float

    @property
    def why(self) -> str:
        """Why Duetime does not hold the rate; empty if it does."""
        if self.late > 1.0:
            return f"calls were not accepted in time: the last one was sent {self.late:.1f} s late."
        if self.growth * self.seconds > GROWN * self.offered:
            return f"the backlog grew by {self.growth:,.0f} jobs per second."
        if self.backlog > 2 * self.offered:
            return f"{self.backlog:,.0f} jobs were waiting at the end."
        return ""

    @property
    def holds(self) -> bool:
        """Whether calls were accepted in time and the backlog did not grow."""
        return not self.why


async def offered(
    server: Server, api: ApiLoad, rate: float, seconds: float, bodies: Bodies = same, *, waiting_before: int = 0
) -> OfferedRate:
    """Offers jobs that are due at once, at this rate, for `seconds`. `bodies(count)` returns the body of a call.

    `waiting_before`: how many jobs of the user wait already.
    """
    before, used = await api.finished(), server.usage()
    tick = min(TICK, CHUNK / rate)
    size = round(rate * tick)
    feeder = _Feeder(api, bodies(size), size, tick, round(seconds / tick))
    backlogs: list[tuple[float, float]] = []
    start = time.monotonic()
    feeding = asyncio.create_task(feeder.run(start))
    while not feeding.done():
        await asyncio.wait({feeding}, timeout=max(0.25, min(1.0, seconds / 10)))
        waiting = waiting_before + feeder.acknowledged - (await api.finished() - before)
        backlogs.append((time.monotonic() - start, float(max(waiting, 0))))
    await feeding
    took, after = time.monotonic() - start, server.usage()
    settled = [point for point in backlogs if point[0] > seconds * 0.25]
    return OfferedRate(
        rate=feeder.acknowledged / max(took, seconds),
        sent=feeder.acknowledged,
        sent_in_all=before + waiting_before + feeder.acknowledged,
        late=feeder.late,
        growth=slope(settled),
        backlog=backlogs[-1][1],
        backlogs=backlogs,
        python_cpu=after.python_cpu - used.python_cpu,
        postgres_cpu=after.postgres_cpu - used.postgres_cpu,
        rss=after.python_rss,
        offered=rate,
        seconds=seconds,
    )


class _Feeder:
    """Several connections, each of which sends the next call when it is free."""

    def __init__(self, api: ApiLoad, body: bytes, size: int, tick: float, ticks: int) -> None:
        self._api, self._body, self._size, self._tick = api, body, size, tick
        self._ticks = iter(range(ticks))
        self.acknowledged = 0
        self.late = 0.0

    async def run(self, start: float) -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(WIDTH):
                group.create_task(self._work(self._api.twin(), start))

    async def _work(self, own: ApiLoad, start: float) -> None:
        try:
            for tick in self._ticks:
                at = start + tick * self._tick
                await asyncio.sleep(max(0.0, at - time.monotonic()))
                self.late = time.monotonic() - at
                await bulk(own, self._body)
                self.acknowledged += self._size
        finally:
            own.close()
