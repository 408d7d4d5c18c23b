r"""Text that the store cannot hold, refused in every field of every body at once.

PostgreSQL's text holds every character except NUL. In JSON a NUL can only be written as the escape `\u0000`: a raw
one, half of a surrogate pair and bytes that are not UTF-8 are refused by the decoder. So one search over the bytes
clears a body, and only one that is refused is looked through value by value, to name the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

ESCAPED: Final = rb"\u0000"
NAMED_UP_TO: Final = 262_144
"""Bytes. The field is not named in a larger body: looking for it would hold up other requests."""
_SHOWN: Final = 80
_BACKSLASH: Final = ord("\\")


class NulFound(Exception):
    """Some text has a NUL character: where, as the steps of a path. Empty where it was not looked for."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path

    def sentence(self, path: str) -> str:
        """The error in words, with the path from the beginning of the body."""
        subject = f"'{path}'" if path else "Text in the body"
        return f"{subject} must not contain a NUL character."


def storable(decode: Callable[[bytes], T], *, lines: bool = False) -> Callable[[bytes], T]:
    """The same decoder, which raises `NulFound` for a text that the store cannot hold."""
    read_any = msgspec.json.Decoder().decode_lines if lines else msgspec.json.decode

    def read(body: bytes) -> T:
        value = decode(body)
        if ESCAPED in body and _has_nul(body):
            raise NulFound(next(_paths(read_any(body), ""), "") if len(body) <= NAMED_UP_TO else "")
        return value

    return read


def _has_nul(body: bytes) -> bool:
    """Whether one of the escapes is one: an odd number of backslashes before it makes it text."""
    at = body.find(ESCAPED)
    while at >= 0:
        first = at
        while first > 0 and body[first - 1] == _BACKSLASH:
            first -= 1
        if (at - first) % 2 == 0:
            return True
        at = body.find(ESCAPED, at + len(ESCAPED))
    return False


def _paths(value: Any, path: str) -> Iterator[str]:
    """The paths of all texts with a NUL character, names included."""
    if isinstance(value, str):
        if "\0" in value:
            yield path
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _paths(one, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, one in value.items():
            if "\0" in name:
                yield path
            yield from _paths(one, f"{path}.{name[:_SHOWN]}")
