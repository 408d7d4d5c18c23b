"""A database that was away could not be asked to renew: it takes nobody for dead before they had the time to."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from duetime.coordination.postgres import PostgresCoordinator
from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.migrate import apply_migrations
from harness.database import postgres_programs
from harness.waiting import eventually

SETTINGS = {"fsync": "off", "shared_buffers": "16MB"}


async def test_a_restart_costs_nobody_who_lives_its_lease() -> None:
    with tempfile.TemporaryDirectory(prefix="duetime-judge-") as directory:
        server = EmbeddedServer(Path(directory) / "pg", SETTINGS, postgres_programs())
        await asyncio.to_thread(server.start)
        try:
            first = Pool(server.dsn, size=1)
            await first.open()
            await apply_migrations(first)
            before = PostgresCoordinator(first)
            lives, gone = [await before.join("node", ("scheduler",), "0", 0.001) for _ in range(2)]
            await before.close()
            await first.close()
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
            pool = Pool(server.dsn, size=1)
            await pool.open()
            judge = PostgresCoordinator(pool)
            try:
                assert await judge.fence() == [], "both leases ran out while the database was away"
                assert await judge.renew(lives, 60.0)
                assert await eventually(judge.fence, 10.0, every=0.1) == [gone]
                assert await judge.renew(lives, 60.0)
            finally:
                await judge.close()
                await pool.close()
        finally:
            await asyncio.to_thread(server.stop)
