"""The slots of a worker process: how many functions run at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Slots:
    """Counts functions that run. A thread that cannot be stopped keeps its slot until its function returns."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0
        self._freed = asyncio.Event()

    def free(self) -> None:
        """A function has ended."""
        self.used -= 1
        self._freed.set()

    async def some(self, unsettled: Callable[[], int]) -> int:
        """Waits for a free slot. Returns how many there are, fewer while the server has many outcomes to record."""
        while (free := self.total - self.used - max(0, unsettled() - self.total)) <= 0:
            self._freed.clear()
            try:
                await asyncio.wait_for(self._freed.wait(), 0.05 if self.used < self.total else None)
            except TimeoutError:
                continue
        return free
