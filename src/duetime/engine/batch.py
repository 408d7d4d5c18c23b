"""Natural batching: while one batch is being written, the next one gathers. No artificial delay."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class NaturalBatch(Generic[T]):
    """Gathers items and passes them to `flush`, at most `width` batches at a time.

    While whole batches wait, up to `deep` are under way: when each takes long to commit, it is their number that sets
    the rate.

    `flush` must not raise: it answers its items itself, with success or an error. A batch holds at most `limit` items;
    with `size`, items whose sizes add up to at most `limit`, or a single larger one.
    """

    def __init__(
        self,
        flush: Callable[[list[T]], Awaitable[None]],
        *,
        limit: Callable[[], int],
        width: Callable[[], int],
        deep: Callable[[], int] | None = None,
        size: Callable[[T], int] | None = None,
    ) -> None:
        self._flush, self._limit, self._width, self._size = flush, limit, width, size
        self._deep = deep or width
        self._waiting: deque[T] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._scheduled = False

    def put(self, *items: T) -> None:
        """Add items to the next batch."""
        self._waiting.extend(items)
        self._start_soon()

    def __len__(self) -> int:
        """Returns how many items wait, without those in a batch under way."""
        return len(self._waiting)

    async def drain(self) -> None:
        """Wait until no item waits and no batch is under way."""
        while self._waiting or self._under_way or self._scheduled:
            if self._under_way:
                await asyncio.wait(self._under_way)
            else:
                loop = asyncio.get_running_loop()
                iterated = loop.create_future()
                loop.call_soon(iterated.set_result, None)
                await iterated

    def _start_soon(self) -> None:
        if not self._scheduled and self._may_start():
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._start)

    def _start(self) -> None:
        self._scheduled = False
        while self._waiting and self._may_start():
            task = asyncio.get_running_loop().create_task(self._run(self._next_batch()))
            self._under_way.add(task)
            task.add_done_callback(self._done)

    def _may_start(self) -> bool:
        under_way = len(self._under_way)
        return under_way < self._width() or (under_way < self._deep() and len(self._waiting) >= self._limit())

    def _next_batch(self) -> list[T]:
        waiting, size = self._waiting, self._size
        if size is None:
            return [waiting.popleft() for _ in range(min(self._limit(), len(waiting)))]
        batch = [waiting.popleft()]
        room = self._limit() - size(batch[0])
        while waiting and (room := room - size(waiting[0])) >= 0:
            batch.append(waiting.popleft())
        return batch

    async def _run(self, batch: list[T]) -> None:
        await self._flush(batch)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.result()
        self._start()
