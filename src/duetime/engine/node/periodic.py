"""Periodic duties: one shell for every loop except the scheduler's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from duetime.clock.port import Clock
from duetime.model.errors import CoordinatorAway, StoreAway

log = structlog.get_logger()


class Periodic:
    """Calls `run_once` at an interval, or at once when nudged. A failure is logged, and the next call tries again."""

    def __init__(self, name: str, clock: Clock, every: float, run_once: Callable[[], Awaitable[object]]) -> None:
        self._name, self._clock, self._every, self._run_once = name, clock, timedelta(seconds=every), run_once
        self._nudge = asyncio.Event()
        self._stopping = False
        self.failing = False
        self.away: StoreAway | None = None
        """The error of the last call, if the store was away."""

    def nudge(self) -> None:
        """Call `run_once` without waiting for the interval."""
        self._nudge.set()

    async def run(self) -> None:
        """Run until stopped."""
        while not self._stopping:
            self._nudge.clear()
            try:
                await self._run_once()
                self.failing, self.away = False, None
            except StoreAway as error:
                if not self.failing and isinstance(error, CoordinatorAway):
                    log.warning("the coordinator is away", duty=self._name, why=error.message)
                elif not self.failing:
                    log.info("a duty waits for the database", duty=self._name, why=error.message)
                self.failing, self.away = True, error
            except Exception:
                log.exception("a duty failed", duty=self._name)
                self.failing, self.away = True, None
            await self._clock.wait(self._nudge, self._clock.now() + self._every)

    def stop(self) -> None:
        """Stop after the present call."""
        self._stopping = True
        self._nudge.set()
