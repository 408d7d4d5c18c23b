"""Cursors: where a listing goes on. Opaque to clients, so that what is in them may change."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from duetime.model.errors import Invalid
from duetime.model.ids import MAX_ID

_KINDS = {"jobs": b"j", "users": b"u", "dead letters": b"d", "schedules": b"s", "records": b"r", "calendars": b"c"}
_LENGTH = 9


def encode_cursor(kind: str, last_id: int) -> str:
    """The cursor that goes on after an id."""
    return urlsafe_b64encode(_KINDS[kind] + last_id.to_bytes(8, "big")).decode()


def decode_cursor(kind: str, cursor: str) -> int:
    """The id that a cursor of this kind goes on after."""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii"))
    except ValueError:
        raw = b""
    last_id = int.from_bytes(raw[1:_LENGTH], "big")
    if last_id > MAX_ID or encode_cursor(kind, last_id) != cursor:
        raise Invalid("'cursor' must be the 'next_cursor' of an earlier answer to the same call.", field="cursor")
    return last_id
