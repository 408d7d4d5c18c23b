"""A connection to PostgreSQL outside the pool: its statements never wait behind other work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from duetime.coordination.queries import sql
from duetime.model.errors import StoreAway
from duetime.postgres.pool import Connection, Pool, translated

CLOSE_SECONDS = 2


class ReservedConnection:
    """One connection, opened at its first statement and again after it broke. It runs one statement at a time.

    A statement without an answer in time costs the connection: the next statement opens another. So a line that was
    cut in silence is noticed by trying again, not by waiting.
    """

    def __init__(self, pool: Pool, opened: Callable[[Connection], Awaitable[None]] | None = None) -> None:
        self._pool, self._opened = pool, opened
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()

    async def rows(self, name: str, *arguments: object, seconds: float) -> list[Any]:
        """Returns the rows of the block NAME in `sql/leases.sql`; raises `StoreAway` after so many seconds."""
        async with translated(), asyncio.timeout(seconds), self._lock:
            try:
                connection = await self._open()
                return await connection.fetch(sql(f"leases.{name}"), *arguments)
            except (OSError, asyncio.CancelledError, StoreAway):
                self._abandon()
                raise

    async def close(self) -> None:
        """Close the connection."""
        async with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and not connection.is_closed():
                await connection.close(timeout=CLOSE_SECONDS)

    async def _open(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._pool.connect()
            if self._opened is not None:
                await self._opened(self._connection)
        return self._connection

    def _abandon(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()
