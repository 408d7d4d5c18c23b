"""The one module in which tests wait for a condition, with a limit."""

from __future__ import annotations

import asyncio
import inspect
import os
import select
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def eventually(condition: Callable[[], T | Awaitable[T]], seconds: float = 10.0, every: float = 0.02) -> T:
    """Ask until the answer is truthy. Returns it, or raises an `AssertionError` with the last answer when time is up.

    The condition may be a coroutine function; an `AssertionError` in it counts as "not yet".
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while True:
        last: object
        try:
            found = condition()
            last = await found if inspect.isawaitable(found) else found
            if last:
                return last  # type: ignore[return-value]
        except AssertionError as error:
            last = error
        if loop.time() >= deadline:
            raise AssertionError(f"not so within {seconds:g} s; the last answer: {str(last)[:2000]}")
        turned = loop.create_future()
        timer = loop.call_later(every, turned.set_result, None)
        try:
            await turned
        finally:
            timer.cancel()


def wait_for_end(pid: int, seconds: float) -> bool:
    """Wait for the end of any process, woken by the kernel. Returns whether it ended in time."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)
