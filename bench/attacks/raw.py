"""Raw connections for attacks: bytes as they are, and clients that neither read nor end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from duetime.bench.wire import Wire, request

LOST = (OSError, asyncio.IncompleteReadError, ValueError)


class AttackedServer(Struct, frozen=True):
    """The attacked server, and the token of the attacker's account."""

    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}:{self.port}"

    def head(self, method: str, path: str, *more: str) -> bytes:
        """A request with the attacker's token, and without the empty line at the end of its head."""
        lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Authorization: Bearer {self.token}", *more]
        return "".join(f"{line}\r\n" for line in lines).encode()

    async def call(self, method: str, path: str, body: object = None, *, raw: bytes = b"", kind: str = "json") -> int:
        """Sends one call on a connection of its own. Returns the status."""
        wire = await Wire.open(self.url)
        try:
            sent = msgspec.json.encode(body) if body is not None else raw
            status, answer = await wire.ask(request(method, path, self.token, sent, kind=kind))
            if status >= 500:
                print(f"{method} {path}: {status} {answer[:200]!r}", flush=True)
            return status
        finally:
            wire.close()

    def connect(self, receive_buffer: int | None = None) -> socket.socket:
        """A connection that nothing reads."""
        raw = socket.socket()
        if receive_buffer is not None:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        raw.connect((self.host, self.port))
        raw.setblocking(False)
        return raw


async def send_for_ever(server: AttackedServer, first: bytes, repeated: bytes) -> None:
    """Sends bytes without an end. Connects again when the server closes the connection."""
    while True:
        with suppress(*LOST):
            _, writer = await asyncio.open_connection(server.host, server.port)
            try:
                writer.write(first)
                while True:
                    writer.write(repeated)
                    await writer.drain()
            finally:
                writer.close()
        await asyncio.sleep(0.01)


async def hold(server: AttackedServer, count: int, sent: bytes) -> None:
    """Keeps connections open that have sent a little. Opens others for those that the server has closed."""
    held: list[socket.socket] = []
    while True:
        for at, one in enumerate(held):
            with suppress(BlockingIOError, *LOST):
                if one.recv(1, socket.MSG_PEEK) == b"":
                    one.close()
                    held[at] = _opened(server, sent) or one
        while len(held) < count and (another := _opened(server, sent)) is not None:
            held.append(another)
        held = [one for one in held if one.fileno() >= 0]
        await asyncio.sleep(0.5)


def _opened(server: AttackedServer, sent: bytes) -> socket.socket | None:
    try:
        raw = server.connect()
        raw.send(sent)
    except OSError:
        return None
    return raw


async def repeat(width: int, call: Callable[[int], Awaitable[Any]]) -> None:
    """Makes calls again and again, `width` at a time. The call gets a number of its own."""

    async def one(number: int) -> None:
        while True:
            with suppress(*LOST):
                await call(number)
            number += width
            await asyncio.sleep(0)

    await asyncio.gather(*(one(number) for number in range(width)))
