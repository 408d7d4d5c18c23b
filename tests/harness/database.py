"""Real databases for tests: one embedded server for the session, a new database for each test."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import asyncpg

from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.migrate import apply_migrations
from harness.waiting import eventually

_numbers = count()
PROGRAMS = "DUETIME_TEST_POSTGRES"
"""The variable that names the directory of another PostgreSQL's programs, on which the suites then run."""
TEMPLATE = "duetime_template"


def postgres_programs() -> Path | None:
    """The directory of the programs of the PostgreSQL to test on; None for those of the package."""
    given = os.environ.get(PROGRAMS)
    return Path(given) if given else None


class TestServer:
    """A server with a migrated template database, which is quick to copy."""

    __test__ = False

    def __init__(self, directory: Path) -> None:
        settings = {"max_connections": "300", "shared_buffers": "128MB", "fsync": "off"}
        self.embedded = EmbeddedServer(directory, settings, postgres_programs())

    def start(self) -> None:
        self.embedded.start()
        asyncio.run(self._make_template())

    def stop(self) -> None:
        self.embedded.stop()

    def dsn(self, name: str) -> str:
        return self.embedded.dsn.replace("/duetime?", f"/{name}?")

    async def fresh(self) -> str:
        """The DSN of a new, migrated, empty database."""
        name = f"t{next(_numbers)}"
        await self.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return self.dsn(name)

    async def drop(self, dsn: str) -> None:
        name = dsn.rsplit("/", 1)[0] and dsn.split("@/", 1)[1].split("?", 1)[0]
        await self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    async def execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self.embedded.dsn)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def _make_template(self) -> None:
        await self.execute(f"CREATE DATABASE {TEMPLATE}")
        pool = Pool(self.dsn(TEMPLATE), size=2)
        await pool.open()
        try:
            await apply_migrations(pool)
        finally:
            await pool.close()
        await eventually(self._judges, 5.0, every=0.1)

    async def _judges(self) -> bool:
        """Whether the server has been up long enough to treat nodes with expired leases as dead."""
        connection = await asyncpg.connect(self.embedded.dsn)
        try:
            return await connection.fetchval("SELECT clock_timestamp() > pg_postmaster_start_time() + interval '2 s'")
        finally:
            await connection.close()


@contextmanager
def running_server() -> Iterator[TestServer]:
    """A server in its own directory, stopped and removed when the block ends."""
    with tempfile.TemporaryDirectory(prefix="duetime-test-") as directory:
        server = TestServer(Path(directory) / "pg")
        server.start()
        try:
            yield server
        finally:
            server.stop()
