"""Slices: long computations let other tasks run after every few milliseconds, so that the event loop is never held.

The scheduler's own work takes slices as it needs them. The work of requests is bounded in all: one request after the
other gets a short slice, however many requests there are. So a launch waits for one slice of one request, not for one
of each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from duetime.clock.port import Clock
from duetime.timing.slices import Steps

T = TypeVar("T")
LONGEST = 0.005
"""Seconds of the scheduler's own work after which other tasks get the event loop."""
LONGEST_OF_REQUEST = 0.001
FREED_AT_ONCE = 100
REST = 4
"""Iterations of the event loop between two slices of requests. One takes some ten microseconds."""


class Slices:
    """The slices of one piece of the scheduler's own work. It begins when this object is made."""

    def __init__(self, clock: Clock, longest: float | None = None) -> None:
        self._clock, self._longest = clock, LONGEST if longest is None else longest
        self._until = clock.monotonic() + self._longest

    async def pause(self) -> None:
        """Let other tasks run if this work has run for long enough."""
        if self._clock.monotonic() >= self._until:
            await self._give_way()
            self._until = self._clock.monotonic() + self._longest

    async def _give_way(self) -> None:
        await self._clock.sleep(0)

    async def finish(self, steps: Steps[T]) -> T:
        """Returns the result of a computation."""
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value
            await self.pause()


class RequestSlices(Slices):
    """The slices of one request's work. Even the first waits for its turn."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock, LONGEST_OF_REQUEST)
        self._until = clock.monotonic()

    async def free(self, items: list[Any]) -> None:
        """Empty a list that nothing needs any more. To free thousands of large items at once takes milliseconds."""
        while items:
            del items[-FREED_AT_ONCE:]
            await self.pause()

    async def _give_way(self) -> None:
        await _slices_of(asyncio.get_running_loop()).next()


class _SlicesInOrder:
    """Lets the requests that wait go on in the order of their coming, one in every few iterations of an event loop.

    A launch takes several iterations: a timer fires, a batch gathers, a statement is sent. Iterations without a slice
    between those with one let it take them one right after the other.
    """

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_giving = False

    def next(self) -> asyncio.Future[None]:
        """Returns what is done when the caller may go on."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._is_giving:
            self._is_giving = True
            loop.call_soon(self._give)
        return turn

    def _give(self, rest: int = 0) -> None:
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        if not rest and not self._waiting:
            self._is_giving = False
            return
        if not rest:
            self._waiting.popleft().set_result(None)
            rest = REST + 1
        asyncio.get_running_loop().call_soon(self._give, rest - 1)


_shared: WeakKeyDictionary[asyncio.AbstractEventLoop, _SlicesInOrder] = WeakKeyDictionary()
"""Requests share what an event loop can do, whichever part of the program works for them."""


def _slices_of(loop: asyncio.AbstractEventLoop) -> _SlicesInOrder:
    slices = _shared.get(loop)
    if slices is None:
        slices = _shared[loop] = _SlicesInOrder()
    return slices
