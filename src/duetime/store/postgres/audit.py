"""The audit: each entry is written in the transaction of the change that it describes. `AuditStore` on PostgreSQL."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

import msgspec

from duetime.model.audit import (
    AuditEntry,
    AuditFilter,
    AuditHead,
    AuditLink,
    link_hash,
    origin_of_changes,
)
from duetime.model.ids import MAX_ID
from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql


async def record(
    connection: Any,
    at: datetime,
    actor: int | None,
    action: str,
    subject: str,
    details: object = None,
    *,
    owner: int | None,
) -> None:
    """Record who changed what, and whose it is."""
    await connection.execute(
        sql("audit.record"),
        at,
        actor,
        owner,
        origin_of_changes(),
        action,
        subject,
        None if details is None else msgspec.json.encode(details).decode(),
    )


class PostgresAudit:
    """Reads and seals the audit."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """Returns entries, newest first."""
        arguments = (
            MAX_ID + 1 if wanted.before_id is None else wanted.before_id,
            wanted.actor,
            wanted.action,
            wanted.subject,
            wanted.from_,
            wanted.to,
            wanted.limit,
        )
        if wanted.user_id is None:
            rows = await self._pool.rows(sql("audit.entries"), *arguments)
        else:
            rows = await self._pool.rows(sql("audit.entries_of"), *arguments, wanted.user_id)
        return [_entry(row) for row in rows]

    async def seal(self, limit: int) -> int:
        """Add entries to the chain."""
        async with self._pool.transaction() as connection:
            head = await connection.fetchrow(sql("audit.lock_head"))
            rows = await connection.fetch(sql("audit.unsealed"), head["xid"], head["id"], limit)
            if not rows:
                return 0
            hashes: list[bytes] = []
            for row in rows:
                hashes.append(link_hash(hashes[-1] if hashes else head["hash"], _entry(row)))
            numbers = range(head["number"] + 1, head["number"] + 1 + len(rows))
            ids, instants = [row["id"] for row in rows], [row["at"] for row in rows]
            await connection.execute(sql("audit.add_links"), list(numbers), ids, instants, hashes)
            await connection.execute(sql("audit.move_head"), numbers[-1], rows[-1]["xid"], ids[-1], hashes[-1])
            return len(rows)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Returns links of the chain."""
        return [
            AuditLink(
                row["number"],
                row["hash"],
                row["sealed_at"],
                row["entry_id"],
                None if row["id"] is None else _entry(row),
            )
            for row in await self._pool.rows(sql("audit.links"), after, limit)
        ]

    async def head(self) -> AuditHead:
        """Returns how far the chain reaches."""
        (row,) = await self._pool.rows(sql("audit.head"))
        return AuditHead(row["number"], row["hash"], row["unsealed"], row["kept_from"])

    async def unlinked(self) -> int:
        """Returns how many entries before the end of the chain are in no link."""
        (row,) = await self._pool.rows(sql("audit.unlinked"))
        return row["n"]

    async def drop_days(self, before: date) -> int:
        """Drop days of the audit."""
        dropped = 0
        async with self._pool.transaction() as connection:
            await connection.execute(sql("audit.lock_head"))
            for row in await connection.fetch(sql("audit.days")):
                if date.fromisoformat(row["name"].rsplit("_", 1)[1]) < before:
                    await connection.execute(f"DROP TABLE {row['name']}")
                    dropped += 1
            if dropped:
                await connection.execute(sql("audit.keep_from"), datetime.combine(before, time(), UTC))
        return dropped


def _entry(row: Any) -> AuditEntry:
    details = row["details"]
    return AuditEntry(
        row["id"],
        row["at"],
        row["actor"],
        row["owner"],
        row["origin"],
        row["action"],
        row["subject"],
        None if details is None else msgspec.json.decode(details),
    )
