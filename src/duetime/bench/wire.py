"""A lean HTTP connection: client and server share the cores, so a costly client would slow what it measures."""

from __future__ import annotations

import asyncio
from typing import cast
from urllib.parse import urlsplit


class Wire(asyncio.Protocol):
    """One keep-alive connection, with one request at a time."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._buffer = b""
        self._status = 0
        self._length = -1
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, url: str) -> Wire:
        """Connects to a server."""
        parts = urlsplit(url)
        _, wire = await asyncio.get_running_loop().create_connection(cls, parts.hostname or "", parts.port or 80)
        return wire

    @property
    def closed(self) -> bool:
        """Whether the connection is closed."""
        return self._transport is None or self._transport.is_closing()

    def ask(self, request: bytes) -> asyncio.Future[tuple[int, bytes]]:
        """Sends a request. Returns a future of the status and the body of its answer."""
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def close(self) -> None:
        """Closes the connection."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Adds to the answer, and completes it when it is whole."""
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
        """Fails the request that has no answer yet."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("The server closed the connection."))


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n")[1:]:
        if line.startswith(b"content-length:"):
            return int(line[15:])
    raise ValueError("The answer has no Content-Length: this client supports no other framing.")


def request(method: str, path: str, token: str, body: bytes = b"", *, kind: str = "json", more: str = "") -> bytes:
    """Returns a request as bytes."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n{more}"
        f"Content-Type: application/{kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
