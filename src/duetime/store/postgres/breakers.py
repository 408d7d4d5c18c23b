"""`BreakerStore` on PostgreSQL: open breakers, visible to people."""

from __future__ import annotations

from duetime.model.broken_host import BrokenHost
from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql


class PostgresBreakers:
    """`BreakerStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def opened(self, node: NodeId, broken: BrokenHost) -> None:
        """Store that a breaker of this node opened."""
        await self._pool.run(sql("breakers.forget"))
        await self._pool.run(
            sql("breakers.opened"),
            broken.flow,
            node,
            broken.user_id,
            broken.host,
            broken.failures,
            broken.opened_at,
        )

    async def closed(self, node: NodeId, flow: int) -> None:
        """Store that a breaker of this node closed."""
        await self._pool.run(sql("breakers.closed"), flow, node)

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """Returns the hosts whose breaker is open for a user."""
        return [BrokenHost(*row) for row in await self._pool.rows(sql("breakers.list"), user_id)]
