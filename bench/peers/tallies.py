"""Collects the workers' reports: how many tasks each process ran, and when its first and its last."""

from __future__ import annotations


class Tallies:
    """The latest report of every process."""

    def __init__(self) -> None:
        self._reports: dict[int, tuple[int, float, float]] = {}

    def record(self, pid: int, count: int, first: float, last: float) -> None:
        """Records the report of a process."""
        self._reports[pid] = (count, first, last)

    @property
    def done(self) -> int:
        """How many tasks all processes ran."""
        return sum(count for count, _, _ in self._reports.values())

    @property
    def rate(self) -> float:
        """Tasks per second, from the first of all processes to the last: without their start and stop."""
        first = min(first for _, first, _ in self._reports.values())
        last = max(last for _, _, last in self._reports.values())
        return self.done / max(last - first, 1e-6)
