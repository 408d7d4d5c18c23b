"""Counts what a message costs beside its body, before the parser gets it. Pure."""

from __future__ import annotations

from duetime.api.connections.bounds import CHUNK_FRAMING, HEAD_BYTES

SLICE = 16_384
"""Bytes that the parser gets at once where the end of a head or a chunk is not known."""


class Framing:
    """The bytes of one head, or of what frames one body.

    The parser does not say where in a slice one part of a message ends and the next begins. A slice in which that
    happens counts whole for the next part, so that no part is ever counted too low.
    """

    __slots__ = ("_body_bytes", "_chunks", "_counted", "_length", "body_seen", "size", "turned")

    def __init__(self) -> None:
        self.size = 0
        """Bytes of the present part that are no body."""
        self.body_seen = 0
        self._length = b""
        """Of the present body, as the client has written it; empty if that is not known."""
        self._chunks = 0
        self.turned = False
        """Whether another part of a message has begun in the present slice."""
        self._body_bytes = self._counted = 0
        """Bytes of all bodies of this connection, and how many there were before the present slice."""

    def begin_body(self, length: bytes) -> None:
        """Begins a body: with its length, or with nothing if that is not known."""
        self._length, self.body_seen, self._chunks = length, 0, 0

    def add_body(self, size: int) -> None:
        """Counts bytes of a body."""
        self._body_bytes += size
        self.body_seen += size

    def add_chunk(self) -> None:
        """Counts a chunk, which may have some framing of its own."""
        self._chunks += 1

    @property
    def left(self) -> int:
        """How many bytes of the present body are still to come, if its length is known; else 0."""
        return max(0, self._declared - self.body_seen)

    @property
    def _declared(self) -> int:
        return int(self._length[:20]) if self._length.isdigit() else 0

    def room(self, *, in_body: bool) -> int:
        """How many bytes the parser may get at once."""
        if in_body:
            return max(self._declared - self.body_seen, SLICE)
        return max(1, min(SLICE, HEAD_BYTES - self.size))

    def begin_slice(self) -> None:
        """Notes that the parser gets a slice."""
        self._counted, self.turned = self._body_bytes, False

    def end_slice(self, size: int, *, in_body: bool) -> bool:
        """Counts the slice that the parser got. Returns whether a bound is passed."""
        framing = size - (self._body_bytes - self._counted)
        self.size = framing if self.turned else self.size + framing
        if in_body:
            return self.size - CHUNK_FRAMING * self._chunks > HEAD_BYTES
        return self.size >= HEAD_BYTES
