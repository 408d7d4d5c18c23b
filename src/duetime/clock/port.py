"""The contract of a clock."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The database's clock, which is the one time of the whole system, and waiting by it.

    Obligations:
    - `now()` is aware, UTC, and never ahead of the database's clock: a job that is due by it is due there too.
    - `now()` costs no I/O; it follows a monotonic source between measurements, so that a stepped or
      skewed wall clock of this node has no effect.
    - Waiting returns at or after the asked instant, never before it.
    """

    def now(self) -> datetime:
        """The present instant."""
        ...

    def monotonic(self) -> float:
        """Seconds on a clock that only goes forward; for durations within this process."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for a duration."""
        ...

    async def wait(self, signal: asyncio.Event, until: datetime | None) -> bool:
        """Wait for a signal, but not past an instant. Returns whether the signal came, and leaves it set."""
        ...
