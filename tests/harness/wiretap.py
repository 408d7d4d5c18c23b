"""A relay between an engine and PostgreSQL that counts the statements and the round trips.

It counts the messages on the connection, however the driver was called.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SOCKET = ".s.PGSQL.5432"
PARSE, BIND, QUERY, READY = b"P"[0], b"B"[0], b"Q"[0], b"Z"[0]


class Wiretap:
    """The counts of all connections."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        """The DSN of the relay."""
        self.executed: Counter[str] = Counter()
        """How often each statement was executed."""
        self.prepared: Counter[str] = Counter()
        self.round_trips = 0
        """How often the server reported that it was ready for the next query."""

    def clear(self) -> None:
        """Set all counts to zero."""
        self.executed.clear()
        self.prepared.clear()
        self.round_trips = 0

    @property
    def statements(self) -> int:
        """How many statements were executed."""
        return self.executed.total()

    def by_purpose(self) -> Counter[str]:
        """How often each statement was executed, by its first line, which states its purpose."""
        return Counter({query.strip().splitlines()[0]: count for query, count in self.executed.items()})

    def __repr__(self) -> str:
        """The statements and counts, for the message of a failed test."""
        lines = [f"{count} x {line}" for line, count in self.by_purpose().most_common()]
        lines += [f"prepared {count} x {query.strip().splitlines()[0]}" for query, count in self.prepared.items()]
        return "\n".join([f"{self.round_trips} round trips", *lines])

    def from_client(self, names: dict[bytes, str], kind: int, body: bytes) -> None:
        """Note a message of a client; `names` has the statements that its connection has prepared."""
        if kind == PARSE:
            name, query, _ = body.split(b"\0", 2)
            names[name] = query.decode()
            self.prepared[names[name]] += 1
        elif kind == BIND:
            self.executed[names[body.split(b"\0", 2)[1]]] += 1
        elif kind == QUERY:
            self.executed[body.rstrip(b"\0").decode()] += 1

    def from_server(self, kind: int, _body: bytes) -> None:
        """Note a message of the server."""
        self.round_trips += kind == READY


@asynccontextmanager
async def tapped(dsn: str) -> AsyncIterator[Wiretap]:
    """A wiretap on a database that listens on a Unix socket, closed when the block ends."""
    (directory,) = parse_qs(urlsplit(dsn).query)["host"]
    flows: set[asyncio.Task[None]] = set()
    with tempfile.TemporaryDirectory(prefix="duetime-tap-") as own:
        tap = Wiretap(dsn.replace(directory, own))

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            there, to_server = await asyncio.open_unix_connection(str(Path(directory) / SOCKET))
            to = partial(tap.from_client, dict[bytes, str]())
            for flow in (_pass(reader, to_server, to, greeted=False), _pass(there, writer, tap.from_server)):
                task = asyncio.ensure_future(flow)
                flows.add(task)
                task.add_done_callback(flows.discard)

        server = await asyncio.start_unix_server(accept, str(Path(own) / SOCKET))
        try:
            yield tap
        finally:
            server.close()
            for flow in list(flows):
                flow.cancel()
            await asyncio.gather(*flows, return_exceptions=True)


async def _pass(
    source: asyncio.StreamReader,
    sink: asyncio.StreamWriter,
    note: Callable[[int, bytes], None],
    *,
    greeted: bool = True,
) -> None:
    """Pass bytes on, and note each whole message first. A client's first message has a length and no kind."""
    left = b""
    try:
        while piece := await source.read(1 << 20):
            left += piece
            while len(left) >= 4 + greeted:
                end = greeted + int.from_bytes(left[greeted : greeted + 4])
                if len(left) < end:
                    break
                if greeted:
                    note(left[0], left[5:end])
                left, greeted = left[end:], True
            sink.write(piece)
            await sink.drain()
    except ConnectionError:
        pass
    finally:
        sink.close()
