"""`GateStore` on PostgreSQL: closed gates, visible to people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.broken_host import BrokenHost
from duetime.model.gate import ClosedGate, NodeGate
from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from duetime.store.postgres.audit import record
from duetime.store.postgres.queries import sql


class PostgresGates:
    """`GateStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def publish(self, node: NodeId, gates: Sequence[ClosedGate]) -> list[int]:
        """Store the closed gates of this node. Returns the flows of breakers to reset."""
        columns = (
            [gate.kind for gate in gates],
            [gate.user_id for gate in gates],
            [gate.flow for gate in gates],
            [gate.name for gate in gates],
            [gate.since for gate in gates],
            [gate.until for gate in gates],
            [gate.failures for gate in gates],
        )
        async with self._pool.transaction() as connection:
            before = await connection.fetch(sql("gates.forget"), node)
            if gates:
                await connection.execute(sql("gates.publish"), node, *columns)
        return sorted(row["flow"] for row in before if row["reset"] and row["node_id"] == node)

    async def closed_gates(self, user_id: int) -> list[NodeGate]:
        """Returns the closed gates that hold back a user."""
        rows = await self._pool.rows(sql("gates.closed"), user_id)
        return [NodeGate(row[0], ClosedGate(*row[1:])) for row in map(tuple, rows)]

    async def broken_hosts(self, user_id: int | None) -> list[BrokenHost]:
        """Returns the hosts whose breaker is open."""
        return [BrokenHost(*row) for row in await self._pool.rows(sql("gates.broken_hosts"), user_id)]

    async def reset_breakers(self, user_id: int | None, host: str, now: datetime, actor: int) -> int:
        """Request that schedulers close their breakers of a host."""
        async with self._pool.transaction() as connection:
            found = await connection.fetch(sql("gates.reset"), user_id, host)
            if found:
                subject = "users:all" if user_id is None else f"user:{user_id}"
                await record(connection, now, actor, "breaker.reset", subject, {"host": host}, owner=user_id)
            return len(found)

    async def reset_requests(self, node: NodeId) -> list[int]:
        """Returns the flows of this node's breakers that are requested to close."""
        return [row["flow"] for row in await self._pool.rows(sql("gates.reset_requests"), node)]
