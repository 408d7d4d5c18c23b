"""HTTP targets that misbehave on purpose, byte by byte: what a scheduler meets when it calls strangers.

`python -m bench.hostile_targets` listens on loopback, prints its port as one line, and serves until its standard input
closes. The path of a request names the behaviour: `http://127.0.0.1:PORT/endless-103`. A program starts it with
`hostile_targets()`.
"""

from __future__ import annotations

import contextlib
import gzip
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
BLOCK = 256 * 1024

Behaviour = Callable[[socket.socket], None]


def endless(first: bytes, repeated: bytes, pause: float = 0.0) -> Behaviour:
    """Returns a behaviour that sends something once, and after a pause something else until the caller closes."""
    block = repeated * max(1, BLOCK // len(repeated))

    def behave(connection: socket.socket) -> None:
        connection.sendall(first)
        time.sleep(pause)
        while True:
            connection.sendall(block)

    return behave


def drip(connection: socket.socket) -> None:
    """Sends valid headers, one byte ten times a second, and never ends them."""
    for byte in b"HTTP/1.1 200 OK\r\n" + b"x-slow: yes\r\n" * 1_000_000:
        connection.sendall(bytes([byte]))
        time.sleep(0.1)


def silent(connection: socket.socket) -> None:
    """Takes the request and never answers."""
    connection.recv(1)


def gzip_bomb(connection: socket.socket) -> None:
    """Sends 100 MB of zeros, packed."""
    packed = gzip.compress(bytes(100_000_000))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    connection.sendall(head + packed)


BEHAVIOURS: dict[str, Behaviour] = {
    "endless-100": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless-103": endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"),
    "unasked-at-once": endless(OK, OK),
    "unasked-when-idle": endless(OK, OK, 0.2),
    "garbage-when-idle": endless(OK, b"x", 0.2),
    "endless-headers": endless(b"HTTP/1.1 200 OK\r\n", b"x-more: yes\r\n"),
    "endless-header": endless(b"HTTP/1.1 200 OK\r\nx-long: ", b"x"),
    "endless-body": endless(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n", b"x" * 4096),
    "endless-body-until-closed": endless(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b"x" * 4096),
    "endless-chunks": endless(CHUNKED, b"1\r\nx\r\n"),
    "endless-extension": endless(CHUNKED + b"1;", b"x" * 4096),
    "endless-trailers": endless(CHUNKED + b"0\r\n", b"x-more: yes\r\n"),
    "gzip-bomb": gzip_bomb,
    "drip": drip,
    "silent": silent,
}
"""What a target does, by the path that asks for it."""


@contextlib.contextmanager
def hostile_targets() -> Iterator[dict[str, str]]:
    """Runs the targets in a process of their own. Yields their URLs, by name."""
    command = [sys.executable, "-m", "bench.hostile_targets"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield {name: f"http://127.0.0.1:{port}/{name}" for name in BEHAVIOURS}
        finally:
            process.terminate()


def _serve(connection: socket.socket) -> None:
    with connection, contextlib.suppress(OSError):
        request = b""
        while b"\r\n\r\n" not in request:
            received = connection.recv(65536)
            if not received:
                return
            request += received
        name = request.split(b" ", 2)[1].decode("latin-1").strip("/")
        BEHAVIOURS.get(name, silent)(connection)


def _accept(listening: socket.socket) -> None:
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_serve, args=(connection,), daemon=True).start()


def main() -> None:
    """Serves until standard input closes."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        print(listening.getsockname()[1], flush=True)
        threading.Thread(target=_accept, args=(listening,), daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()
