"""Look-ups that are kept for a moment. Callers that want the same key at the same time share one look-up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

from duetime.clock.port import Clock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BriefCache(Generic[K, V]):
    """Answers by key, each at most `seconds` old when it is returned."""

    def __init__(
        self, look: Callable[[K], Coroutine[Any, Any, V]], clock: Clock, *, seconds: float, most: int = 10_000
    ) -> None:
        self._look, self._clock, self._seconds, self._most = look, clock, seconds, most
        self._known: dict[K, tuple[float, V]] = {}
        self._under_way: dict[K, asyncio.Task[V]] = {}

    async def of(self, key: K) -> V:
        """Returns the answer for a key. Callers that ask while it is being looked up wait for the same look-up."""
        known = self._known.get(key)
        if known is not None and self._clock.monotonic() < known[0]:
            return known[1]
        task = self._under_way.get(key)
        if task is None:
            task = self._under_way[key] = asyncio.get_running_loop().create_task(self._look_up(key))
            task.add_done_callback(_retrieve_error)
        # The cancellation of one caller must not cancel the look-up for the others.
        return await asyncio.shield(task)

    def known(self, key: K) -> V | None:
        """Returns the answer for a key if it is known. Callers for each request ask this first: it is no coroutine."""
        known = self._known.get(key)
        return known[1] if known is not None and self._clock.monotonic() < known[0] else None

    def forget(self, key: K) -> None:
        """Forget a key whose answer has changed. Later callers get neither the known answer nor one under way."""
        self._known.pop(key, None)
        self._under_way.pop(key, None)

    async def _look_up(self, key: K) -> V:
        until, task = self._clock.monotonic() + self._seconds, asyncio.current_task()
        try:
            answer = await self._look(key)
            if self._under_way.get(key) is task:
                if len(self._known) >= self._most:
                    self._known.clear()
                self._known[key] = (until, answer)
            return answer
        finally:
            if self._under_way.get(key) is task:
                del self._under_way[key]


def _retrieve_error(task: asyncio.Task[Any]) -> None:
    """Retrieve an error, which is for the callers that wait: asyncio must not log it if none is left."""
    if not task.cancelled():
        task.exception()
