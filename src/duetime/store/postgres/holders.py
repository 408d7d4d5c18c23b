"""`HolderStore` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql


class PostgresHolders:
    """Stores leases of workers in the table of the nodes' leases."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def join(self, name: str, ttl: float) -> NodeId:
        """Create a holder with a lease. Returns its id."""
        (row,) = await self._pool.rows(sql("holders.join"), name, ttl)
        return NodeId(row[0])

    async def renew(self, holders: Sequence[int], ttl: float) -> set[int]:
        """Renew leases. Returns the holders that have one."""
        return {row[0] for row in await self._pool.rows(sql("holders.renew"), holders, ttl)}

    async def leave(self, holder: NodeId) -> None:
        """End a lease at once."""
        await self._pool.run(sql("holders.leave"), holder)
