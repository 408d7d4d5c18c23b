"""Several real nodes on one real PostgreSQL, each with its own proxy and its own wall clock."""

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
from typing import Any, TypeVar

import asyncpg
import msgspec

from chaos import recording
from chaos.history import Sample
from chaos.proxy import Proxy
from chaos.wallclock import WallClock
from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.migrate import apply_migrations
from duetime.wiring.bootstrap import KEY_FILE, write_private
from harness.database import postgres_programs
from harness.process import DuetimeProcess
from harness.waiting import wait_for_end

T = TypeVar("T")
WATCHED = "settle.finish:after:shortfall,settle.retry:after:shortfall"
"""Makes each node log the outcomes that the store rejected, because the node no longer held the run."""
SETTINGS = {"max_connections": "200", "shared_buffers": "128MB", "fsync": "off", "track_commit_timestamp": "on"}
"""No fsync, because PostgreSQL is killed here, never the machine. Commit timestamps tell when an end was recorded."""
_FAILPOINT = re.compile(r'^\{.*"event": ?"failpoint".*\}$', re.MULTILINE)


class ChaosNode:
    """A node, with the faults that it can have."""

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
        targets = ("--set", "outgoing.allow_loopback=true")
        where = ("--set", f"databases={database}") if database.startswith("[") else ("--database", database)
        self.process = DuetimeProcess(data, (*where, "--grace", "5s", *targets, *options), own | dict(env))
        self.port: int | None = None

    @property
    def url(self) -> str:
        """The node's URL, also while it is down."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the node on the same port as before."""
        self.process.start(port=self.port)
        self.port = int(self.process.url.rsplit(":", 1)[1])

    def arm(self, rules: str) -> None:
        """Arm failpoints while the node runs."""
        fresh = self.points.with_name("failpoints.new")
        fresh.write_text(f"{WATCHED},{rules}")
        fresh.rename(self.points)

    def disarm(self) -> None:
        """Arm only the failpoints of the start."""
        self.arm("")

    def struck(self, point: str | None = None) -> list[dict[str, object]]:
        """The failpoints that have acted so far, according to the node's log."""
        lines = [msgspec.json.decode(line) for line in _FAILPOINT.findall(self.process.output)]
        return [line for line in lines if point is None or line["point"] == point]

    def stale_writes(self) -> int:
        """The number of outcomes from this node that the store rejected."""
        refused = [line for line in self.struck() if line["action"] == "shortfall"]
        return sum(int(line["given"]) - int(line["done"]) for line in refused)  # type: ignore[call-overload]

    def sample(self, at: float) -> Sample | None:
        """The resources that the node uses now."""
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
        """The DSN of the database, without a proxy."""
        return self._server.dsn

    @property
    def dsns(self) -> list[str]:
        """The DSNs of all databases, without proxies."""
        return [self.dsn]

    async def values(self, query: str, *arguments: Any) -> list[Any]:
        """One value from each database."""
        return [await self.value(query, *arguments)]

    async def beside(self, work: Callable[[], T]) -> T:
        """Run blocking work in the one thread that starts and stops the database: the server ends with it."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def start(self, count: int, options: tuple[str, ...], env: Mapping[str, str]) -> None:
        """Start the database, create the log, and start the nodes."""
        await self.start_database()
        for number in range(count):
            proxy, database = await self.way_to_database()
            self.nodes.append(ChaosNode(number, self._directory, proxy, database, options, env))
        await asyncio.to_thread(self.nodes[0].start)
        await asyncio.gather(*(asyncio.to_thread(node.start) for node in self.nodes[1:]))

    async def start_database(self) -> None:
        """Start the database, migrate it, and create the log."""
        await self.beside(self._server.start)
        pool = Pool(self.dsn, size=2)
        await pool.open()
        await apply_migrations(pool)
        await pool.close()
        await recording.install(self.dsn)

    async def way_to_database(self) -> tuple[Proxy, str]:
        """A proxy for one node, and the DSN that uses it."""
        proxy = await Proxy(socket_of(self.dsn)).start()
        return proxy, f"postgresql://duetime@127.0.0.1:{proxy.port}/duetime?sslmode=disable"

    async def fail_over(self, seconds: float) -> int:
        """Lose the primary and promote its standby, in a cluster that has one."""
        raise NotImplementedError

    async def restart_database(self) -> int:
        """Kill the server, as a crash does, and start it again. Returns its old process id."""
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
        """End every session of every node. Returns how many."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetchval(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'duetime'"
            )
        finally:
            await connection.close()

    async def value(self, query: str, *arguments: Any) -> Any:
        """One value from the database."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetchval(query, *arguments)
        finally:
            await connection.close()

    async def stop_nodes(self) -> None:
        """Stop every node; each stop must be clean."""
        await asyncio.gather(*(asyncio.to_thread(node.process.stop) for node in self.nodes if node.process.running))

    async def end(self) -> None:
        """End everything, in whatever state it is."""
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
    """The socket of a database."""
    return Path(dsn.split("host=", 1)[1]) / ".s.PGSQL.5432"


@asynccontextmanager
async def running_cluster(
    nodes: int, *options: str, kind: type[Cluster] = Cluster, env: Mapping[str, str] | None = None
) -> AsyncIterator[Cluster]:
    """A cluster in its own directory, ended when the block ends."""
    directory = Path(tempfile.mkdtemp(prefix="duetime-chaos-"))
    cluster = kind(directory, EmbeddedServer(directory / "pg", SETTINGS, postgres_programs()))
    try:
        await cluster.start(nodes, options, env or {})
        yield cluster
    finally:
        try:
            await cluster.end()
        finally:
            shutil.rmtree(directory, ignore_errors=True)
