"""The audit: who changed what, from where, before and after, and the chain that shows gaps and edits. Pure."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

LONGEST = 1000
"""How many characters of a value the audit keeps."""
FIRST_HASH = bytes(32)
"""What stands before the first link of the chain."""

_origin: ContextVar[str | None] = ContextVar("origin", default=None)


@contextmanager
def changes_from(origin: str) -> Generator[None]:
    """Record changes within this block, also in tasks that it starts, as coming from an address."""
    token = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(token)


def origin_of_changes() -> str | None:
    """Returns from where the present change is made; None for one by Duetime itself."""
    return _origin.get()


class AuditEntry(Struct, frozen=True):
    """A change on record."""

    id: int
    at: datetime
    actor: int | None
    """The user who made it; None for Duetime itself."""
    owner: int | None
    """The user whose thing it is; None for one of the cluster."""
    origin: str | None
    """The address that the request came from."""
    action: str
    subject: str
    details: Any = None


class AuditFilter(Struct, frozen=True):
    """Which entries to list, newest first."""

    user_id: int | None = None
    """Only those that this user made, or that are about its things."""
    actor: int | None = None
    action: str | None = None
    """Only actions that begin with this, such as `schedule.`."""
    subject: str | None = None
    from_: datetime | None = None
    to: datetime | None = None
    before_id: int | None = None
    limit: int = 100


class AuditLink(Struct, frozen=True):
    """A link of the chain, and the entry that it seals; None if that is gone."""

    number: int
    hash: bytes
    at: datetime
    entry_id: int
    entry: AuditEntry | None


class AuditHead(Struct, frozen=True):
    """How far the chain reaches, what is not sealed yet, and from when entries are kept."""

    number: int
    hash: bytes
    unsealed: int
    kept_from: datetime | None
    """Entries from before were dropped by retention."""


def digest(entry: AuditEntry) -> bytes:
    """Returns what the chain knows of an entry: every field, always spelled the same way."""
    at = entry.at.astimezone(UTC).isoformat()
    fields = (entry.id, at, entry.actor, entry.owner, entry.origin, entry.action, entry.subject, entry.details)
    return sha256(_encoder.encode(fields)).digest()


def link_hash(before: bytes, entry: AuditEntry) -> bytes:
    """Returns the hash of the link after another."""
    return sha256(before + digest(entry)).digest()


def find_breaks(before: bytes | None, links: Sequence[AuditLink], head: AuditHead) -> list[str]:
    """Returns a sentence for every place where the chain does not fit. `before`: the hash before the first link.

    Without one, the first link is where the kept chain begins, and is not judged.
    """
    breaks: list[str] = []
    for number, link in enumerate(links):
        if link.entry is None:
            if head.kept_from is None or link.at >= head.kept_from:
                breaks.append(f"Entry {link.entry_id} of {link.at.isoformat()} is missing.")
        elif before is not None and link_hash(before, link.entry) != link.hash:
            breaks.append(f"Entry {link.entry_id} of {link.at.isoformat()} is not what was sealed.")
        if number and link.number != links[number - 1].number + 1:
            breaks.append(f"The chain has a gap before link {link.number}.")
        before = link.hash
    return breaks


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that differ, each with what it was and what it is."""
    fields = dict.fromkeys((*before, *after))
    return {
        name: {"before": shortened(before.get(name)), "after": shortened(after.get(name))}
        for name in fields
        if before.get(name) != after.get(name)
    }


def shortened(value: Any) -> Any:
    """Returns a value as the audit keeps it: long ones are cut, as text."""
    encoded = _encoder.encode(value)
    return (
        msgspec.json.decode(encoded) if len(encoded) <= LONGEST else encoded[:LONGEST].decode("utf-8", "ignore") + "…"
    )


_encoder = msgspec.json.Encoder(order="deterministic")
