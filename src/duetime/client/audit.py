"""Calls about the audit."""

from __future__ import annotations

from collections.abc import AsyncIterator

from .audit_answers import AuditChain, AuditEntry
from .calls import Calls


class AuditCalls(Calls):
    """Reads who changed what."""

    async def audit(
        self,
        *,
        all_users: bool = False,
        action: str | None = None,
        subject: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[AuditEntry]:
        """Yields changes, newest first: the user's own, or with `all_users` all of them (for admins)."""
        given = {"action": action, "subject": subject}
        params = {name: value for name, value in given.items() if value is not None}
        path = "/api/v1/audit" if all_users else "/api/v1/me/audit"
        async for entry in self._pages(path, params, AuditEntry, limit):
            yield entry

    async def audit_chain(self, after: int = 0, *, limit: int = 1000) -> AuditChain:
        """Returns part of the chain that seals the audit, from the link after a number on. For admins."""
        params = {"after": str(after), "limit": str(limit)}
        return self._read(await self._session.call("GET", "/api/v1/audit/chain", params=params, safe=True), AuditChain)
