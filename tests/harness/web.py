"""The HTTP server in its own thread, on a real socket and a clock that the test turns, and raw connections to it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import uvloop
from msgspec import Struct

from duetime.api.connections.bounds import Bounds
from duetime.api.connections.forwarded import Proxies
from duetime.api.connections.registry import Connections
from duetime.clock.manual import ManualClock
from duetime.wiring.web import Web, bind

SECONDS = 20.0


class RawAnswer(Struct, frozen=True):
    """One answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        return msgspec.json.decode(self.body)["error"]["code"]


class RawConnection:
    """A socket that sends what it is told, byte for byte."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self._rest = b""

    def send(self, data: bytes) -> RawConnection:
        """Send what the server takes. A server that has refused may take no more."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(data)
        return self

    def get(self, path: str = "/healthz", *headers: str) -> RawAnswer:
        return self.send(request("GET", path, *headers)).answer()

    def answer(self) -> RawAnswer:
        """The next answer."""
        while b"\r\n\r\n" not in self._rest:
            self._more()
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        length = int(headers["content-length"])
        while len(self._rest) < length:
            self._more()
        body, self._rest = self._rest[:length], self._rest[length:]
        return RawAnswer(int(lines[0].split()[1]), headers, body)

    def ended(self) -> bool:
        """Wait until the server closes the connection. Fails the test if it sends something first."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def drained(self) -> int:
        """Read until the server closes the connection. Returns how many bytes came."""
        count = len(self._rest)
        try:
            while data := self.socket.recv(1 << 16):
                count += len(data)
        except ConnectionResetError:
            pass
        return count

    def close(self) -> None:
        self.socket.close()

    def _more(self) -> None:
        data = self.socket.recv(1 << 16)
        assert data, f"the server closed the connection after {self._rest[:200]!r}"
        self._rest += data


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    """A request with a Host header, unless one of the headers is one."""
    lines = [f"{method} {path} HTTP/1.1", *headers]
    if not any(header.lower().startswith("host:") for header in headers):
        lines.insert(1, "Host: localhost")
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


class RunningWeb:
    """A server that serves."""

    def __init__(self, loop: asyncio.AbstractEventLoop, port: int, connections: Connections) -> None:
        self.loop, self.port, self.connections = loop, port, connections
        self._opened: list[RawConnection] = []

    def connect(self) -> RawConnection:
        self._opened.append(RawConnection(self.port))
        return self._opened[-1]

    def in_loop(self, work: Callable[[], Any]) -> Any:
        """Run something in the server's event loop, after what has come in so far."""

        async def run() -> Any:
            return work()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(SECONDS)

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and let the server look at its deadlines."""
        clock = self.connections.clock
        assert isinstance(clock, ManualClock)
        self.in_loop(lambda: None)
        clock.advance(seconds)
        self.in_loop(self.connections.sweep)

    def close(self) -> None:
        for connection in self._opened:
            connection.close()


@contextmanager
def running_web(app: Any, bounds: Bounds, clock: ManualClock, proxies: Proxies | None = None) -> Iterator[RunningWeb]:
    """Serve an application on loopback until the block ends."""
    listener = bind("127.0.0.1", 0)
    connections = Connections(bounds, clock, proxies)
    started: list[RunningWeb] = []
    ready, over = threading.Event(), []

    async def serve() -> None:
        web = Web(app, listener, 1.0, connections)
        await web.start()
        stop = asyncio.Event()
        over.append(stop)
        started.append(RunningWeb(asyncio.get_running_loop(), listener.getsockname()[1], connections))
        ready.set()
        await stop.wait()
        await web.stop()

    thread = threading.Thread(target=lambda: uvloop.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(SECONDS), "the server did not start"
    try:
        yield started[0]
    finally:
        started[0].close()
        started[0].loop.call_soon_threadsafe(over[0].set)
        thread.join(SECONDS)
