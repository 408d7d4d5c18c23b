"""Settling runs, and finding those whose executor is gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import asyncpg

from duetime.model.ids import NodeId
from duetime.store.port import Again, Ending, JobRef, Orphan
from duetime.store.postgres.launches import refs
from duetime.store.postgres.pool import Pool
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention


class PostgresSettle:
    """`SettleStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history."""
        rows = await self._recorded("finish", endings)
        return {row[0] for row in rows}

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs and let their jobs wait for the next attempt."""
        rows = await self._recorded("retry", again)
        return refs(row[:9] for row in rows)

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Launches of an executor that are older than an instant."""
        return [Orphan(*row) for row in await self._pool.rows(sql("launched_before"), node, before, limit)]

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Runs whose executor has no lease."""
        return [Orphan(*row) for row in await self._pool.rows(sql("orphans"), bytes(held), limit)]

    async def _recorded(self, name: str, settled: Sequence[Ending] | Sequence[Again]) -> list[asyncpg.Record]:
        try:
            return await self._pool.rows(sql(name), settled)
        except asyncpg.CheckViolationError as error:
            if "no partition" not in str(error):
                raise
            days = [one.finished_at.astimezone(UTC).date() for one in settled]
            await PostgresRetention(self._pool).make_days(min(days), max(days) + timedelta(days=1))
            return await self._pool.rows(sql(name), settled)
