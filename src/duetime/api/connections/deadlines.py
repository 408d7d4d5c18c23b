"""How long a client may take to read an answer. Pure."""

from __future__ import annotations

from duetime.api.connections.bounds import Bounds


class UnreadAnswer:
    """Since when a client has not read all of its answer, and how much of it it has read meanwhile."""

    __slots__ = ("_bounds", "_most", "_since")

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._most = 0
        self._since = 0.0

    def too_slow(self, unsent: int, now: float) -> bool:
        """Whether the client has had its time, with so many bytes still to be read."""
        if not unsent or not self._most:
            self._most, self._since = unsent, now
            return False
        self._most = max(self._most, unsent)
        read = (self._most - unsent) / self._bounds.slowest
        return now - self._since > self._bounds.write_timeout + read
