"""What the conformance suite asks of a place where coordinators meet, and the real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Protocol

from duetime.clock.manual import ManualClock
from duetime.clock.system import SystemClock
from duetime.coordination.etcd import EtcdCoordinator
from duetime.coordination.etcd_gateway import EtcdAccess, EtcdGateway
from duetime.coordination.port import Coordinator
from duetime.coordination.postgres import PostgresCoordinator
from duetime.model.ids import DefinitionId, NodeId, UserId, flow_of
from duetime.postgres.pool import Pool
from duetime.store.port import JobRef, JobRow, LaunchIntent, LaunchStore, SubmitStore
from duetime.store.postgres.launch import PostgresLaunch
from duetime.store.postgres.submit import PostgresSubmit
from harness.etcd import Etcd

NOW = ManualClock().now()
LONG = 60.0
USER = UserId(1)
FLOW = flow_of(USER)


async def launch_new(submit: SubmitStore, launches: LaunchStore, node: NodeId, shard: int, term: int) -> bool:
    """Store a job that is due and try to launch it; whether it was. What is launched and not there is taken back."""
    row = JobRow(None, shard, USER, DefinitionId(1), FLOW, 5, True, NOW, NOW, None, None, None, None, "m")
    (stored,) = await submit.submit([row], NOW)
    ref = JobRef(stored.job_id, USER, FLOW, 5, NOW, 0, None, NOW)
    return bool((await launches.launch(node, NOW, [LaunchIntent(ref, term)])).rows)


class Site(Protocol):
    """A store with whatever judges leases; every coordinator of it is another node's."""

    ttl: float
    """The shortest lease that can be had: tests wait for it to run out."""

    def coordinator(self) -> Coordinator:
        """One more node's coordinator."""
        ...

    async def launch(self, node: NodeId, shard: int, term: int) -> bool:
        """Try to commit a launch of a new job in a node's name; whether it was."""
        ...

    def launching(self, node: NodeId) -> AbstractAsyncContextManager[None]:
        """In the middle of committing a launch of this node, until the end of the block."""
        ...

    async def terms(self) -> list[int]:
        """The term of each shard as the store has it."""
        ...

    async def forget(self, node: NodeId) -> None:
        """Let a node's lease run out now, as if it had not been renewed in time."""
        ...


class PostgresSite:
    """PostgreSQL leases."""

    ttl = 0.5

    def __init__(self, pool: Pool, stack: AsyncExitStack) -> None:
        self.pool, self.stack = pool, stack

    def coordinator(self) -> Coordinator:
        return self.rows()

    def rows(self) -> PostgresCoordinator:
        made = PostgresCoordinator(self.pool)
        self.stack.push_async_callback(made.close)
        return made

    async def launch(self, node: NodeId, shard: int, term: int) -> bool:
        return await launch_new(PostgresSubmit(self.pool), PostgresLaunch(self.pool), node, shard, term)

    @asynccontextmanager
    async def launching(self, node: NodeId) -> AsyncIterator[None]:
        async with self.pool.transaction() as connection:
            await connection.execute("SELECT FROM leases WHERE node_id = $1 FOR KEY SHARE", node)
            yield

    async def terms(self) -> list[int]:
        return [row["term"] for row in await self.pool.rows("SELECT term FROM shards ORDER BY shard")]

    async def forget(self, node: NodeId) -> None:
        past = "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1"
        await self.pool.run(past, node)


class EtcdSite(PostgresSite):
    """etcd's leases over PostgreSQL."""

    ttl = 2.0

    def __init__(self, pool: Pool, stack: AsyncExitStack, etcd: Etcd, prefix: str) -> None:
        super().__init__(pool, stack)
        self.etcd, self.prefix = etcd, prefix
        self._made: list[EtcdCoordinator] = []
        self.changes = 0

    def coordinator(self) -> EtcdCoordinator:
        gateway = EtcdGateway(EtcdAccess((self.etcd.endpoint,)))
        clock = SystemClock(self.pool.clock)
        made = EtcdCoordinator(gateway, self.rows(), clock, prefix=self.prefix, changed=self._changed)
        self.stack.push_async_callback(made.close)
        self._made.append(made)
        return made

    async def forget(self, node: NodeId) -> None:
        for coordinator in self._made:
            if node in coordinator.leases:
                await coordinator._gateway.revoke(coordinator.leases[node], 5.0)

    def _changed(self) -> None:
        self.changes += 1
