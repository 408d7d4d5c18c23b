"""Cursors: where the next page of a listing begins. Opaque to clients, so that their content may change."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta

from duetime.model.bounds import PAGE
from duetime.model.errors import Invalid
from duetime.model.ids import MAX_ID

PageSize = Annotated[int, Meta(ge=PAGE.least, le=PAGE.most, description="How many to show at most.")]
Cursor = Annotated[str, Meta(max_length=64, description="The `next_cursor` of the previous page.")]

Listed = Literal[
    "jobs",
    "users",
    "dead letters",
    "schedules",
    "records",
    "calendars",
    "notification rules",
    "notifications",
    "audit",
    "logs",
    "workflows",
]
"""What is listed page by page. A cursor of one kind is refused by the others."""
_KINDS: Final[Mapping[Listed, bytes]] = {
    "jobs": b"j",
    "users": b"u",
    "dead letters": b"d",
    "schedules": b"s",
    "records": b"r",
    "calendars": b"c",
    "notification rules": b"n",
    "notifications": b"m",
    "audit": b"a",
    "logs": b"l",
    "workflows": b"w",
}
_LENGTH = 9


def encode_cursor(kind: Listed, last_id: int) -> str:
    """The cursor of the page that begins after an id."""
    return urlsafe_b64encode(_KINDS[kind] + last_id.to_bytes(8, "big")).decode()


def decode_cursor(kind: Listed, cursor: str) -> int:
    """The id after which the page of a cursor of this kind begins."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii"))
    except ValueError:
        raw = b""
    last_id = int.from_bytes(raw[1:_LENGTH], "big")
    if last_id > MAX_ID or encode_cursor(kind, last_id) != cursor:
        raise Invalid("'cursor' must be the 'next_cursor' of an earlier answer to the same call.", field="cursor")
    return last_id
