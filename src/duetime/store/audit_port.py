"""The contract of the audit. Entries are written by the verbs that make changes. Obligations: see `store.port`."""

from __future__ import annotations

from datetime import date
from typing import Protocol

from duetime.model.audit import AuditEntry, AuditFilter, AuditHead, AuditLink


class AuditStore(Protocol):
    """Reads the audit, and seals it: writers do not wait for the chain, which follows in the order of transactions."""

    async def entries(self, wanted: AuditFilter) -> list[AuditEntry]:
        """Returns entries, newest first."""
        ...

    async def seal(self, limit: int) -> int:
        """Add entries to the chain that are not in it, up to the oldest transaction that is still running.

        Returns how many. Two calls at once do not seal an entry twice.
        """
        ...

    async def links(self, after: int, limit: int) -> list[AuditLink]:
        """Returns links of the chain after a number, with the entries they seal."""
        ...

    async def head(self) -> AuditHead:
        """Returns how far the chain reaches."""
        ...

    async def unlinked(self) -> int:
        """Returns how many entries before the end of the chain are in no link. It reads the whole audit."""
        ...

    async def drop_days(self, before: date) -> int:
        """Drop days of the audit. Links stay where one after them is needed. Returns how many days were dropped."""
        ...
