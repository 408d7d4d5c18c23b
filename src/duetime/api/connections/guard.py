"""One connection of the HTTP server, with bounds that uvicorn and its parser do not have.

Bytes are counted before the parser gets them, and a head is fed to it in slices, so that it never holds more than
`HEAD_BYTES` of one. A look from time to time (`Connections.sweep`) judges the deadlines: a timer for each request
would cost more than the request's parsing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from enum import Enum
from typing import Any, cast

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from duetime.api.connections import refusals
from duetime.api.connections.bounds import LINGER_BYTES, LINGER_SECONDS, MAX_HEADERS, MAX_PIPELINED
from duetime.api.connections.deadlines import UnreadAnswer
from duetime.api.connections.framing import SLICE, Framing
from duetime.api.connections.refusals import Refusal
from duetime.api.connections.registry import Admission, Connections
from duetime.api.connections.whole_answer import COPIED, head_of
from duetime.api.server.envelope import WHOLE_ANSWER, Header

RESERVE_SECONDS = 2.0
ADMITTED = Admission.ADMITTED
HEALTH = frozenset({b"/healthz", b"/readyz"})


class Phase(Enum):
    """What a connection waits for."""

    HEAD = "head"
    BODY = "body"
    ANSWER = "answer"
    IDLE = "idle"
    CLOSING = "closing"


HEAD, BODY, ANSWER, IDLE, CLOSING = Phase


class Refused(Exception):
    """The request is refused; the parser stops."""


class GuardedConnection(HttpToolsProtocol):
    """Counts, refuses and ends what costs too much. Use `guarded` to make the class for a registry."""

    registry: Connections

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._bounds, self._idle = self.registry.bounds, self.registry.idle
        self._admission = ADMITTED
        self._phase = HEAD
        self._monotonic = self.registry.clock.monotonic
        self._now = self._since = 0.0
        """When data last came, and when the phase began."""
        self._framing = Framing()
        self._dropped = 0
        self._refusal: Refusal | None = None
        self._from_proxy = False
        self._ordinary = True
        """Whether the peer itself is the client, and admitted."""
        self._origins: deque[str] = deque()
        self._running: RequestResponseCycle | None = None
        """The request that is being answered. `cycle` is the newest one, which may wait for it."""
        self._unread = UnreadAnswer(self._bounds)
        self._extensions: dict[str, dict[object, object]] = {WHOLE_ANSWER: {"write": self._answer}}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Admits the connection, or puts it into the reserve."""
        super().connection_made(cast("asyncio.Transport", transport))
        self._now = self._since = self._monotonic()
        peer = self.client[0] if self.client else ""
        self._from_proxy = self.registry.proxies.trusted(peer)
        self._admission = self.registry.enter(self, peer)
        self._ordinary = self._admission is ADMITTED and not self._from_proxy

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self.registry.leave(self)
        self._end_requests()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feeds the parser, a head in slices, and stops as soon as a bound is passed."""
        if self._phase is CLOSING:
            self._dropped += len(data)
            if self._dropped > LINGER_BYTES:
                self.transport.abort()
            return
        self._now = self._monotonic()
        if self._phase is IDLE:
            self._idle.pop(self, None)
            self._phase, self._since, self._framing.size = HEAD, self._now, 0
        at, size = 0, len(data)
        while at < size:
            whole = size <= SLICE and not self._framing.size
            end = size if whole else min(size, at + self._framing.room(in_body=self._phase is BODY))
            if not self._feed(data if end - at == size else data[at:end]):
                return
            at = end

    def _feed(self, piece: bytes) -> bool:
        """Feeds the parser. Returns whether more may be fed."""
        framing = self._framing
        framing.begin_slice()
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # The parser takes what follows for another protocol, so that the next request cannot be told from it.
            self.cycle.keep_alive = False
            self._turn(CLOSING)
            return False
        except httptools.HttpParserError:
            self._refuse(self._refusal or refusals.MALFORMED)
            return False
        in_body = self._phase is BODY
        if framing.end_slice(len(piece), in_body=in_body):
            self._refuse(refusals.HEAD_TOO_LARGE if in_body or self.headers else refusals.URL_TOO_LONG)
        elif self.headers and len(self.headers) > MAX_HEADERS:
            self._refuse(refusals.TOO_MANY_HEADERS)
        return self._phase is not CLOSING

    @property
    def _parser(self) -> Any:
        """The parser. uvicorn drops it when the connection is lost, and no data comes then."""
        return self.parser

    # What the parser calls.
    def on_headers_complete(self) -> None:
        """Checks the head, and starts the request."""
        hosts, length = 0, b""
        for name, value in self.headers:
            if name == b"host":
                hosts += 1
            elif name == b"content-length":
                length = value
        if hosts != 1 and (hosts or self._parser.get_http_version() != "1.0"):
            self._stop(refusals.ONE_HOST)
        if len(self.headers) > MAX_HEADERS:
            self._stop(refusals.TOO_MANY_HEADERS)
        if len(self.pipeline) >= MAX_PIPELINED:
            self._stop(refusals.TOO_DEEP)
        if not self._ordinary:
            self._check_origin()
        self._turn(BODY)
        self.scope["extensions"] = self._extensions
        self._framing.begin_body(length)
        super().on_headers_complete()
        # The request has its headers. What the parser adds from here on are trailers, which nothing reads.
        self.headers = []
        if not self.pipeline:
            self._running = self.cycle
        if self._admission is not ADMITTED:
            self.cycle.keep_alive = False

    def on_chunk_header(self) -> None:
        """Counts a chunk."""
        self._framing.add_chunk()

    def on_body(self, body: bytes) -> None:
        """Counts a part of the body, and keeps it for the application."""
        self._framing.add_body(len(body))
        cycle = self.cycle
        if cycle.response_complete:
            return
        cycle.body += body
        if len(cycle.body) > HIGH_WATER_LIMIT:
            self.flow.pause_reading()
        cycle.message_event.set()

    def on_message_complete(self) -> None:
        """Waits for the answer, or, if it was given early, for the next request."""
        self._turn(ANSWER)
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.more_body = False
            cycle.message_event.set()
        elif not self.pipeline:
            self._rest()

    # What happens to the answer.
    async def _answer(self, status: int, headers: Sequence[Header], body: bytes) -> None:
        """Writes a whole answer to the request that is being answered (`WHOLE_ANSWER`)."""
        cycle = self._running
        if cycle is None or cycle.response_started:
            raise RuntimeError("There is no request to answer.")
        if self.flow.write_paused and not cycle.disconnected:
            await self.flow.drain()
        if cycle.disconnected:
            return
        common = self.registry.common_headers.lines(cycle.default_headers)
        head = head_of(status, common, headers, keep_alive=cycle.keep_alive)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        if len(body) <= COPIED:
            self.transport.write(head + body)
        else:
            self.transport.write(head)
            self.transport.write(body)
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def on_response_complete(self) -> None:
        """Starts the next request that waits on this connection, or lets it rest. There is no timer for that."""
        self.server_state.total_requests += 1
        if self._origins:
            self.registry.end(self._origins.popleft())
        if self.transport.is_closing():
            return
        if self._phase is BODY and self._framing.left > LINGER_BYTES:
            # The answer came early, so it is a refusal. Reading the rest would cost more than a new connection. The
            # client has a moment to read the answer.
            self._now = self._monotonic()
            self._turn(CLOSING)
            self.flow.pause_reading()
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._running, app = self.pipeline.pop()
            self._start_asgi_task(self._running, app)
        elif self._phase is ANSWER:
            self._rest()

    def pause_writing(self) -> None:
        """Counts what the client has not read."""
        super().pause_writing()
        self.registry.unread(self, self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Counts it no more."""
        super().resume_writing()
        self.registry.read(self)

    # What the registry calls.
    def shed(self) -> None:
        """Closes the connection at once, to make room."""
        self._turn(CLOSING)
        self.transport.abort()

    def check(self, now: float) -> None:
        """Ends what has taken too long."""
        if self._unread.too_slow(self.transport.get_write_buffer_size(), now):
            self.shed()
            return
        took, bounds = now - self._since, self._bounds
        if self._phase is HEAD:
            if self.flow.read_paused:
                self._since = now
                return
            reserved = self._admission is not ADMITTED
            if took > (min(bounds.header_timeout, RESERVE_SECONDS) if reserved else bounds.header_timeout):
                self._refuse(refusals.HEAD_TOO_SLOW) if self._framing.size else self.shed()
        elif self._phase is BODY:
            # While the server does not read, the client is not the slow one.
            if self.flow.read_paused:
                self._since = now - self._framing.body_seen / bounds.slowest
            elif took > bounds.body_timeout + self._framing.body_seen / bounds.slowest:
                self._refuse(refusals.BODY_TOO_SLOW)
        elif self._phase is IDLE:
            if took > bounds.idle_timeout:
                self.transport.close()
        elif self._phase is CLOSING and took > LINGER_SECONDS and self._answered:
            self.transport.abort()

    @property
    def _answered(self) -> bool:
        cycle = self._running
        return cycle is None or cycle.response_complete or cycle.disconnected

    def _turn(self, phase: Phase) -> None:
        self._phase, self._since = phase, self._now
        self._framing.turned = True

    def _rest(self) -> None:
        self._now = self._monotonic()
        self._turn(IDLE)
        self._idle[self] = None

    def _stop(self, refusal: Refusal) -> None:
        """Ends the parsing from within: the parser reports any error of what it calls."""
        self._refusal = refusal
        raise Refused

    def _check_origin(self) -> None:
        if self._admission is not ADMITTED and self.url.partition(b"?")[0] not in HEALTH:
            self._stop(refusals.FULL if self._admission is Admission.FULL else refusals.ADDRESS_FULL)
        if self._from_proxy:
            self._count_client()

    def _count_client(self) -> None:
        peer = self.client[0] if self.client else ""
        client = self.registry.proxies.client(peer, self.headers)
        origin = self.registry.begin(client)
        if origin is None:
            self._stop(refusals.ADDRESS_FULL)
        else:
            self._origins.append(origin)
            self.scope["client"] = (client, 0)

    def _end_requests(self) -> None:
        while self._origins:
            self.registry.end(self._origins.popleft())

    def _refuse(self, refusal: Refusal) -> None:
        """Answers with a refusal and closes. What still comes is dropped for a moment, so that the client reads it."""
        phase, self._now = self._phase, self._monotonic()
        self._turn(CLOSING)
        self.pipeline.clear()
        running = self._running
        if running is not None and not self._answered:
            if phase is not BODY or running is not self.cycle or running.response_started:
                # The refusal is about a later request: the answer to this one goes first, and is the last.
                running.keep_alive = False
                return
            running.disconnected = True
            running.message_event.set()
        if self.transport.is_closing():
            return
        self.transport.write(refusal.answer())
        self.flow.resume_reading()
        self.transport.write_eof()


def guarded(connections: Connections) -> type[asyncio.Protocol]:
    """The protocol of connections that one registry counts."""

    class Guarded(GuardedConnection):
        registry = connections

    return Guarded
