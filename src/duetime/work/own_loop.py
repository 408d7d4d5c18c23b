"""An event loop in a thread, for programs that have none."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")
CLOSE_SECONDS = 2.0


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
                thread = threading.Thread(target=_run, args=(self._loop,), name="duetime-app", daemon=True)
                thread.start()
                atexit.register(_end, self._loop, thread)
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    """Closes the connections that the loop has open, when the program ends."""
    if thread.is_alive():
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)
