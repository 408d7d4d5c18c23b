"""A TCP proxy between one node and PostgreSQL that causes network faults on request."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Literal

COMMIT = b"COMMIT"
Mode = Literal["pass", "slow", "stall", "refuse", "swallow", "mute"]
"""`slow`: all data is delayed; `stall`: all data waits until the mode ends; `refuse`: connections are cut and new ones
refused; `swallow`: new ones are accepted and never answered, and data is lost (half-open); `mute`: the client's data
arrives, the server's is lost (a one-way cut)."""


class Proxy:
    """Listens on its own port and forwards to PostgreSQL's socket."""

    def __init__(self, server_socket: Path) -> None:
        self._server_socket = server_socket
        self._server: asyncio.Server | None = None
        self._mode: Mode = "pass"
        self._latency = 0.0
        self._flows: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._going = asyncio.Event()
        self._going.set()
        self._cut_after_commit = 0
        self.port = 0
        self.happened: Counter[str] = Counter()
        """How often each fault really happened."""

    async def start(self) -> Proxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        self.heal()
        if self._server is not None:
            self._server.close()
        self.reset()
        for flow in list(self._flows):
            flow.cancel()
        await asyncio.gather(*self._flows, return_exceptions=True)

    def set(self, mode: Mode, latency: float = 0.0) -> None:
        """Set the mode from now on."""
        self._mode, self._latency = mode, latency
        if mode == "stall":
            self._going.clear()
        else:
            self._going.set()
        if mode == "refuse":
            self.reset()

    def heal(self) -> None:
        """Forward everything again. Connections that lost data are cut, because they cannot continue."""
        if self._mode in ("swallow", "mute"):
            self.reset()
        self._cut_after_commit = 0
        self.set("pass")

    def reset(self) -> None:
        """Cut every connection."""
        for writer in list(self._writers):
            self.happened["reset"] += 1
            writer.transport.abort()
        self._writers.clear()

    def cut_after_commit(self, times: int) -> None:
        """Forward the next commits to the server, and cut their connections before the answer returns."""
        self._cut_after_commit = times

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._mode == "refuse":
            self.happened["refuse"] += 1
            writer.transport.abort()
            return
        try:
            there, to_server = await asyncio.open_unix_connection(str(self._server_socket))
        except OSError:
            self.happened["server away"] += 1
            writer.transport.abort()
            return
        self._writers |= {writer, to_server}
        self._flow(self._pass(reader, to_server, writer, from_client=True))
        self._flow(self._pass(there, writer, to_server, from_client=False))

    def _flow(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[arg-type]
        self._flows.add(task)
        task.add_done_callback(self._flows.discard)

    async def _pass(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, back: asyncio.StreamWriter, *, from_client: bool
    ) -> None:
        try:
            while piece := await source.read(1 << 16):
                if not await self._through(piece, from_client):
                    continue
                sink.write(piece)
                await sink.drain()
                if from_client and self._cut_after_commit and _commits(piece):
                    self._cut_after_commit -= 1
                    self.happened["cut after commit"] += 1
                    back.transport.abort()
                    # The server executes the commit, and its answer reaches no client.
                    return
        except (ConnectionError, OSError):
            pass
        finally:
            for writer in (sink, back):
                self._writers.discard(writer)
                if not writer.transport.is_closing():
                    writer.transport.close()

    async def _through(self, piece: bytes, from_client: bool) -> bool:
        if self._mode == "pass":
            return True
        self.happened[self._mode] += 1
        if self._mode == "slow":
            await asyncio.sleep(self._latency)
            return True
        if self._mode == "stall":
            await self._going.wait()
            return True
        return self._mode == "mute" and from_client


def _commits(piece: bytes) -> bool:
    """Whether a piece ends a transaction: an explicit one, or a statement of its own (Bind and Execute)."""
    return COMMIT in piece or piece[:1] == b"B"
