"""Answers: the envelope `{"data": …, "success": true}` or `{"success": false, "error": …}`, and how it is sent."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.types import Scope, Send

Header = tuple[bytes, bytes]

JSON_HEADERS: tuple[Header, ...] = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)

WHOLE_ANSWER: Final = "duetime.whole_answer"
"""An extension of ASGI. Its `write` takes the status, the headers and the body of an answer, and writes it at once."""

encode = msgspec.json.Encoder(enc_hook=str).encode


class Problem(Struct, frozen=True):
    """What went wrong: a code for programs, a sentence for people, and details where there are any."""

    code: str
    message: str
    details: dict[str, Any] | None


class Reply(Struct, frozen=True):
    """A complete answer, ready to be sent."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = JSON_HEADERS

    async def send(self, scope: Scope, send: Send) -> None:
        """Sends it, without the body if the method is HEAD."""
        headers = [*self.headers, (b"content-length", b"%d" % len(self.body))]
        body = b"" if scope["method"] == "HEAD" else self.body
        extensions = scope.get("extensions")
        if extensions and WHOLE_ANSWER in extensions:
            await extensions[WHOLE_ANSWER]["write"](self.status, headers, body)
            return
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def incomplete(reply: Reply, missing: list[str]) -> Reply:
    """The same answer, with a header that names what is missing from it."""
    return Reply(reply.status, reply.body, (*reply.headers, (b"duetime-incomplete", " ".join(missing).encode())))


def data_body(data: object) -> bytes:
    """The envelope of a success."""
    return b'{"data":' + encode(data) + b',"success":true}'


def listing_body(data: object, next_cursor: str | None) -> bytes:
    """The envelope of one page of a listing."""
    return b'{"data":' + encode(data) + b',"success":true,"next_cursor":' + encode(next_cursor) + b"}"


def failure_body(code: str, message: str, details: dict[str, object] | None) -> bytes:
    """The envelope of a failure."""
    return b'{"success":false,"error":' + encode(Problem(code, message, details or None)) + b"}"
