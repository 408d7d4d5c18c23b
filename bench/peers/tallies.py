"""What workers tell of themselves: how many tasks each process ran, and when its first and its last."""

from __future__ import annotations


class Tallies:
    """The newest word of every process."""

    def __init__(self) -> None:
        self._told: dict[int, tuple[int, float, float]] = {}

    def told(self, pid: int, count: int, first: float, last: float) -> None:
        """A process says how far it is."""
        self._told[pid] = (count, first, last)

    @property
    def done(self) -> int:
        """Tasks run by all."""
        return sum(count for count, _, _ in self._told.values())

    @property
    def rate(self) -> float:
        """Tasks a second from the first of all to the last of all: starting up and stopping do not count."""
        first = min(first for _, first, _ in self._told.values())
        last = max(last for _, _, last in self._told.values())
        return self.done / max(last - first, 1e-6)
