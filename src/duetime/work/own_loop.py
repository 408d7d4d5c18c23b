"""An event loop in a thread, for programs that have none."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class OwnLoop:
    """Runs coroutines in a daemon thread, which starts at the first use; after a fork, again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def run(self, work: Awaitable[T]) -> T:
        """Runs a coroutine. Returns its result."""
        loop = self._started()

        async def awaited() -> T:
            return await work

        future = asyncio.run_coroutine_threadsafe(awaited(), loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=self._loop.run_forever, name="duetime-app", daemon=True).start()
            return self._loop
