"""`RetentionStore` on PostgreSQL: days of history, counts, old keys and old definitions."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql

LOGS = ("run_logs", "run_log_words")
DAILY = ("history", "runs", *LOGS)
LOCK = 0x6475655F64617973
UPKEEP = (
    "autovacuum_analyze_scale_factor = 0.5, autovacuum_analyze_threshold = 1000000,"
    " autovacuum_vacuum_insert_threshold = 100000"
)
"""A day only grows, and is read by index. With the server's defaults it would be analysed again and again."""


class PostgresRetention:
    """`RetentionStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def make_days(self, first: date, last: date) -> None:
        """Create the partitions of some days."""
        days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
        async with self._pool.transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            for table in DAILY:
                for day in days:
                    await connection.execute(
                        f"CREATE TABLE IF NOT EXISTS {table}_{day:%Y%m%d} PARTITION OF {table} "
                        f"FOR VALUES FROM ('{day} 00:00+00') TO ('{day + timedelta(days=1)} 00:00+00') WITH ({UPKEEP})"
                    )
            for day in days:
                await connection.execute("SELECT make_audit_day($1)", day)

    async def drop_days(self, before: date, logs_before: date | None = None) -> list[date]:
        """Drop the partitions and counts of the days before a day. Returns the days dropped."""
        dropped: set[date] = set()
        async with self._pool.transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
            for table in DAILY:
                kept_from = max(before, logs_before or before) if table in LOGS else before
                names = await connection.fetch(
                    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::text::regclass",
                    table,
                )
                for row in names:
                    day = date.fromisoformat(row["name"].rsplit("_", 1)[1])
                    if day < kept_from:
                        await connection.execute(f"DROP TABLE {row['name']}")
                        dropped.add(day)
            await connection.execute("DELETE FROM tallies WHERE day < $1", before)
            await connection.execute("DELETE FROM tally_deltas WHERE day < $1", before)
        return sorted(dropped)

    async def fold_tallies(self) -> None:
        """Add up the counts that batches appended."""
        async with self._pool.transaction() as connection:
            if await connection.fetchval("SELECT pg_try_advisory_xact_lock($1)", LOCK + 1):
                await connection.execute(sql("retention.fold_tallies"))

    async def drop_keys(self, before: datetime, now: datetime, limit: int) -> int:
        """Delete old idempotency keys of finished jobs. Returns how many."""
        return _count(await self._pool.run(sql("retention.drop_keys"), before, limit, now))

    async def drop_definitions(self, before: date) -> int:
        """Delete old definitions that nothing refers to. Returns how many."""
        async with self._pool.transaction() as connection:
            await connection.execute("SET LOCAL enable_hashjoin = on; SET LOCAL enable_seqscan = on")
            return _count(await connection.execute(sql("retention.drop_definitions"), before))


def _count(status: str) -> int:
    return int(status.rsplit(" ", 1)[1])
