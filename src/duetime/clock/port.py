"""The contract of a clock."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time of the database, which is the time of the system, and waits for it.

    Obligations:
    - `now()` is aware, UTC, and never ahead of the database's clock: what is due by it is due there.
    - `now()` costs no I/O; it follows a monotonic source between measurements, so that a stepped or
      skewed wall clock of this node changes nothing.
    - Waiting returns at or after the asked instant, never before it.
    """

    def now(self) -> datetime:
        """The present instant."""
        ...

    def monotonic(self) -> float:
        """Seconds on a source that only goes forward; for durations within this process."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for a duration."""
        ...

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Wait for a signal, but not past an instant; whether the signal came. Leaves it set."""
        ...
