"""A sink for HTTP targets: a process that answers every request with 200, at once or after some seconds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

import uvloop

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class _Sink(asyncio.Protocol):
    """Reads requests by their Content-Length. The executor sends no other kind."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._buffer = cast(asyncio.Transport, transport), b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].lower()
            _, found, rest = head.partition(b"content-length:")
            end += 4 + (int(rest.split(b"\r\n", 1)[0]) if found else 0)
            if len(self._buffer) < end:
                return
            self._buffer = self._buffer[end:]
            _, after, rest = head.split(b"\r\n", 1)[0].partition(b"/after/")
            if after:
                asyncio.get_running_loop().call_later(float(rest.split(b" ", 1)[0]), self._answer)
            else:
                self._transport.write(OK)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(OK)


@asynccontextmanager
async def running_sink() -> AsyncGenerator[str]:
    """Starts the sink and yields its URL, to which `/after/SECONDS` may be added. It ends when its input is closed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime.bench.sink"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await process.stdout.readline())}/sink"
    finally:
        process.stdin.close()
        await process.wait()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Sink, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - the parent reads it
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    uvloop.run(_serve())
