"""Reading a request's body, up to its limit and within the memory that all bodies share."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from typing import Final

from starlette.types import Receive, Scope

from duetime.api.server.errors import Overloaded
from duetime.model.errors import Malformed, OverLimit, TooLarge

SMALL_BYTES: Final = 65_536
"""Bodies up to this size are bounded by the number of connections alone."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete; there is no one to answer."""


def too_large(limit: int) -> TooLarge:
    """The error for a body over a limit."""
    return TooLarge(f"The body may have at most {limit} bytes.", limit=limit)


class BodyMemory:
    """How many bytes of large bodies are held at once, by all users and by each. A user may hold half."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._by_user: Counter[int] = Counter()

    def __len__(self) -> int:
        """How many bytes are held."""
        return self._held

    def hold(self, user_id: int, size: int) -> None:
        """Counts further bytes. Raises `OverLimit` when the user holds too much, `Overloaded` when all together do."""
        if self._by_user[user_id] + size > self._most // 2:
            raise OverLimit("You send too much at once: wait for the answers to your other requests.", retry_after=1)
        if self._held + size > self._most:
            raise Overloaded("Too much is being sent at once: try again in a second.")
        self._held += size
        self._by_user[user_id] += size

    def release(self, user_id: int, size: int) -> None:
        """Uncounts bytes."""
        self._held -= size
        self._by_user[user_id] -= size
        if self._by_user[user_id] <= 0:
            del self._by_user[user_id]


class HeldBody:
    """What one request holds of the memory for large bodies."""

    __slots__ = ("_memory", "size", "user_id")

    def __init__(self, memory: BodyMemory, user_id: int = 0) -> None:
        self._memory = memory
        self.user_id = user_id
        self.size = 0

    def grow_to(self, size: int) -> None:
        """Holds as much as the body has by now."""
        if size > SMALL_BYTES:
            self._memory.hold(self.user_id, size - self.size)
            self.size = size

    def release(self) -> None:
        """Releases everything."""
        if self.size:
            self._memory.release(self.user_id, self.size)
            self.size = 0


async def read_body(scope: Scope, receive: Receive, limit: int, held: HeldBody | None = None) -> bytes:
    """Returns the whole body. Raises what `read_parts` raises."""
    _check_length(scope, limit)
    # Most bodies are one part, which costs no generator.
    first, is_last = await _next_part(receive, 0, limit, held)
    if is_last:
        return first
    parts = [first]
    async for part, _ in _parts(receive, len(first), limit, held):
        parts.append(part)
    return b"".join(parts)


def read_parts(
    scope: Scope, receive: Receive, limit: int, held: HeldBody | None = None
) -> AsyncGenerator[tuple[bytes, bool]]:
    """Returns the parts of a body as they come, each with whether it is the last one.

    Raises `TooLarge` before reading anything when the declared length is over the limit, otherwise as soon
    as the bytes read are. What has come, not what is declared, counts against the memory for bodies.
    """
    _check_length(scope, limit)
    return _parts(receive, 0, limit, held)


def _check_length(scope: Scope, limit: int) -> None:
    for name, value in scope["headers"]:
        if name == b"content-length":
            if not value.isdigit():
                raise Malformed("The header 'Content-Length' must be a number of bytes.")
            if int(value[:20]) > limit:
                raise too_large(limit)


async def _parts(receive: Receive, size: int, limit: int, held: HeldBody | None) -> AsyncGenerator[tuple[bytes, bool]]:
    is_last = False
    while not is_last:
        part, is_last = await _next_part(receive, size, limit, held)
        size += len(part)
        yield part, is_last


async def _next_part(receive: Receive, size: int, limit: int, held: HeldBody | None) -> tuple[bytes, bool]:
    """Returns the part that follows `size` bytes, and whether it is the last one."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    part: bytes = message.get("body", b"")
    if size + len(part) > limit:
        raise too_large(limit)
    if held is not None:
        held.grow_to(size + len(part))
    return part, not message.get("more_body", False)
