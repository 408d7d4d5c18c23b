"""A job's message: text, or any other JSON value. The store keeps either as one text. Pure.

Text is stored as it is. Any other value is stored as its JSON behind a record separator, as in RFC 7464, so no column
and no statement tells the two apart. Text that begins with the separator is stored as a JSON string.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from duetime.model.errors import Invalid

MARK: Final = "\x1e"
"""What a stored message begins with that is JSON."""

_encode = msgspec.json.encode
_decode = msgspec.json.decode


def stored_message(value: object) -> str:
    """Returns a message as the store keeps it."""
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    try:
        return MARK + _encode(value).decode()
    except RecursionError:
        raise Invalid("'message' is nested too deeply.", field="message") from None


def message_value(stored: str) -> Any:
    """Returns a message as the client gave it."""
    return _decode(stored[1:]) if stored.startswith(MARK) else stored


def message_shown(stored: str) -> str | Raw:
    """Returns a message as an answer encodes it: the value that the client gave."""
    return Raw(stored[1:].encode()) if stored.startswith(MARK) else stored


def message_sent(stored: str) -> tuple[str, bool]:
    """Returns the text that a target receives, and whether it is the JSON of another value than text."""
    if not stored.startswith(MARK):
        return stored, False
    return (_decode(stored[1:], type=str), False) if stored.startswith('"', 1) else (stored[1:], True)


def in_message(stored: str, text: str) -> str:
    """Returns text as it stands inside a stored message: in JSON it is escaped."""
    return _encode(text).decode()[1:-1] if stored.startswith(MARK) else text
