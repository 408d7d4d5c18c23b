"""A job's message: text, or any other JSON value. The store keeps either as one text. Pure.

Text is stored as it is. Any other value is stored as its JSON behind a record separator, as in RFC 7464, so no column
and no statement tells the two apart. Text that begins with a separator is stored as a JSON string.

The message of a traced job stands behind its trace parent, which a group separator begins. So a trace costs only the
jobs that have one: there is no column for it, and it stays with the job wherever the message goes.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw

from duetime.model.errors import Invalid

MARK: Final = "\x1e"
"""What a stored message begins with that is JSON."""
TRACED: Final = "\x1d"
"""What a stored message begins with whose job has a trace parent."""
MARKS: Final = MARK + TRACED
"""What no text begins with that is stored as it is."""
PARENT_LENGTH: Final = 55
_MESSAGE_FROM: Final = 1 + PARENT_LENGTH

_encode = msgspec.json.encode
_decode = msgspec.json.decode


def stored_message(value: object) -> str:
    """Returns a message as the store keeps it."""
    if isinstance(value, str) and not value.startswith((MARK, TRACED)):
        return value
    try:
        return MARK + _encode(value).decode()
    except RecursionError:
        raise Invalid("'message' is nested too deeply.", field="message") from None


def with_trace(stored: str, parent: str | None) -> str:
    """Returns a stored message without a trace parent with this one, or unchanged if it is None."""
    return stored if parent is None else TRACED + parent + stored


def trace_of(stored: str) -> str | None:
    """Returns the trace parent of a job by its stored message."""
    return stored[1:_MESSAGE_FROM] if stored.startswith(TRACED) else None


def without_trace(stored: str) -> str:
    """Returns a stored message without its trace parent."""
    return stored[_MESSAGE_FROM:] if stored.startswith(TRACED) else stored


def message_value(stored: str) -> Any:
    """Returns a message as the client gave it."""
    stored = without_trace(stored)
    return _decode(stored[1:]) if stored.startswith(MARK) else stored


def message_shown(stored: str) -> str | Raw:
    """Returns a message as an answer encodes it: the value that the client gave."""
    if stored[:1] not in MARKS:  # plain text, the most frequent message
        return stored
    stored = without_trace(stored)
    return Raw(stored[1:].encode()) if stored.startswith(MARK) else stored


def message_sent(stored: str) -> tuple[str, bool]:
    """Returns the text that a target receives, and whether it is the JSON of another value than text."""
    if stored[:1] not in MARKS:
        return stored, False
    stored = without_trace(stored)
    if not stored.startswith(MARK):
        return stored, False
    return (_decode(stored[1:], type=str), False) if stored.startswith('"', 1) else (stored[1:], True)


def in_message(stored: str, text: str) -> str:
    """Returns text as it stands inside a stored message: in JSON it is escaped."""
    return _encode(text).decode()[1:-1] if without_trace(stored).startswith(MARK) else text
