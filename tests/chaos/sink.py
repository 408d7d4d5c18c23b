"""A fast sink outside of the system: it records each request and answers as the request's path says.

Paths: `/ok`, `/ms/20/ok` (after 20 ms), `/fail/2` (500 to the first two attempts, then 200),
`/fail/999` (always 500). As a program it serves requests; as a module it has `ChaosSink`, which starts that program.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

import httptools
import msgspec
import uvloop

from chaos.history import Arrival
from harness.child import serve_until_asked, serving_child

RECORDS = b"/_records"


class ChaosSink:
    """The test's handle on the sink."""

    def __init__(self, port: int, pid: int) -> None:
        self.port, self.pid = port, pid

    def url(self, plan: str) -> str:
        """The URL for a job's target."""
        return f"http://127.0.0.1:{self.port}{plan}"

    async def arrivals(self) -> list[Arrival]:
        """All requests, in order of arrival."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 30)
        try:
            writer.write(b"GET /_records HTTP/1.1\r\nhost: sink\r\nconnection: close\r\n\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            assert b" 200 " in head, head
            return msgspec.msgpack.decode(await reader.read(), type=list[Arrival])
        finally:
            writer.close()


@contextmanager
def running_chaos_sink() -> Iterator[ChaosSink]:
    """A sink that ends with the block, or when its input closes."""
    with serving_child("chaos.sink") as child:
        yield ChaosSink(child.port, child.pid)


class _Note:
    """A request that is not answered yet."""

    __slots__ = ("arrived", "body", "ended", "headers", "status")

    def __init__(self) -> None:
        self.arrived = time.time()
        self.headers: dict[bytes, bytes] = {}
        self.body = b""
        self.ended: float | None = None
        self.status: int | None = None

    def arrival(self) -> Arrival:
        headers = self.headers
        return Arrival(
            run_id=headers.get(b"webhook-id", b"").decode(),
            job_id=int(headers.get(b"duetime-job-id", b"0")),
            attempt=int(headers.get(b"duetime-attempt", b"0")),
            message=self.body.decode(errors="replace"),
            arrived=self.arrived,
            ended=self.ended,
            status=self.status,
            key=headers.get(b"idempotency-key", b"").decode(),
        )


class _Connection(asyncio.Protocol):
    """One connection. Its requests come one after the other."""

    def __init__(self, notes: list[_Note]) -> None:
        self._notes = notes
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._url = b""
        self._note = _Note()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            if self._transport:
                self._transport.abort()

    def on_message_begin(self) -> None:
        self._note, self._url = _Note(), b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._note.headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self._note.body += body

    def on_message_complete(self) -> None:
        if self._url == RECORDS:
            if self._transport:
                body = msgspec.msgpack.encode([note.arrival() for note in self._notes])
                self._transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
                self._transport.close()
            return
        note = self._note
        self._notes.append(note)
        parts = unquote(self._url.decode()).strip("/").split("/")
        plan = dict(zip(parts[::2], parts[1::2], strict=False))
        failing = int(note.headers.get(b"duetime-attempt", b"1")) <= int(plan.get("fail", 0))
        status, delay = 500 if failing else 200, int(plan.get("ms", 0)) / 1000
        if delay:
            asyncio.get_running_loop().call_later(delay, self._answer, note, status)
        else:
            self._answer(note, status)

    def _answer(self, note: _Note, status: int) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        note.ended, note.status = time.time(), status
        self._transport.write(b"HTTP/1.1 %d X\r\ncontent-length: 2\r\n\r\nok" % status)


async def _serve() -> None:
    notes: list[_Note] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(notes), "127.0.0.1", 0, backlog=2048)
    await serve_until_asked(server.sockets[0].getsockname()[1])
    server.close()


if __name__ == "__main__":
    uvloop.run(_serve())
