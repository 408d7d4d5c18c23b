"""How many requests a second a user may make."""

from __future__ import annotations

from duetime.api.auth.buckets import Buckets
from duetime.clock.port import Clock
from duetime.model.errors import OverLimit

MAX_RATES = 1000


class RequestRate:
    """A token bucket for each user: two seconds' worth at once, then the rate."""

    def __init__(self, per_second: float | None, clock: Clock) -> None:
        """`per_second` is for users without a rate of their own; None lets them go."""
        self._per_second = per_second
        self._clock = clock
        self._buckets: dict[float, Buckets] = {}
        """By rate: there are as many as administrators gave out, plus one."""

    def enter(self, user_id: int, own_rate: float | None = None) -> None:
        """Count one request; `OverLimit` when it is one too many."""
        rate = own_rate or self._per_second
        if rate is None:
            return
        wait = self._at(rate).take(user_id, self._clock.monotonic())
        if wait > 0:
            raise OverLimit(
                f"You may make {rate:g} requests a second: try again in {wait:.2f} s.",
                retry_after=wait,
                quota="requests_per_second",
                limit=rate,
            )

    def _at(self, rate: float) -> Buckets:
        buckets = self._buckets.get(rate)
        if buckets is None:
            if len(self._buckets) >= MAX_RATES:
                self._buckets.clear()
            buckets = self._buckets[rate] = Buckets(rate, max(1.0, 2 * rate))
        return buckets
