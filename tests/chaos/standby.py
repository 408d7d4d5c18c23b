"""A cluster on a primary and its synchronous standby, with DSNs that name both."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import asyncpg

from chaos.cluster import SETTINGS, Cluster, socket_of
from chaos.proxy import Proxy
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.private_directory import make_private
from harness.database import postgres_programs
from harness.waiting import eventually, wait_for_end


class StandbyServer(EmbeddedServer):
    """A server that starts as a copy of another and replicates from it."""

    def copy(self, primary: str) -> None:
        """Make the base backup that the standby starts from."""
        make_private(self._directory, self._user)
        host = str(socket_of(primary).parent)
        data = str(self._data)
        self._run("pg_basebackup", "-h", host, "-U", "duetime", "-D", data, "-R", "-X", "stream", "-c", "fast")

    def _run(self, program: str, *arguments: str, may_fail: str | None = None) -> None:
        if program != "createdb":  # The copy contains the database, and a standby accepts no writes.
            super()._run(program, *arguments, may_fail=may_fail)


class Pair(Cluster):
    """Two servers; the standby takes over when the primary is lost."""

    def __init__(self, directory: Path, server: EmbeddedServer) -> None:
        super().__init__(directory, server)
        self._primary = server
        self._standby = StandbyServer(directory / "standby", SETTINGS, postgres_programs())
        self._ways: list[Proxy] = []
        self.terms_before: dict[int, int] = {}
        """Each shard's last term on the primary."""
        self.away_for = 0.0
        """Seconds without a server that accepts writes."""

    async def start_database(self) -> None:
        """Start the primary and its standby. From now on every commit is on both."""
        await super().start_database()
        await self.beside(lambda: self._standby.copy(self._primary.dsn))
        await self.beside(self._standby.start)
        connection = await asyncpg.connect(self._primary.dsn)
        try:
            await connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            await connection.execute("SELECT pg_reload_conf()")
        finally:
            await connection.close()
        await eventually(self._follows, 20.0)

    async def way_to_database(self) -> tuple[Proxy, str]:
        """One DSN with both hosts."""
        first = await Proxy(socket_of(self._primary.dsn)).start()
        second = await Proxy(socket_of(self._standby.dsn)).start()
        self._ways.append(second)
        hosts = f"127.0.0.1:{first.port},127.0.0.1:{second.port}"
        return first, f"postgresql://duetime@{hosts}/duetime?sslmode=disable&target_session_attrs=read-write"

    async def fail_over(self, seconds: float) -> int:
        """Kill the primary with all its processes, wait, and promote the standby."""
        connection = await asyncpg.connect(self._primary.dsn)
        try:
            rows = await connection.fetch("SELECT shard, term FROM shards")
        finally:
            await connection.close()
        self.terms_before = {row["shard"]: row["term"] for row in rows}
        pid, began = self._primary.pid, time.monotonic()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert await asyncio.to_thread(wait_for_end, pid, 10.0)
        await asyncio.sleep(seconds)
        self._server = self._standby
        assert await self.value("SELECT pg_promote(true, 30)") is True
        self.away_for = time.monotonic() - began
        return 1

    async def end_database(self) -> None:
        """Stop both servers."""
        for way in self._ways:
            await way.stop()
        await self.beside(self._standby.stop)
        await self.beside(self._primary.stop)

    async def _follows(self) -> bool:
        return await self.value("SELECT sync_state FROM pg_stat_replication") == "sync"
