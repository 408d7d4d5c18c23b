"""Databases for tests: one embedded PostgreSQL for the session, and a migrated database for each test."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import asyncpg

from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.migrate import apply_migrations

TEMPLATE = "duetime_template"
QUICK = {"fsync": "off", "synchronous_commit": "off", "shared_buffers": "32MB", "max_connections": "100"}
"""Nothing of a test has to survive a crash of the machine."""


class TestDatabases:
    """A PostgreSQL server with a migrated template, which is quick to copy."""

    __test__ = False

    def __init__(self, directory: Path) -> None:
        self._server = EmbeddedServer(directory, QUICK)
        self._numbers = count()

    def start(self) -> None:
        """Starts the server and makes the template."""
        self._server.start()
        asyncio.run(self._make_template())

    def stop(self) -> None:
        """Stops the server."""
        self._server.stop()

    def fresh(self) -> str:
        """Returns the DSN of a new, migrated database."""
        name = f"test_{next(self._numbers)}"
        asyncio.run(self._execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}"))
        return self._dsn(name)

    def drop(self, dsn: str) -> None:
        """Removes a database."""
        name = dsn.split("@/", 1)[1].split("?", 1)[0]
        asyncio.run(self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))

    def _dsn(self, name: str) -> str:
        return self._server.dsn.replace("/duetime?", f"/{name}?")

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self._server.dsn)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def _make_template(self) -> None:
        await self._execute(f"CREATE DATABASE {TEMPLATE}")
        pool = Pool(self._dsn(TEMPLATE), size=2)
        await pool.open()
        try:
            await apply_migrations(pool)
        finally:
            await pool.close()
