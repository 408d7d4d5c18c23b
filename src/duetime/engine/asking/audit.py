"""Reading the audit, and the duty that seals it."""

from __future__ import annotations

from datetime import date, timedelta

from duetime.clock.port import Clock
from duetime.model.audit import AuditEntry, AuditFilter, AuditHead, AuditLink
from duetime.store.audit_port import AuditStore

AT_ONCE = 1000


class Audit:
    """The audit of one database. Any scheduler seals it and drops old days; several at once do no harm."""

    def __init__(self, store: AuditStore, clock: Clock, days: int) -> None:
        self._store, self._clock, self._days = store, clock, days
        self._dropped_on: date | None = None

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """Returns entries, newest first."""
        return await self._store.entries(wanted)

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Returns links of the chain."""
        return await self._store.links(after, limit)

    async def head(self) -> AuditHead:
        """Returns how far the chain reaches."""
        return await self._store.head()

    async def unlinked(self) -> int:
        """Returns how many entries before the end of the chain are in no link."""
        return await self._store.unlinked()

    async def run_once(self) -> None:
        """Seal what is not sealed, and drop days past retention once a day."""
        while await self._store.seal(AT_ONCE) == AT_ONCE:
            pass
        today = self._clock.now().date()
        if self._dropped_on != today:
            await self._store.drop_days(today - timedelta(days=self._days))
            self._dropped_on = today
