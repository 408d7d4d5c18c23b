"""`Census` on PostgreSQL."""

from __future__ import annotations

from datetime import date, datetime

from duetime.coordination.queries import sql
from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.errors import StoreAway
from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool


class PostgresCensus:
    """Reads the cluster over the pool: a read may wait behind other work."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def identity(self) -> ClusterIdentity:
        """Returns which cluster this is."""
        row = await self._pool.row(sql("cluster.identity"))
        if row is None:
            raise StoreAway
        return ClusterIdentity(**row)

    async def nodes(self) -> list[NodeState]:
        """Returns every node that has a lease."""
        return [NodeState(**row) for row in await self._pool.rows(sql("cluster.nodes"))]

    async def owners(self) -> list[int]:
        """Returns the owner of each shard."""
        return (await self._pool.rows(sql("leases.owners")))[0]["owners"]

    async def orphaned(self) -> int:
        """Returns how many shards no living node owns."""
        return (await self._pool.rows(sql("cluster.orphaned")))[0]["shards"]

    async def recent_definitions(self, since: date, limit: int) -> list[int]:
        """Returns the definitions of recently stored jobs."""
        return [row["id"] for row in await self._pool.rows(sql("cluster.recent_definitions"), since, limit)]

    async def report(self, node: NodeId, oldest_due: datetime | None, clock_skew: float) -> bool | None:
        """Report how this node is."""
        row = await self._pool.row(sql("cluster.report"), node, oldest_due, clock_skew)
        return None if row is None else row["draining"]
