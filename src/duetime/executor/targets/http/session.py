"""The library's session, with three of its behaviours changed.

By itself it sends a GET, PUT or DELETE a second time when a connection breaks; here only the caller decides that.
It forgets the peer's address when a short answer ends. And it leaves a reader waiting for ever when the rest of a
body is not valid HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from weakref import WeakKeyDictionary

from aiohttp import (
    ClientConnectorError,
    ClientOSError,
    ClientPayloadError,
    ClientResponse,
    ClientSession,
    DummyCookieJar,
    ServerDisconnectedError,
    TCPConnector,
)
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection

from duetime.model.errors import DuetimeError

MAX_FIELD_BYTES = 8190
MAX_FIELDS = 128

_peers: WeakKeyDictionary[ResponseHandler, str] = WeakKeyDictionary()
"""The peer's address of each connection that an answer came over. Asking the system each time is slow."""


class Disconnected(DuetimeError):
    """The connection broke before an answer came. The cause is the library's error."""

    code = "disconnected"

    def __init__(self, *, was_reused: bool) -> None:
        super().__init__()
        self.was_reused = was_reused


class Response(ClientResponse):
    """An answer with the address that it came from."""

    peer: str | None = None

    async def start(self, connection: Connection) -> ClientResponse:
        """Wait for the answer. Raises `Disconnected` where the library's own error would make the library resend."""
        protocol = connection.protocol
        if protocol is None:
            return await super().start(connection)
        known = _peers.get(protocol)
        peer = known or _peer(connection)
        try:
            started = await super().start(connection)
        except ClientConnectorError:
            raise
        except (ClientOSError, ServerDisconnectedError) as error:
            raise Disconnected(was_reused=known is not None) from error
        if known is None:
            _peers[protocol] = peer
        self.peer = peer
        return started


def open_session(connector: TCPConnector) -> ClientSession:
    """Returns a session that reads nothing from the environment and keeps only connections."""
    return ClientSession(
        connector=connector,
        connector_owner=True,
        cookie_jar=DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        response_class=Response,
        max_line_size=MAX_FIELD_BYTES,
        max_field_size=MAX_FIELD_BYTES,
        max_headers=MAX_FIELDS,
    )


@contextlib.contextmanager
def ends_with_connection(response: ClientResponse) -> Generator[None]:
    """End the reading of a body when its connection ends."""
    content, connection = response.content, response.connection
    protocol = connection.protocol if connection is not None else None
    closed = protocol.closed if protocol is not None else None
    if content.is_eof() or protocol is None or closed is None:
        yield
        return

    def end(_: asyncio.Future[None]) -> None:
        if not content.is_eof() and content.exception() is None:
            error = ClientPayloadError()
            error.__cause__ = protocol.exception()
            content.set_exception(error)

    closed.remove_done_callback(_note)
    closed.add_done_callback(_note)
    closed.add_done_callback(end)
    try:
        yield
    finally:
        closed.remove_done_callback(end)


def _peer(connection: Connection) -> str:
    name = connection.transport.get_extra_info("peername") if connection.transport is not None else None
    return str(name[0]) if name else "unknown"


def _note(closed: asyncio.Future[None]) -> None:
    """Read how a connection ended, so that asyncio does not log an unread exception."""
    if not closed.cancelled():
        closed.exception()
