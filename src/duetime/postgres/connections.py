"""Connections that are acquired and released: at most so many, opened when they are needed, kept while they last.

asyncpg's own pool does the same for 75 µs of processor time a statement, as much again as the statement itself
costs: it makes a task for acquiring a connection and another for releasing it (docs/decisions/0009-hot-path.md).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from duetime.model.errors import StoreAway

Connection = Any
"""asyncpg does not type it."""


class Connections:
    """The connections of one process to one server. The one released last is acquired first: it is warm."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int, patience: float) -> None:
        """`patience`: how many seconds an acquire may wait for a connection, new or released."""
        self._connect, self._size, self._patience = connect, size, patience
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self._opening = 0
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        """Callers that wait while none is idle, longest first: for a connection, or (None) for a right to open one."""
        self._closed = False
        self._released = asyncio.Event()

    async def acquire(self) -> Connection:
        """Returns a connection that no other caller uses; raises `TimeoutError` when none is free in time."""
        if self._closed:
            raise StoreAway
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                self._used.add(connection)
                return connection
        async with asyncio.timeout(self._patience):
            if len(self._used) + self._opening < self._size:
                self._opening += 1
                return await self._open()
            return await self._wait() or await self._open()

    def release(self, connection: Connection, *, fit: bool) -> None:
        """Let other callers use it; one that is not fit for that is terminated."""
        self._used.discard(connection)
        if fit and not connection.is_closed() and not connection.is_in_transaction():
            self._hand_on(connection)
        else:
            connection.terminate()
            self._hand_on(None)
        self._released.set()

    async def close(self, patience: float) -> None:
        """Close every connection, waiting a little for those in use."""
        self._closed = True
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(StoreAway())
        self._waiting.clear()
        try:
            async with asyncio.timeout(patience):
                while self._idle or self._used:
                    self._released.clear()
                    if self._idle:
                        await self._idle.pop().close()
                    else:
                        await self._released.wait()
        finally:
            for connection in (*self._idle, *self._used):
                connection.terminate()

    async def _open(self) -> Connection:
        """Open a connection, with a right that was counted as opening."""
        try:
            connection = await self._connect()
        except BaseException:
            self._opening -= 1
            self._hand_on(None)
            raise
        self._opening -= 1
        if self._closed:
            connection.terminate()
            raise StoreAway
        self._used.add(connection)
        return connection

    async def _wait(self) -> Connection | None:
        """Wait for a connection, or for the right to open one."""
        waiting: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled():
                self._decline(waiting.result())
            raise

    def _hand_on(self, connection: Connection | None) -> None:
        """Give a connection, or the right to open one, to the caller that has waited longest."""
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                if connection is None:
                    self._opening += 1
                else:
                    self._used.add(connection)
                waiting.set_result(connection)
                return
        if connection is not None:
            self._idle.append(connection)

    def _decline(self, given: Connection | None) -> None:
        """The caller that was given this no longer waits for it."""
        if given is None:
            self._opening -= 1
            self._hand_on(None)
        else:
            self.release(given, fit=True)
