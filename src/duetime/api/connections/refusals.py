"""Answers to requests that are refused before the application sees them. Pure."""

from __future__ import annotations

from http import HTTPStatus

from msgspec import Struct

from duetime.api.connections.bounds import HEAD_BYTES, MAX_HEADERS, MAX_PIPELINED
from duetime.api.server.envelope import failure_body


class Refusal(Struct, frozen=True):
    """Why a connection is refused, as an answer after which it is closed."""

    status: int
    code: str
    message: str
    retry_after: int | None = None

    def answer(self) -> bytes:
        """The whole answer as bytes."""
        body = failure_body(self.code, self.message, None)
        retry = "" if self.retry_after is None else f"retry-after: {self.retry_after}\r\n"
        head = (
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n"
            f"content-type: application/json\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n"
            f"{retry}content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        return head.encode() + body


MALFORMED = Refusal(400, "malformed", "This is not a valid HTTP/1.1 request.")
ONE_HOST = Refusal(400, "malformed", "A request must have exactly one 'Host' header.")
TOO_MANY_HEADERS = Refusal(431, "too_large", f"A request may have at most {MAX_HEADERS} headers.")
HEAD_TOO_LARGE = Refusal(431, "too_large", f"The headers and trailers may have at most {HEAD_BYTES} bytes.")
URL_TOO_LONG = Refusal(414, "too_large", f"The URL and the headers may have at most {HEAD_BYTES} bytes.")
HEAD_TOO_SLOW = Refusal(408, "timeout", "The headers did not come in time.")
BODY_TOO_SLOW = Refusal(408, "timeout", "The body did not come in time.")
TOO_DEEP = Refusal(429, "over_limit", f"At most {MAX_PIPELINED} requests may wait on one connection.", 1)
FULL = Refusal(503, "overloaded", "Too many connections are open: try again in a second.", 1)
ADDRESS_FULL = Refusal(429, "over_limit", "Too many connections are open from your address: close some first.", 1)
