"""The server's answers about the audit. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct


class AuditEntry(Struct, frozen=True):
    """A change: who, whose, from where, what."""

    id: int
    at: datetime
    actor: int | None
    owner: int | None
    origin: str | None
    action: str
    subject: str
    details: Any = None


class AuditLink(Struct, frozen=True):
    """A link of the chain. Its entry is None if that is gone."""

    number: int
    hash: str
    at: datetime
    entry_id: int
    entry: AuditEntry | None


class AuditChain(Struct, frozen=True):
    """Part of the chain, and its end."""

    links: list[AuditLink]
    number: int
    hash: str
    unsealed: int
    unlinked: int | None
    kept_from: datetime | None = None
