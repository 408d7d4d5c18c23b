"""`OutboxStore` on PostgreSQL."""

from __future__ import annotations

from duetime.postgres.pool import Pool
from duetime.store.outbox_port import OutboxPage, OutboxPosition, Subscription
from duetime.store.postgres.ended import ended
from duetime.store.postgres.queries import sql


class PostgresOutbox:
    """Reads the outbox in the order of transactions."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def subscribe(self, subscription: Subscription) -> None:
        """Write ends to the outbox for a subscription."""
        states = [state.value for state in subscription.states]
        await self._pool.run(sql("outbox.subscribe"), subscription.name, subscription.user_id, states)

    async def unsubscribe(self, name: str) -> None:
        """Stop writing for a subscription."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("outbox.unsubscribe"), name)
            await connection.execute(sql("outbox.clear"))

    async def read(self, name: str, limit: int) -> OutboxPage:
        """Returns the next ends."""
        rows = await self._pool.rows(sql("outbox.read"), name, limit)
        if not rows:
            return OutboxPage([], None)
        found = [
            one
            for row in rows
            for one in ended(row["ended"])
            if one.state.value in row["states"] and row["user_id"] in (None, one.user_id)
        ]
        return OutboxPage(found, OutboxPosition(rows[-1]["xid"], rows[-1]["id"]))

    async def acknowledge(self, name: str, position: OutboxPosition) -> None:
        """Move a reader to a position."""
        async with self._pool.transaction() as connection:
            await connection.execute(sql("outbox.acknowledge"), name, str(position.transaction), position.row)
            await connection.execute(sql("outbox.clear_read"))
