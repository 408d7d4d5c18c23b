"""`FileStore` on PostgreSQL."""

from __future__ import annotations

from datetime import datetime

from duetime.postgres.pool import Pool
from duetime.store.file_port import FileEnd, KnownFile
from duetime.store.postgres.queries import sql


class PostgresFiles:
    """Knows the files that injection has read."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim(
        self, source: str, content: bytes, name: str, holder: str, now: datetime, until: datetime
    ) -> KnownFile | None:
        """Take a file until an instant. Returns the file as it is."""
        row = await self._pool.row(sql("files.claim"), source, content, name, holder, now, until)
        return None if row is None else KnownFile(*row)

    async def hold(self, file_id: int, holder: str, until: datetime) -> bool:
        """Extend a lease."""
        return await self._pool.row(sql("files.hold"), file_id, holder, until) is not None

    async def finish(self, file_id: int, end: FileEnd, now: datetime) -> bool:
        """Record how an open file ended."""
        numbers, lines = [one.origin.offset for one in end.refused], [one.record for one in end.refused]
        given = (file_id, end.state, now, end.records, end.stored, end.reason, numbers, lines)
        return await self._pool.row(sql("files.finish"), *given) is not None

    async def moved(self, file_id: int) -> None:
        """Note that an ended file has left its directory."""
        await self._pool.run(sql("files.moved"), file_id)

    async def forget(self, file_id: int) -> None:
        """Forget an ended file."""
        await self._pool.run(sql("files.forget"), file_id)

    async def ended_before(self, source: str, instant: datetime, limit: int) -> list[int]:
        """Returns files that ended before an instant."""
        return [row[0] for row in await self._pool.rows(sql("files.ended_before"), source, instant, limit)]
