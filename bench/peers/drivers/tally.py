"""Reports for a driver's worker how many tasks this process ran, and when the first and the last."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

EVERY = 0.05
CHUNK = 10_000


class Tally:
    """Counts tasks. A thread prints the count, because workers fork and have different event loops."""

    def __init__(self) -> None:
        self._pid, self._n, self._first, self._last = 0, 0, 0.0, 0.0
        self._begun = 0.0

    def begin(self) -> None:
        """Starts the time now, for a worker that prepares all tasks before it runs the first."""
        self._begun = time.time()

    def done(self, *_: Any, **__: Any) -> None:
        """Counts one task."""
        self._last = time.time()
        if self._pid != os.getpid():
            self._pid, self._n, self._first = os.getpid(), 0, self._begun or self._last
            threading.Thread(target=self._report, daemon=True).start()
        self._n += 1

    def _report(self) -> None:
        told = 0
        while True:
            if self._n != told:
                told = self._n
                line = json.dumps([self._pid, told, self._first, self._last]) + "\n"
                os.write(1, line.encode())
            time.sleep(EVERY)


def argument(number: int) -> int:
    """Returns a number from the command line; 1 if it is missing."""
    return int(sys.argv[number]) if number < len(sys.argv) else 1


async def each(count: int, width: int, one: Callable[[], Awaitable[object]]) -> None:
    """Awaits `one` for `count` times, `width` at a time."""
    left = iter(range(count))

    async def some() -> None:
        for _ in left:
            await one()

    await asyncio.gather(*(some() for _ in range(width)))


async def chunks(count: int, width: int, add: Callable[[int], Awaitable[object]]) -> None:
    """Enqueues `count` jobs in calls of ten thousand, as Duetime's are, `width` calls at a time."""
    sizes = iter([min(CHUNK, count - at) for at in range(0, count, CHUNK)])
    await each(-(-count // CHUNK), width, lambda: add(next(sizes)))


def timed(seconds: float) -> None:
    """Prints how long an action took."""
    print(seconds, flush=True)
