"""Connections: a pool for the work, and vendor errors translated at this edge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from types import TracebackType

import asyncpg
from asyncpg.connection import LoggedQuery

from duetime.config import mask_dsn
from duetime.model.errors import ConfigError, StoreAway
from duetime.postgres.connect import Connector, Reach
from duetime.postgres.connections import Connection, Connections
from duetime.postgres.statements import Statements, name_of

STATEMENTS = Statements("duetime.postgres")
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
BROKEN = (asyncio.CancelledError, *(error for error in AWAY if error is not asyncpg.TransactionRollbackError))
"""After these a connection cannot be used again: it may be in the middle of an exchange, or lead to a standby."""
REFUSED = (
    asyncpg.InvalidCatalogNameError,  # no such database
    asyncpg.InvalidAuthorizationSpecificationError,  # no such user, a wrong password, or not let in from here
    asyncpg.InsufficientPrivilegeError,
    asyncpg.ProtocolViolationError,  # a pooler that does not pass the session's settings on
    ValueError,  # a DSN that cannot be read
)
"""What a living server answers when only another configuration can help."""
CONNECT_TIMEOUT = 5
COMMAND_TIMEOUT = 30
CLOSE_PATIENCE = 5
RESERVED_TIMEOUT = 5
"""For a connection outside the pool: a statement that must not wait behind work must not wait on a dead line either."""
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
        raise _away(error) from error


def _away(error: BaseException) -> StoreAway:
    return StoreAway(f"The database cannot be reached ({type(error).__name__}): try again.")


@asynccontextmanager
async def _opening(dsn: str) -> AsyncGenerator[None]:
    """Name the database in errors, and tell one that is away from one that this configuration can never use."""
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


class _Acquired:
    """A pooled connection within a block. Errors that say that the database is away become `StoreAway`."""

    __slots__ = ("_connection", "_connections")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def __aenter__(self) -> Connection:
        try:
            self._connection = await self._connections.acquire()
        except AWAY as error:
            raise _away(error) from error
        return self._connection

    async def __aexit__(self, _: object, error: BaseException | None, trace: TracebackType | None) -> None:
        self._connections.release(self._connection, fit=not isinstance(error, BROKEN))
        if isinstance(error, AWAY):
            raise _away(error) from error


class Pool:
    """A pool of connections to one database, on one host or on whichever of several takes writes."""

    def __init__(
        self, dsn: str, *, size: int = 8, reach: Reach | None = None, timed: Callable[[str, float], None] | None = None
    ) -> None:
        """`timed` is called after each statement of the pool with its name and how many seconds it took."""
        self.dsn = dsn
        self._timed = timed
        self.size = size
        self._reach = reach = reach or Reach(mask_dsn(dsn))
        self._connector = Connector(dsn, reach=reach)
        self._reserved = Connector(dsn, reach=reach)
        self._connections: Connections | None = None

    def apart(self, size: int) -> Pool:
        """Returns another pool to the same database, for another event loop."""
        return Pool(self.dsn, size=size, reach=self._reach)

    async def open(self) -> None:
        """Connect; raises `ConfigError` when the database is there, but cannot be used with this configuration."""
        connections = Connections(self._connect, self.size, CONNECT_TIMEOUT)
        async with _opening(self.dsn):
            connections.release(await connections.acquire(), fit=True)
        self._connections = connections

    async def close(self) -> None:
        """Close every connection, waiting a little for those in use."""
        connections, self._connections = self._connections, None
        if connections is not None:
            with suppress(*AWAY):
                await connections.close(CLOSE_PATIENCE)

    async def connect(self, command_timeout: float | None = RESERVED_TIMEOUT) -> Connection:
        """Returns a connection outside the pool: for statements that must not wait behind work."""
        async with translated():
            return await self._reserved.connect(
                timeout=CONNECT_TIMEOUT, command_timeout=command_timeout, server_settings=SETTINGS
            )

    def acquired(self) -> AbstractAsyncContextManager[Connection]:
        """Returns a pooled connection, for a block."""
        if self._connections is None:
            raise StoreAway
        return _Acquired(self._connections)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Yields a pooled connection inside one transaction."""
        async with self.acquired() as connection, connection.transaction():
            yield connection

    async def rows(self, query: str, *arguments: object) -> list[asyncpg.Record]:
        """Returns the rows of one statement."""
        async with self.acquired() as connection:
            return await connection.fetch(query, *arguments)

    async def row(self, query: str, *arguments: object) -> asyncpg.Record | None:
        """Returns the first row of one statement."""
        async with self.acquired() as connection:
            return await connection.fetchrow(query, *arguments)

    async def run(self, query: str, *arguments: object) -> str:
        """Run one statement. Returns its status."""
        async with self.acquired() as connection:
            return await connection.execute(query, *arguments)

    async def clock(self) -> datetime:
        """Returns the present by the database's clock."""
        row = await self.row(STATEMENTS.sql("server.clock"))
        if row is None:
            raise StoreAway
        return row["now"]

    async def _connect(self) -> Connection:
        connection = await self._connector.connect(
            timeout=CONNECT_TIMEOUT, command_timeout=COMMAND_TIMEOUT, server_settings=SETTINGS
        )
        timed = self._timed
        if timed is not None:

            def observe(one: LoggedQuery) -> None:
                timed(name_of(one.query), one.elapsed)

            connection.add_query_logger(observe)
        return connection
