"""A node's clock in the simulation: a monotonic clock with a measured offset to the store's, as on a real node."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from duetime.clock.system import SAMPLES, SystemClock
from simulation.loop import VirtualLoop

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""The store's clock at the beginning of every world."""


def store_time(loop: VirtualLoop) -> datetime:
    """The store's clock, which is the time of the system."""
    return EPOCH + timedelta(seconds=loop.time())


class SkewedClock(SystemClock):
    """A clock that starts at any value and runs up to some percent slow, at a rate that can change.

    It is slow, not fast, because a clock must never be ahead of the store's; a real node ensures that with frequent
    measurements. A slow clock is also the dangerous one for leases.
    """

    def __init__(
        self, loop: VirtualLoop, ask_database: Callable[[], Awaitable[datetime]], start: float, rate: float
    ) -> None:
        super().__init__(ask_database)
        self._loop = loop
        self._since, self._base, self._rate = loop.time(), start, rate

    def run_at(self, rate: float) -> None:
        """Change the rate from now on."""
        self._base, self._since, self._rate = self.monotonic(), self._loop.time(), rate

    def monotonic(self) -> float:
        """Seconds on this node's own source."""
        return self._base + (self._loop.time() - self._since) * self._rate

    async def measure(self) -> None:
        """Measure the offset to the store's clock."""
        samples: list[tuple[float, float]] = []
        for _ in range(SAMPLES):
            before = self.monotonic()
            there = await self._ask_database()
            after = self.monotonic()
            samples.append((after - before, (there - EPOCH) / timedelta(seconds=1) - after))
        self.error, self._offset = min(samples)
        self._measured_at = after

    def now(self) -> datetime:
        """The present instant by the store's clock, or a little before it."""
        return EPOCH + timedelta(seconds=self.monotonic() + self._offset)

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Wait for a signal, but not past an instant: as a real node does, on this node's own seconds."""
        if signal.is_set() or until is None:
            return await signal.wait()
        waiter = self._loop.create_task(signal.wait())
        while not waiter.done() and (left := (until - self.now()).total_seconds()) > 0:
            await asyncio.wait({waiter}, timeout=left / self._rate + 1e-6)
        waiter.cancel()
        return signal.is_set()
