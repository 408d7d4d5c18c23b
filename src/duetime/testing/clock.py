"""The clock of a node in a test: instants stand still until the test advances them, durations are real."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime

from duetime.clock.manual import ManualClock
from duetime.clock.system import SystemClock


async def _unasked() -> datetime:
    raise NotImplementedError("the clock of a test follows no database")


class AdvancedClock(SystemClock):
    """A node's clock that a test advances. Leases and beats go on in real time."""

    def __init__(self, start: datetime) -> None:
        super().__init__(_unasked)
        self._manual = ManualClock(start)

    async def measure(self) -> None:
        """There is nothing to measure."""

    @property
    def trusted(self) -> bool:
        """A clock that stands still is exact."""
        return True

    @property
    def skew(self) -> float:
        """The test's clock is not this machine's, and no report should say so."""
        return 0.0

    def now(self) -> datetime:
        """The instant that the clock was last advanced to."""
        return self._manual.now()

    def monotonic(self) -> float:
        """Real seconds."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits for real time: nodes sleep to pause, and never for an instant."""
        await asyncio.sleep(seconds)

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Waits for a signal, but not past an instant that the test advances to."""
        return await self._manual.wait(signal, until)

    def advance_to(self, instant: datetime) -> None:
        """Advances to an instant. Called in the node's event loop."""
        self._manual.advance_to(instant)
