"""The clock of a real node: the database's time, carried forward by this machine's monotonic clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SAMPLES = 5
TRUSTED_FOR = 60.0
DRIFT = 2e-4
"""How much faster than the database's clock this machine's clock may run; real clocks differ by less."""
HELD = 1.0
"""In seconds. A smaller step back is an inexact measurement; a larger one means that the database's clock was set."""


class SystemClock:
    """Measures the database's clock and follows it.

    A sample takes a monotonic reading before and after the database's answer. The answer is assigned to the
    *later* reading. The error is at most the round trip, and only into the past: a job can launch a fraction
    of a millisecond late, and never early. The sample with the shortest round trip is used. Clocks drift, so
    measurements are repeated; between them `now()` runs slightly slower than this machine's clock, so that
    drift too errs into the past. A less exact measurement does not turn time back: the clock stands still
    until the database's clock has caught up, so that a due job stays due.
    """

    def __init__(self, ask_database: Callable[[], Awaitable[datetime]]) -> None:
        self._ask_database = ask_database
        self._offset = 0.0
        self._latest = 0.0
        self._measured_at: float | None = None
        self.error = 0.0
        """The round trip of the sample in use: how far behind the database `now()` may be."""

    async def measure(self) -> None:
        """Measure the offset to the database's clock."""
        samples: list[tuple[float, float]] = []
        for _ in range(SAMPLES):
            before = time.monotonic()
            there = await self._ask_database()
            after = time.monotonic()
            samples.append((after - before, (there - _EPOCH) / timedelta(seconds=1) - after))
        self.error, self._offset = min(samples)
        self._measured_at = time.monotonic()

    @property
    def trusted(self) -> bool:
        """Whether the last measurement is recent enough."""
        return self._measured_at is not None and time.monotonic() - self._measured_at < TRUSTED_FOR

    @property
    def skew(self) -> float:
        """Seconds by which this machine's wall clock is ahead of the database's; for reports only."""
        return time.time() - (time.monotonic() + self._offset)

    def now(self) -> datetime:
        """The present instant by the database's clock."""
        at = time.monotonic()
        there = at + self._offset
        if self._measured_at is not None:
            there -= DRIFT * (at - self._measured_at)
        if there < self._latest < there + HELD:
            there = self._latest
        self._latest = there
        return _EPOCH + timedelta(seconds=there)

    def monotonic(self) -> float:
        """Seconds on this machine's monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for a duration."""
        await asyncio.sleep(seconds)

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Wait for a signal, but not past an instant. Returns whether the signal came."""
        if signal.is_set() or until is None:
            return await signal.wait()
        seconds = (until - self.now()).total_seconds()
        if seconds <= 0:
            await asyncio.sleep(0)
            return signal.is_set()
        try:
            async with asyncio.timeout(seconds):
                await signal.wait()
        except TimeoutError:
            while (left := (until - self.now()).total_seconds()) > 0:
                await asyncio.sleep(left)
        return signal.is_set()
