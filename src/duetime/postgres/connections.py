"""Connections that are handed out and taken back: at most so many, made when they are wanted, kept while they last.

asyncpg's own pool does the same for 75 µs of processor time a statement, as much again as the statement itself
takes: it makes a task for taking a connection and another for giving it back (docs/decisions/0009-hot-path.md).
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
    """The connections of one process to one server. The last that came back is the first to go: it is warm."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int, patience: float) -> None:
        """`patience`: how many seconds a connection may take to come, made or waited for."""
        self._connect, self._size, self._patience = connect, size, patience
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self._opening = 0
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        """Who waits, longest first, while none is idle: for a connection, or (None) for the right to make one."""
        self._closed = False
        self._came_back = asyncio.Event()

    async def take(self) -> Connection:
        """A connection that nobody else uses; `TimeoutError` when none comes."""
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
            return await self._turn() or await self._open()

    def give_back(self, connection: Connection, *, fit: bool) -> None:
        """Let others use it; one that is not fit for that is cut."""
        self._used.discard(connection)
        if fit and not connection.is_closed() and not connection.is_in_transaction():
            self._hand_on(connection)
        else:
            connection.terminate()
            self._hand_on(None)
        self._came_back.set()

    async def close(self, patience: float) -> None:
        """Let every connection go, waiting a little for those in use."""
        self._closed = True
        for turn in self._waiting:
            if not turn.done():
                turn.set_exception(StoreAway())
        self._waiting.clear()
        try:
            async with asyncio.timeout(patience):
                while self._idle or self._used:
                    self._came_back.clear()
                    if self._idle:
                        await self._idle.pop().close()
                    else:
                        await self._came_back.wait()
        finally:
            for connection in (*self._idle, *self._used):
                connection.terminate()

    async def _open(self) -> Connection:
        """Make one, with a right that was counted as opening."""
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

    async def _turn(self) -> Connection | None:
        """Wait for what somebody hands on."""
        turn: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._decline(turn.result())
            raise

    def _hand_on(self, connection: Connection | None) -> None:
        """Give a connection, or the right to make one, to who has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                if connection is None:
                    self._opening += 1
                else:
                    self._used.add(connection)
                turn.set_result(connection)
                return
        if connection is not None:
            self._idle.append(connection)

    def _decline(self, given: Connection | None) -> None:
        """Who was given this no longer wants it."""
        if given is None:
            self._opening -= 1
            self._hand_on(None)
        else:
            self.give_back(given, fit=True)
