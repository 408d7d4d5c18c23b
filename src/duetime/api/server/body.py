"""Reading a request's body, up to its limit."""

from __future__ import annotations

from starlette.types import Receive, Scope

from duetime.model.errors import Malformed, TooLarge


class ClientGone(Exception):
    """The client closed the connection before its request was complete; there is no one to answer."""


def too_large(limit: int) -> TooLarge:
    """The error for a body over a limit."""
    return TooLarge(f"The body may have at most {limit} bytes.", limit=limit)


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """Returns the whole body.

    Raises `TooLarge` before reading anything when the declared length is over the limit, otherwise as soon
    as the bytes read are.
    """
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
