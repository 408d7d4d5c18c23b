"""`AuditStore` in memory. An entry's number is its place in the list, and every commit is in order."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from duetime.model.audit import FIRST_HASH, AuditEntry, AuditFilter, AuditHead, AuditLink, link_hash
from simulation.memory.link import Link
from simulation.memory.tables import Tables


class MemoryAudit:
    """The audit of the tables, and its chain."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link
        self._chain: list[AuditLink] = []
        self._sealed, self._last = 0, FIRST_HASH
        self._kept_from: datetime | None = None

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """Entries, newest first."""
        found = [one for one in reversed(self._entries()) if self._is_kept(one) and _fits(one, wanted)]
        return found[: wanted.limit]

    async def seal(self, limit: int) -> int:
        """Add entries to the chain."""

        def work() -> int:
            new = self._entries()[self._sealed :][:limit]
            for entry in new:
                self._last = link_hash(self._last, entry)
                self._sealed += 1
                self._chain.append(AuditLink(self._sealed, self._last, entry.at, entry.id, None))
            return len(new)

        return await self._link.call("seal", work)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Links of the chain."""
        entries = {one.id: one for one in self._entries() if self._is_kept(one)}
        found = [one for one in self._chain if one.number > after][:limit]
        return [AuditLink(one.number, one.hash, one.at, one.entry_id, entries.get(one.entry_id)) for one in found]

    async def head(self) -> AuditHead:
        """How far the chain reaches."""
        return AuditHead(self._sealed, self._last, len(self._tables.audit) - self._sealed, self._kept_from)

    async def unlinked(self) -> int:
        """Every entry is appended: none is left out."""
        return 0

    async def drop_days(self, before: date) -> int:
        """Drop days of the audit."""

        def work() -> int:
            cut = datetime.combine(before, time(), UTC)
            days = {one.at.date() for one in self._entries() if self._is_kept(one) and one.at < cut}
            if days:
                self._kept_from = cut
                kept = [one.number for one in self._chain if one.at >= cut]
                self._chain = [one for one in self._chain if not kept or one.number >= kept[0] - 1]
            return len(days)

        return await self._link.call("drop_days", work)

    def _is_kept(self, entry: AuditEntry) -> bool:
        return self._kept_from is None or entry.at >= self._kept_from

    def _entries(self) -> list[AuditEntry]:
        return [
            AuditEntry(number, one.at, one.actor, one.owner, None, one.action, one.subject)
            for number, one in enumerate(self._tables.audit, 1)
        ]


def _fits(one: AuditEntry, wanted: AuditFilter) -> bool:
    return (
        (wanted.before_id is None or one.id < wanted.before_id)
        and (wanted.user_id is None or wanted.user_id in (one.owner, one.actor))
        and (wanted.actor is None or one.actor == wanted.actor)
        and (wanted.action is None or one.action.startswith(wanted.action))
        and (wanted.subject is None or one.subject == wanted.subject)
        and (wanted.from_ is None or one.at >= wanted.from_)
        and (wanted.to is None or one.at < wanted.to)
    )
