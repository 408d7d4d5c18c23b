"""Natural batching: while one batch is on its way to the disk, the next one gathers. No artificial delay."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class NaturalBatch(Generic[T]):
    """Hands what gathered to `flush`, at most `width` batches at a time.

    `flush` must not raise: it answers its items, good or bad, by itself. A batch holds at most `limit` items, or
    items whose sizes come to that much.
    """

    def __init__(
        self,
        flush: Callable[[list[T]], Awaitable[None]],
        *,
        limit: Callable[[], int],
        width: Callable[[], int],
        size: Callable[[T], int] | None = None,
    ) -> None:
        self._flush, self._limit, self._width, self._size = flush, limit, width, size
        self._waiting: deque[T] = deque()
        self._flights: set[asyncio.Task[None]] = set()
        self._scheduled = False

    def put(self, *items: T) -> None:
        """Add items to what gathers."""
        self._waiting.extend(items)
        self._soon()

    def __len__(self) -> int:
        """How many items wait, not counting those on their way."""
        return len(self._waiting)

    async def drain(self) -> None:
        """Wait until nothing waits and nothing is on its way."""
        while self._waiting or self._flights or self._scheduled:
            if self._flights:
                await asyncio.wait(self._flights)
            else:
                loop = asyncio.get_running_loop()
                turned = loop.create_future()
                loop.call_soon(turned.set_result, None)
                await turned

    def _soon(self) -> None:
        if not self._scheduled and len(self._flights) < self._width():
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._start)

    def _start(self) -> None:
        self._scheduled = False
        while self._waiting and len(self._flights) < self._width():
            flight = asyncio.get_running_loop().create_task(self._fly(self._next_batch()))
            self._flights.add(flight)
            flight.add_done_callback(self._landed)

    def _next_batch(self) -> list[T]:
        waiting, size = self._waiting, self._size
        if size is None:
            return [waiting.popleft() for _ in range(min(self._limit(), len(waiting)))]
        taken = [waiting.popleft()]
        room = self._limit() - size(taken[0])
        while waiting and (room := room - size(waiting[0])) >= 0:
            taken.append(waiting.popleft())
        return taken

    async def _fly(self, batch: list[T]) -> None:
        await self._flush(batch)

    def _landed(self, flight: asyncio.Task[None]) -> None:
        self._flights.discard(flight)
        if not flight.cancelled():
            flight.result()
        self._start()
