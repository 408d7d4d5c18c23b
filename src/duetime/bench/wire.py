"""A lean HTTP connection: on two shared cores, what the client costs is missing from what it measures."""

from __future__ import annotations

import asyncio
from typing import cast
from urllib.parse import urlsplit


class Wire(asyncio.Protocol):
    """One keep-alive connection, one request at a time."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._buffer = b""
        self._status = 0
        self._length = -1
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, url: str) -> Wire:
        """Connect."""
        parts = urlsplit(url)
        _, wire = await asyncio.get_running_loop().create_connection(cls, parts.hostname or "", parts.port or 80)
        return wire

    @property
    def closed(self) -> bool:
        """Whether the other side has hung up."""
        return self._transport is None or self._transport.is_closing()

    def ask(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        """Send a request; the status and the body of its answer."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """A part of an answer."""
        self._buffer = self._buffer + data if self._buffer else data
        if self._length < 0:
            head, gap, rest = self._buffer.partition(b"\r\n\r\n")
            if not gap:
                return
            self._status = int(head[9:12])
            self._length = _content_length(head)
            self._buffer = rest
        if len(self._buffer) >= self._length and self._answer is not None:
            answer, body = self._answer, self._buffer
            self._answer, self._buffer, self._length = None, b"", -1
            if not answer.done():
                answer.set_result((self._status, body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more will come."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("The server hung up."))


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n")[1:]:
        if line.startswith(b"content-length:"):
            return int(line[15:])
    raise ValueError("The answer has no Content-Length, which is all that this client understands.")


def request(method: str, path: str, token: str, body: bytes = b"", *, kind: str = "json", more: str = "") -> bytes:
    """A whole request as bytes."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n{more}"
        f"Content-Type: application/{kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
