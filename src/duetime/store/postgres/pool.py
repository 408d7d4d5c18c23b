"""Connections: a pool for the work, and vendor errors translated at this edge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import asyncpg

from duetime.config import mask_dsn
from duetime.model.errors import ConfigError, StoreAway
from duetime.store.postgres.connect import Connector
from duetime.store.postgres.queries import sql

Connection = Any
"""A connection or the pool's proxy of one; asyncpg types neither."""

AWAY = (
    OSError,
    asyncio.TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that dies in the middle of an exchange
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.CannotConnectNowError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TransactionRollbackError,  # a deadlock: the same again will work
)
REFUSED = (
    asyncpg.InvalidCatalogNameError,  # no such database
    asyncpg.InvalidAuthorizationSpecificationError,  # no such user, a wrong password, or not let in from here
    asyncpg.InsufficientPrivilegeError,
    ValueError,  # a DSN that cannot be read
)
"""What a server says that is there, and what only another configuration can mend."""
CONNECT_TIMEOUT = 5
COMMAND_TIMEOUT = 30
RESERVED_TIMEOUT = 5
"""For a connection of one's own: what must not wait behind work must not wait on a dead connection either."""
SETTINGS = {
    "application_name": "duetime",
    "timezone": "UTC",
    # Compiling a plan costs more than any statement here takes.
    "jit": "off",
    # The same few statements over arrays of every size: one plan each, by index, made once.
    "plan_cache_mode": "force_generic_plan",
    # A plan made while a table is nearly empty must not be a scan when it is full: always by index.
    "enable_seqscan": "off",
    "enable_bitmapscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    # A node that freezes in the middle of a transaction holds its lease's row, and fencing waits for it: this ends it.
    "idle_in_transaction_session_timeout": "2s",
    # A client that vanished is noticed within seconds, and its locks go with it.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}


@asynccontextmanager
async def translated() -> AsyncGenerator[None]:
    """Turn every sign of an absent database into `StoreAway`."""
    try:
        yield
    except AWAY as error:
        raise StoreAway(f"The database cannot be reached ({type(error).__name__}): try again.") from error


@asynccontextmanager
async def _opening(dsn: str) -> AsyncGenerator[None]:
    """Say which database it is, and tell one that is away from one that can never be used so."""
    shown = mask_dsn(dsn)
    try:
        yield
    except REFUSED as error:
        # A part of a DSN that was taken for a port may be part of a password.
        said = str(error) if isinstance(error, asyncpg.PostgresError) else "its address cannot be read"
        raise ConfigError(f"The database {shown} cannot be used: {said}.", key="database") from None
    except AWAY as error:
        message = f"The database {shown} cannot be reached ({type(error).__name__}): try again."
        raise StoreAway(message) from error


async def _nothing_to_reset(_connection: Connection) -> None:
    """No statement leaves anything behind in a session, so giving a connection back needs no round trip."""


class Pool:
    """A pool of connections to one database, on one host or on whichever of several takes writes."""

    def __init__(self, dsn: str, *, size: int = 8) -> None:
        self.dsn = dsn
        self.size = size
        self._connector = Connector(dsn)
        self._reserved = Connector(dsn)
        self._pool: asyncpg.Pool | None = None

    async def open(self) -> None:
        """Connect; `ConfigError` when it is there, but not to be used so."""
        async with _opening(self.dsn):
            self._pool = await asyncpg.create_pool(
                self.dsn,
                min_size=min(2, self.size),
                max_size=self.size,
                timeout=CONNECT_TIMEOUT,
                command_timeout=COMMAND_TIMEOUT,
                max_inactive_connection_lifetime=0,
                connect=self._connector.connect,
                server_settings=SETTINGS,
                reset=_nothing_to_reset,
            )

    async def close(self) -> None:
        """Let every connection go, waiting a little for those in use."""
        if self._pool is None:
            return
        pool, self._pool = self._pool, None
        try:
            await asyncio.wait_for(pool.close(), 5)
        except (TimeoutError, *AWAY):
            pool.terminate()

    async def connect(self, command_timeout: float | None = RESERVED_TIMEOUT) -> Connection:
        """A connection of one's own, outside the pool: for what must not wait behind work."""
        async with translated():
            return await self._reserved.connect(
                timeout=CONNECT_TIMEOUT, command_timeout=command_timeout, server_settings=SETTINGS
            )

    @asynccontextmanager
    async def acquired(self) -> AsyncGenerator[Connection]:
        """A pooled connection."""
        if self._pool is None:
            raise StoreAway
        async with translated(), self._pool.acquire(timeout=CONNECT_TIMEOUT) as connection:
            yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """A pooled connection inside one transaction."""
        async with self.acquired() as connection, connection.transaction():
            yield connection

    async def rows(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """The rows of one statement."""
        async with self.acquired() as connection:
            return await connection.fetch(query, *arguments)

    async def row(self, query: str, *arguments: object) -> asyncpg.Record | None:
        """The first row of one statement."""
        async with self.acquired() as connection:
            return await connection.fetchrow(query, *arguments)

    async def run(self, query: str, *arguments: object) -> str:
        """Run one statement; its status."""
        async with self.acquired() as connection:
            return await connection.execute(query, *arguments)

    async def clock(self) -> datetime:
        """The database's clock, now."""
        row = await self.row(sql("clock"))
        if row is None:
            raise StoreAway
        return row["now"]
