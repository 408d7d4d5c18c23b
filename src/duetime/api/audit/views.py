"""What clients see of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from duetime.model.audit import AuditEntry, AuditHead, AuditLink


class AuditView(Struct, frozen=True):
    """A change: who, whose, from where, what."""

    id: int
    at: datetime
    actor: int | None
    owner: int | None
    origin: str | None
    action: str
    subject: str
    details: Any


class LinkView(Struct, frozen=True):
    """A link of the chain. Its entry is null if that is gone."""

    number: int
    hash: str
    at: datetime
    entry_id: int
    entry: AuditView | None


class ChainView(Struct, frozen=True):
    """Part of the chain, and its end. The last part says how many entries before the end are in no link."""

    links: tuple[LinkView, ...]
    number: int
    hash: str
    unsealed: int
    unlinked: int | None
    kept_from: datetime | None


def audit_view(entry: AuditEntry) -> AuditView:
    """An entry as shown."""
    return AuditView(*(getattr(entry, name) for name in AuditView.__struct_fields__))


def chain_view(links: Sequence[AuditLink], head: AuditHead, unlinked: int | None) -> ChainView:
    """Links as shown."""
    shown = tuple(
        LinkView(one.number, one.hash.hex(), one.at, one.entry_id, None if one.entry is None else audit_view(one.entry))
        for one in links
    )
    return ChainView(shown, head.number, head.hash.hex(), head.unsealed, unlinked, head.kept_from)
