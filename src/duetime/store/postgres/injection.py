"""`InjectionStore` on PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from duetime.postgres.pool import Connection, Pool
from duetime.store.injection_port import KeyedJob, Move, Overtaken, RecordId, Refused
from duetime.store.port import JobRow, Stored
from duetime.store.postgres.queries import sql
from duetime.store.postgres.submit import chunked, insert_jobs


class PostgresInjection:
    """Stores what topics bring, in one transaction with their offsets."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def offsets(self, source: str) -> dict[int, int]:
        """Returns the next offset to read, by partition."""
        return {row[0]: row[1] for row in await self._pool.rows(sql("injection.offsets"), source)}

    async def begin(self, source: str, first: Mapping[int, int]) -> None:
        """Set the offsets of partitions that have none."""
        await self._pool.run(sql("injection.begin"), source, list(first), list(first.values()))

    async def inject(
        self,
        source: str,
        moves: Sequence[Move],
        rows: Sequence[JobRow],
        keyed: Sequence[KeyedJob],
        refused: Sequence[Refused],
        now: datetime,
    ) -> list[Stored]:
        """Store jobs, keys and refused records, and move the offsets."""
        stored: list[Stored] = []
        partitions, expected, upto = (list(column) for column in zip(*moves, strict=True))
        async with self._pool.transaction() as connection:
            moved = await connection.fetch(sql("injection.move"), source, partitions, expected, upto)
            if len(moved) != len(moves):
                raise Overtaken
            for chunk in chunked(rows) if rows else ():
                stored += await insert_jobs(connection, chunk, now)
            if keyed:
                await _keep_keys(connection, source, rows, stored, keyed)
            if refused:
                origins = [one.origin for one in refused]
                await connection.execute(
                    sql("injection.refuse"),
                    source,
                    [origin.partition for origin in origins],
                    [origin.offset for origin in origins],
                    [one.record for one in refused],
                )
        return stored

    async def jobs_of_keys(self, source: str, keys: Mapping[bytes, RecordId]) -> dict[bytes, int]:
        """Returns the jobs that earlier records with these keys became."""
        partitions, offsets = [one.partition for one in keys.values()], [one.offset for one in keys.values()]
        rows = await self._pool.rows(sql("injection.jobs_of_keys"), source, list(keys), partitions, offsets)
        return {row["key"]: row["job_id"] for row in rows}

    async def refused(self, source: str, partitions: Sequence[int], limit: int) -> list[Refused]:
        """Returns refused records that are not published."""
        rows = await self._pool.rows(sql("injection.refused"), source, list(partitions), limit)
        return [Refused(RecordId(row["partition"], row["record_offset"]), row["record"], row["id"]) for row in rows]

    async def published(self, ids: Sequence[int]) -> None:
        """Forget refused records."""
        await self._pool.run(sql("injection.published"), list(ids))

    async def sweep_keys(self, source: str, after: bytes, limit: int) -> bytes | None:
        """Forget keys whose jobs have ended."""
        row = await self._pool.row(sql("injection.sweep_keys"), source, after, limit)
        return None if row is None else row["last"]


async def _keep_keys(
    connection: Connection, source: str, rows: Sequence[JobRow], stored: Sequence[Stored], keyed: Sequence[KeyedJob]
) -> None:
    ended = [one.key for one in keyed if one.row is None]
    if ended:
        await connection.execute(sql("injection.drop_keys"), source, ended)
    kept = [(one, one.row) for one in keyed if one.row is not None]
    if kept:
        await connection.execute(
            sql("injection.keep_keys"),
            source,
            rows[0].user_id,
            [one.key for one, _ in kept],
            [stored[row].job_id for _, row in kept],
            [one.origin.partition for one, _ in kept],
            [one.origin.offset for one, _ in kept],
        )
