"""The database that a configuration asks for: the one given, or an embedded one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from duetime.config import Config
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.pool import Pool

T = TypeVar("T")


def open_database(config: Config, data: Path, stack: ExitStack) -> str:
    """Where to connect; an embedded server is stopped when the stack unwinds."""
    if config.database is not None:
        return config.database
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
    return server.dsn


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
