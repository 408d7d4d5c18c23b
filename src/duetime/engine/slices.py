"""Slices: long computations let other tasks run after every few milliseconds, so that the event loop is never held."""

from __future__ import annotations

from typing import TypeVar

from duetime.clock.port import Clock
from duetime.timing.slices import Steps

T = TypeVar("T")
LONGEST = 0.005
"""Seconds of work after which other tasks get the event loop."""


class Slices:
    """The slices of one piece of work. It begins when this object is made."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = clock.monotonic() + LONGEST

    async def pause(self) -> None:
        """Let other tasks run if this work has run for long enough."""
        if self._clock.monotonic() >= self._until:
            await self._clock.sleep(0)
            self._until = self._clock.monotonic() + LONGEST

    async def finish(self, steps: Steps[T]) -> T:
        """Returns the result of a computation."""
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value
            await self.pause()
