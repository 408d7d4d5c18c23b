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
"""How much faster than the database's clock this machine's may run: more than crystals differ by."""
HELD = 1.0
"""A step back by less than this is a worse measurement of the same clock; by more, the database's clock was set."""


class SystemClock:
    """Measures the database's clock and follows it.

    One sample brackets the database's answer between two monotonic readings. Taking the answer as
    made at the *later* reading errs by at most the round trip, and only into the past: a job can be
    launched a fraction of a millisecond late, and never early. The sample with the shortest round
    trip wins; measurements are repeated, because clocks drift, and between them time is taken to pass a
    little slower than it does here, so that drift too errs into the past. A measurement that errs further than the
    one before does not take time back: the clock stands until it is caught up with, so that what was due
    stays due.
    """

    def __init__(self, ask_database: Callable[[], Awaitable[datetime]]) -> None:
        self._ask_database = ask_database
        self._offset = 0.0
        self._latest = 0.0
        self._measured_at: float | None = None
        self.error = 0.0
        """The round trip of the sample in use: how far behind the database `now()` may be."""

    async def measure(self) -> None:
        """Measure the offset to the database's clock anew."""
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
        """Whether the offset was measured recently enough to go by."""
        return self._measured_at is not None and time.monotonic() - self._measured_at < TRUSTED_FOR

    @property
    def skew(self) -> float:
        """Seconds by which this machine's wall clock is ahead of the database's; nothing but people go by it."""
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
        """Wait for a signal, but not past an instant."""
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
