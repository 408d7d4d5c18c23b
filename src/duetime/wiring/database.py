"""The database that a configuration asks for: the one given, or an embedded one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from duetime.config import Config
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.pool import Pool

T = TypeVar("T")


class Database(NamedTuple):
    """Where to connect, and what to call now and then so that it stays there."""

    dsn: str
    keep: Callable[[], bool]


def open_database(config: Config, data: Path, stack: ExitStack) -> Database:
    """The database, of several the home; an embedded server is stopped when the stack unwinds."""
    if config.home is not None:
        return Database(config.home, lambda: False)
    server = EmbeddedServer(
        data / "postgres",
        {
            "shared_buffers": config.postgres.shared_buffers,
            "max_connections": str(config.postgres.max_connections),
            **config.postgres.settings,
        },
    )
    stack.callback(server.stop)
    server.start()
    return Database(server.dsn, server.keep)


def with_pool(dsn: str, work: Callable[[Pool], Awaitable[T]]) -> T:
    """Do some work with a pool of its own, and close it."""

    async def run() -> T:
        pool = Pool(dsn, size=2)
        try:
            await pool.open()
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(run())
