"""What was looked up lately: kept for a moment, and asked for once however many wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from duetime.clock.port import Clock

V = TypeVar("V")


class BriefCache(Generic[V]):
    """Answers by key, each at most so many seconds old when it is given."""

    def __init__(
        self, look: Callable[[int], Coroutine[Any, Any, V]], clock: Clock, *, seconds: float, most: int = 10_000
    ) -> None:
        self._look, self._clock, self._seconds, self._most = look, clock, seconds, most
        self._known: dict[int, tuple[float, V]] = {}
        self._asked: dict[int, asyncio.Task[V]] = {}

    async def of(self, key: int) -> V:
        """The answer for a key. Who comes while it is being looked up waits for the same."""
        known = self._known.get(key)
        if known is not None and self._clock.monotonic() < known[0]:
            return known[1]
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = asyncio.get_running_loop().create_task(self._ask(key))
            asked.add_done_callback(_heard)
        # One caller that goes away must not take the answer from the others.
        return await asyncio.shield(asked)

    def forget(self, key: int) -> None:
        """It is otherwise now: what is known, or on its way, is not to be used by who asks from here on."""
        self._known.pop(key, None)
        self._asked.pop(key, None)

    async def _ask(self, key: int) -> V:
        until, task = self._clock.monotonic() + self._seconds, asyncio.current_task()
        try:
            answer = await self._look(key)
            if self._asked.get(key) is task:
                if len(self._known) >= self._most:
                    self._known.clear()
                self._known[key] = (until, answer)
            return answer
        finally:
            if self._asked.get(key) is task:
                del self._asked[key]


def _heard(task: asyncio.Task[Any]) -> None:
    """An error is for those who wait, if any still do."""
    if not task.cancelled():
        task.exception()
