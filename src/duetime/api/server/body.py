"""Reading a request's body, and no more of it than is allowed."""

from __future__ import annotations

from starlette.types import Receive, Scope

from duetime.model.errors import Malformed, TooLarge


class ClientGone(Exception):
    """The client hung up before its request was complete; there is nobody to answer."""


def too_large(limit: int) -> TooLarge:
    """The error for a body over a limit."""
    return TooLarge(f"The body may have at most {limit} bytes.", limit=limit)


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body; `TooLarge` before anything is read if its length says so, else as soon as it is."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            if not value.isdigit():
                raise Malformed("The header 'Content-Length' must be a number of bytes.")
            if int(value[:20]) > limit:
                raise too_large(limit)
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise too_large(limit)
        if not message.get("more_body", False):
            return chunk if not chunks else b"".join([*chunks, chunk])
        chunks.append(chunk)
