"""How many requests a second a user may make."""

from __future__ import annotations

from duetime.api.buckets import Buckets
from duetime.clock.port import Clock
from duetime.model.errors import OverLimit


class RequestRate:
    """A token bucket for each user: two seconds' worth at once, then the rate."""

    def __init__(self, per_second: float, clock: Clock) -> None:
        self._per_second = per_second
        self._buckets = Buckets(per_second, max(1.0, 2 * per_second))
        self._clock = clock

    def enter(self, user_id: int) -> None:
        """Count one request; `OverLimit` when it is one too many."""
        wait = self._buckets.take(user_id, self._clock.monotonic())
        if wait > 0:
            raise OverLimit(
                f"You may make {self._per_second:g} requests a second: try again in {wait:.2f} s.",
                retry_after=wait,
            )
