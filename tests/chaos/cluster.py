"""Several real nodes on one real PostgreSQL, each behind a proxy of its own, each with a wall clock of its own."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import asyncpg
import msgspec

from chaos import recording
from chaos.history import Sample
from chaos.proxy import Proxy
from chaos.wallclock import WallClock
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.pool import Pool
from duetime.wiring.bootstrap import KEY_FILE, write_private
from harness.process import DuetimeProcess
from harness.waiting import wait_for_end

T = TypeVar("T")
WATCHED = "settle.finish:after:shortfall,settle.retry:after:shortfall"
"""What every node says in its log: outcomes that the store did not take, because the run was no longer held."""
SETTINGS = {"max_connections": "200", "shared_buffers": "128MB", "fsync": "off", "track_commit_timestamp": "on"}
"""Without fsync: PostgreSQL is killed here, never the machine. Instants of commits tell when an end was on record."""
_FAILPOINT = re.compile(r'^\{.*"event": ?"failpoint".*\}$', re.MULTILINE)


class ChaosNode:
    """A node and everything that can be done to it."""

    def __init__(
        self,
        number: int,
        directory: Path,
        proxy: Proxy,
        database: str,
        options: tuple[str, ...],
        env: Mapping[str, str],
    ) -> None:
        self.number, self.proxy = number, proxy
        data = directory / f"node{number}"
        data.mkdir(mode=0o700)
        write_private(data / KEY_FILE, "the same key for all nodes of this test")
        self.clock = WallClock(data)
        self.points = data / "failpoints"
        self.points.write_text(WATCHED)
        own = {"DUETIME_FAILPOINTS": f"file:{self.points}", "DUETIME_LOG_FORMAT": "json", **self.clock.environment}
        self.process = DuetimeProcess(data, ("--database", database, "--grace", "5s", *options), own | dict(env))
        self.port: int | None = None

    @property
    def url(self) -> str:
        """Where it listens, also while it is down."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, on the port that it had."""
        self.process.start(port=self.port)
        self.port = int(self.process.url.rsplit(":", 1)[1])

    def arm(self, rules: str) -> None:
        """Arm failpoints while it runs."""
        fresh = self.points.with_name("failpoints.new")
        fresh.write_text(f"{WATCHED},{rules}")
        fresh.rename(self.points)

    def disarm(self) -> None:
        """As at the start."""
        self.arm("")

    def struck(self, point: str | None = None) -> list[dict[str, object]]:
        """The failpoints that struck so far, by its log."""
        lines = [msgspec.json.decode(line) for line in _FAILPOINT.findall(self.process.output)]
        return [line for line in lines if point is None or line["point"] == point]

    def stale_writes(self) -> int:
        """Outcomes that the store did not take from this node."""
        refused = [line for line in self.struck() if line["action"] == "shortfall"]
        return sum(int(line["given"]) - int(line["done"]) for line in refused)  # type: ignore[call-overload]

    def sample(self, at: float) -> Sample | None:
        """What it uses now."""
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
            files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        except (OSError, AssertionError):
            return None
        return Sample(node=self.number, at=at, rss=pages * os.sysconf("SC_PAGE_SIZE"), files=files)


class Cluster:
    """The nodes and their database."""

    def __init__(self, directory: Path, server: EmbeddedServer) -> None:
        self._directory, self._server = directory, server
        self._thread = ThreadPoolExecutor(1)
        self.nodes: list[ChaosNode] = []

    @property
    def dsn(self) -> str:
        """The database itself, past every proxy."""
        return self._server.dsn

    async def beside(self, work: Callable[[], T]) -> T:
        """Do what blocks in the one thread that starts and stops the database: it ends with its starter."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def start(self, count: int, options: tuple[str, ...], env: Mapping[str, str]) -> None:
        """Start the database, keep the log, and start so many nodes."""
        await self.start_database()
        for number in range(count):
            proxy, database = await self.way_to_database()
            self.nodes.append(ChaosNode(number, self._directory, proxy, database, options, env))
        await asyncio.to_thread(self.nodes[0].start)
        await asyncio.gather(*(asyncio.to_thread(node.start) for node in self.nodes[1:]))

    async def start_database(self) -> None:
        """Start it with its tables, and keep the log from now on."""
        await self.beside(self._server.start)
        pool = Pool(self.dsn, size=2)
        await pool.open()
        await apply_migrations(pool)
        await pool.close()
        await recording.install(self.dsn)

    async def way_to_database(self) -> tuple[Proxy, str]:
        """A proxy for one node, and the DSN that leads through it."""
        proxy = await Proxy(socket_of(self.dsn)).start()
        return proxy, f"postgresql://duetime@127.0.0.1:{proxy.port}/duetime?sslmode=disable"

    async def fail_over(self, seconds: float) -> int:
        """Lose the primary and promote its standby: only where there is one."""
        raise NotImplementedError

    async def restart_database(self) -> int:
        """Kill the server as a crash does, and start it again; its old process id."""
        pid = self._server.pid
        assert pid is not None

        def again() -> None:
            os.kill(pid, signal.SIGQUIT)
            assert wait_for_end(pid, 30.0), "PostgreSQL did not end"
            for _ in range(20):
                if self._server.keep():
                    return
            raise AssertionError("PostgreSQL did not start again")

        await self.beside(again)
        return pid

    async def terminate_backends(self) -> int:
        """End every session of every node; how many."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetchval(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'duetime'"
            )
        finally:
            await connection.close()

    async def value(self, query: str, *arguments: object) -> object:
        """One value from the database."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetchval(query, *arguments)
        finally:
            await connection.close()

    async def stop_nodes(self) -> None:
        """A clean stop of every node, which must be one."""
        await asyncio.gather(*(asyncio.to_thread(node.process.stop) for node in self.nodes if node.process.running))

    async def end(self) -> None:
        """End everything, whatever became of it."""
        for node in self.nodes:
            node.process.signal(signal.SIGCONT)
            node.proxy.heal()
        await asyncio.gather(*(asyncio.to_thread(node.process.clean_up) for node in self.nodes))
        for node in self.nodes:
            await node.proxy.stop()
        await self.end_database()
        self._thread.shutdown()

    async def end_database(self) -> None:
        """Stop the server."""
        await self.beside(self._server.stop)


def socket_of(dsn: str) -> Path:
    """Where a database listens."""
    return Path(dsn.split("host=", 1)[1]) / ".s.PGSQL.5432"


@asynccontextmanager
async def running_cluster(
    nodes: int, *options: str, kind: type[Cluster] = Cluster, env: Mapping[str, str] | None = None
) -> AsyncIterator[Cluster]:
    """A cluster in a directory of its own, ended at the end."""
    directory = Path(tempfile.mkdtemp(prefix="duetime-chaos-"))
    cluster = kind(directory, EmbeddedServer(directory / "pg", SETTINGS))
    try:
        await cluster.start(nodes, options, env or {})
        yield cluster
    finally:
        try:
            await cluster.end()
        finally:
            shutil.rmtree(directory, ignore_errors=True)
