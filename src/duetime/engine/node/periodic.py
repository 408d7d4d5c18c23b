"""A duty that is done again and again: one shell for every loop that is not the scheduler's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from duetime.clock.port import Clock
from duetime.model.errors import StoreAway

log = structlog.get_logger()


class Periodic:
    """Calls `run_once` every so often, or at once when nudged. A failure is logged, and tried again."""

    def __init__(self, name: str, clock: Clock, every: float, run_once: Callable[[], Awaitable[object]]) -> None:
        self._name, self._clock, self._every, self._run_once = name, clock, timedelta(seconds=every), run_once
        self._nudge = asyncio.Event()
        self._stopping = False
        self.failing = False
        self.away: StoreAway | None = None
        """What was not there at the last try, if something was not."""

    def nudge(self) -> None:
        """Do it at once."""
        self._nudge.set()

    async def run(self) -> None:
        """Go on until stopped."""
        while not self._stopping:
            self._nudge.clear()
            try:
                await self._run_once()
                self.failing, self.away = False, None
            except StoreAway as error:
                if not self.failing:
                    log.warning("the database is away", duty=self._name, why=error.message)
                self.failing, self.away = True, error
            except Exception:
                log.exception("a duty failed", duty=self._name)
                self.failing, self.away = True, None
            await self._clock.wait(self._nudge, self._clock.now() + self._every)

    def stop(self) -> None:
        """Do it no more."""
        self._stopping = True
        self._nudge.set()
