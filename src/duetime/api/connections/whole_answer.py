"""Answers as they are written: head and body together.

ASGI has two messages for an answer, and a server writes each of them by itself. For a small answer, the second system
call costs as much as most of the other work, here and where the client reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from duetime.api.server.envelope import Header

COPIED: Final = 64 * 1024
"""Bytes of a body up to which it is copied to be written with its head."""


class CommonHeaders:
    """The headers of all answers as bytes. uvicorn makes a new list every second, for the date."""

    def __init__(self) -> None:
        self._headers: Sequence[Header] | None = None
        self._lines = b""

    def lines(self, headers: Sequence[Header]) -> bytes:
        """Returns the lines of these headers."""
        if headers is not self._headers:
            self._headers, self._lines = headers, _lines(headers)
        return self._lines


def head_of(status: int, common: bytes, headers: Sequence[Header], *, keep_alive: bool) -> bytes:
    """Returns the head of an answer, with the empty line after it."""
    own = _lines(headers)
    if own.count(b"\n") != len(headers) or own.count(b"\r") != len(headers) or b"\0" in own:
        raise ValueError("A header of an answer has a line end or a NUL in it.")
    return STATUS_LINE[status] + common + own + (b"\r\n" if keep_alive else b"connection: close\r\n\r\n")


def _lines(headers: Iterable[Header]) -> bytes:
    return b"".join([name + b": " + value + b"\r\n" for name, value in headers])
