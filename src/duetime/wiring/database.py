"""Opens the database of a configuration: the given one, or an embedded server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from duetime.config import Config
from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer

T = TypeVar("T")


class OpenedDatabase(NamedTuple):
    """Where to connect, and a call that starts an embedded server again after it ended."""

    dsn: str
    restart_if_ended: Callable[[], bool]
    """To be called regularly. Returns whether the server was started again."""


def open_database(config: Config, data: Path, stack: ExitStack) -> OpenedDatabase:
    """Open the home database. An embedded server is stopped when the stack unwinds."""
    if config.home is not None:
        return OpenedDatabase(config.home, lambda: False)
    server = EmbeddedServer(
        data / "postgres",
        {
            "shared_buffers": config.postgres.shared_buffers,
            "max_connections": str(config.postgres.max_connections),
            **config.postgres.settings,
        },
        config.postgres.programs,
    )
    stack.callback(server.stop)
    server.start()
    return OpenedDatabase(server.dsn, server.keep)


def with_pool(dsn: str, work: Callable[[Pool], Awaitable[T]]) -> T:
    """Run `work` with a new pool, and close the pool."""

    async def run() -> T:
        pool = Pool(dsn, size=2)
        try:
            await pool.open()
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(run())
