"""`EnqueuedStore` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from duetime.model.enqueued import EnqueuedJob
from duetime.model.ids import UserId
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql


class PostgresEnqueued:
    """Hands out the rows that `duetime_enqueue` wrote."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(self, limit: int, seconds: float) -> list[EnqueuedJob]:
        """Claim the oldest requests. Returns them in order."""
        rows = await self._pool.rows(sql("enqueued.claim"), limit, seconds)
        found = [
            EnqueuedJob(row["id"], UserId(row["user_id"]), row["key"], row["body"].encode(), row["enqueued_at"])
            for row in rows
        ]
        return sorted(found)

    async def remove(self, numbers: Sequence[int]) -> None:
        """Remove requests whose jobs are stored."""
        await self._pool.run(sql("enqueued.remove"), numbers)

    async def refuse(self, reasons: Mapping[int, str]) -> None:
        """Keep requests that cannot be jobs, each with the reason."""
        await self._pool.run(sql("enqueued.refuse"), list(reasons), list(reasons.values()))
