"""Threads for parts that run beside a program's own code: with an event loop, or for blocking calls."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
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


class CallThread:
    """A daemon thread that runs blocking code, one call after the other.

    The kernel ends an embedded database with the thread that started it, so this thread stays until it is closed.
    """

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def run(self, work: Callable[[], T]) -> T:
        """Runs something in the thread. Returns its result."""
        answer: Future[T] = Future()

        def call() -> None:
            try:
                answer.set_result(work())
            except BaseException as error:
                answer.set_exception(error)

        self._calls.put(call)
        return answer.result()

    def close(self) -> None:
        """Ends the thread."""
        self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
