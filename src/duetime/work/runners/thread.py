"""Runs blocking functions in threads of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any

from ..context import current_context
from ..outcomes import Ending
from ..worker.attempt import Attempt


class ThreadRunner:
    """Daemon threads, started when they are needed: as many as there are runs at the same time."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[Attempt | None] = SimpleQueue()
        self._idle, self._threads = 0, 0
        self._ended: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._lock = threading.Lock()

    def start(self, attempt: Attempt) -> None:
        """Gives a run to an idle thread, or starts one."""
        self._waiting.put(attempt)
        if self._idle > 0:
            self._idle -= 1
            return
        self._threads += 1
        threading.Thread(target=self._work, name=f"duetime-task-{self._threads}", daemon=True).start()

    def interrupt(self, attempt: Attempt, reason: Ending) -> None:
        """Ends the run for the worker. The function goes on until it calls `Context.progress` or returns."""
        attempt.stop(reason)
        attempt.fail(reason)

    async def close(self) -> None:
        """Lets the threads end after the functions that they are in."""
        for _ in range(self._threads):
            self._waiting.put(None)

    def _work(self) -> None:
        while (attempt := self._waiting.get()) is not None:
            copy_context().run(self._carry_out, attempt)

    def _carry_out(self, attempt: Attempt) -> None:
        current_context.set(attempt.context)
        signature = attempt.task.signature
        try:
            args, kwargs = signature.call(attempt.run.message)
            if signature.wants_context:
                args = (attempt.context, *args)
            result = signature.result(attempt.task.function(*args, **kwargs))
        except BaseException as error:  # whatever a function raises is its outcome, SystemExit too
            self._report(attempt.fail, error)
        else:
            self._report(attempt.succeed, result)
        self._report(self._free, attempt)

    def _free(self, attempt: Attempt) -> None:
        self._idle += 1
        attempt.free()

    def _report(self, what: Callable[..., None], *args: Any) -> None:
        """Calls something in the event loop. Many reports wake it once."""
        with self._lock:
            self._ended.append((what, args))
            first = len(self._ended) == 1
        if first and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        with self._lock:
            ended, self._ended = self._ended, []
        for what, args in ended:
            what(*args)
