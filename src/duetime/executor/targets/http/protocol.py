"""The library's reader of answers, with a bound on everything that a server can send.

By itself it reads interim answers (1xx) without end, and parses whatever comes over a connection that no request uses.
Here every answer has a bound on its interim answers, on the bytes before its final headers end, and on the bytes
around the pieces of its body. The body itself has none here: its reader stops at a limit, and the connection waits for
its reader. Bytes that no request asked for close the connection. What was received is parsed in small slices, so that
little is parsed before a bound is checked.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final

from aiohttp import ClientPayloadError, StreamReader, TCPConnector
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import HttpProcessingError

SLICE: Final = 4096
MAX_INTERIM: Final = 32
MAX_BEFORE_ANSWER: Final = 64 * 1024
"""Bytes of interim answers and of the final headers."""
MAX_OVERHEAD: Final = 32 * 1024
"""Bytes around the pieces of a body: sizes and extensions of chunks, and trailers. Every chunk has at least five."""


class TooMuch(HttpProcessingError):
    """The server sent more than an answer may have."""


class BoundedHandler(ResponseHandler):
    """Reads the answers of one connection within bounds."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._is_awaited = False
        self._has_surplus = False
        self._interim = self._received = 0
        self._unread = b""

    @property
    def should_close(self) -> bool:
        """Whether the connection cannot be used again."""
        return bool(self._unread) or super().should_close

    def set_response_params(self, **params: Any) -> None:
        """Begin to wait for the answer of a request."""
        self._is_awaited, self._interim, self._received = True, 0, 0
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Parse what was received, slice by slice, up to the bounds. Empty data resumes a paused parser."""
        if not data:
            super().data_received(data)
            data, self._unread = self._unread, b""
        while data:
            if self._reading_paused:
                self._unread += data
                return
            if not self._expects_data():
                self._end(None)
                return
            size, was_awaited = len(data), self._is_awaited
            if size <= SLICE:
                super().data_received(data)
                data = b""
            else:
                super().data_received(data[:SLICE])
                data = data[SLICE:]
            self._received += size - len(data)
            if self._has_surplus:
                self._end(None)
                return
            if self._is_awaited:
                if self._interim > MAX_INTERIM or self._received > MAX_BEFORE_ANSWER:
                    self._end(TooMuch(message="Got more than an answer's headers may have."))
                    return
            elif was_awaited:
                self._received = 0
            elif self._received > MAX_OVERHEAD and self._has_much_overhead():
                self._end(TooMuch(message="Got more than an answer may have."))
                return

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        """Hand an answer to the request that waits for it. A further one is surplus."""
        if not self._is_awaited:
            self._has_surplus = True
            return
        status = data[0].code
        if 100 <= status < 200 and status != 101:
            self._interim += 1
        else:
            self._is_awaited = False
        super().feed_data(data, size)

    def _expects_data(self) -> bool:
        if self._is_awaited:
            return self._exception is None
        return self._payload is not None and not self._payload.is_eof()

    def _has_much_overhead(self) -> bool:
        payload = self._payload
        return payload is not None and self._received - payload.total_bytes > MAX_OVERHEAD

    def _end(self, error: TooMuch | None) -> None:
        """Close the connection. The error goes to the reader of the headers or of the body."""
        payload, transport = self._payload, self.transport
        self._should_close = True
        self._parser = self._payload = None
        self._drop_timeout()
        if error is not None and self._is_awaited:
            self.set_exception(error)
        elif error is not None and payload is not None:
            broken = ClientPayloadError()
            broken.__cause__ = error
            payload.set_exception(broken)
        if transport is not None:
            transport.abort()


class BoundedConnector(TCPConnector):
    """A source of connections whose answers have bounds."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._factory = partial(BoundedHandler, loop=self._loop)
