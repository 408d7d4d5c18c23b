"""A clock that a test advances by hand. It is part of the package, so that users' tests can use it too."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from itertools import count

START = datetime(2026, 1, 1, tzinfo=UTC)


class ManualClock:
    """Stands still until it is advanced; then wakes the waiters whose instants are reached."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._start = start
        self._order = count()
        self._waiters: list[tuple[datetime, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        """The instant that the clock was last set to."""
        return self._now

    def monotonic(self) -> float:
        """Seconds since the clock's start."""
        return (self._now - self._start).total_seconds()

    def advance(self, by: timedelta | float) -> None:
        """Advance by a duration (or seconds)."""
        self.advance_to(self._now + (by if isinstance(by, timedelta) else timedelta(seconds=by)))

    def advance_to(self, instant: datetime) -> None:
        """Advance to an instant, and wake waiters in the order of their instants."""
        if instant < self._now:
            raise ValueError(f"the clock is at {self._now.isoformat()}, later than {instant.isoformat()}")
        self._now = instant
        while self._waiters and self._waiters[0][0] <= instant:
            _, _, waiter = heapq.heappop(self._waiters)
            if not waiter.done():
                waiter.set_result(None)

    @property
    def next_waiter(self) -> datetime | None:
        """The earliest instant that a waiter waits for."""
        while self._waiters and self._waiters[0][2].done():
            heapq.heappop(self._waiters)
        return self._waiters[0][0] if self._waiters else None

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been advanced by a duration."""
        await self._at(self._now + timedelta(seconds=seconds))

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Wait for a signal, but not past an instant. Returns whether the signal came."""
        if signal.is_set() or until is None:
            return await signal.wait()
        loop = asyncio.get_running_loop()
        waiter, timer = loop.create_task(signal.wait()), self._at(until)
        try:
            await asyncio.wait({waiter, timer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiter.cancel()
            timer.cancel()
        return signal.is_set()

    def _at(self, instant: datetime) -> asyncio.Future[None]:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if instant <= self._now:
            future.set_result(None)
        else:
            heapq.heappush(self._waiters, (instant, next(self._order), future))
        return future
