"""A histogram in plain integers: how many values are in each bucket, and their sum."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime, timedelta


class Histogram:
    """Counts values by bucket. `bounds` are the buckets' upper bounds, inclusive; one more bucket has no bound."""

    __slots__ = ("_edges", "bounds", "buckets", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.buckets = [0] * (len(bounds) + 1)
        """How many values are in each bucket; not cumulated."""
        self.total = 0.0
        """The sum of all values."""
        self._edges = [timedelta(seconds=bound) for bound in bounds]

    @property
    def count(self) -> int:
        """How many values there are."""
        return sum(self.buckets)

    def observe(self, value: float, times: int = 1) -> None:
        """Count one value, or the same value several times."""
        self.buckets[bisect_left(self.bounds, value)] += times
        self.total += value * times

    def observe_since(self, instants: Sequence[datetime], until: datetime, total: float) -> None:
        """Count the seconds from each instant to `until`. The instants are in order; `total` is their timestamps' sum.

        Costs a search per bucket, whatever the number of instants, and few buckets where all instants are close.
        """
        left = len(instants)
        for at, edge in enumerate(self._edges):
            older = bisect_left(instants, until - edge, 0, left)
            self.buckets[at] += left - older
            left = older
            if not left:
                break
        self.buckets[-1] += left
        self.total += max(0.0, until.timestamp() * len(instants) - total)
