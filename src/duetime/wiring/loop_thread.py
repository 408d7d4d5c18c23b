"""An event loop in a thread: for parts that run beside a program's own code."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")


class LoopThread:
    """A daemon thread with an event loop. Threads give it coroutines to run."""

    def __init__(self, name: str) -> None:
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Runs a coroutine. Returns its result."""
        return self.start(work).result(seconds)

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Starts a coroutine. Returns its future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, what: Callable[[], object]) -> None:
        """Calls something in the loop, soon."""
        self._loop.call_soon_threadsafe(what)

    def close(self) -> None:
        """Ends the loop and the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


def in_thread(work: Callable[[], T]) -> T:
    """Runs blocking code in a thread of its own, so that it can have an event loop. Returns its result."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=run, name="duetime-start", daemon=True).start()
    return answer.result()
