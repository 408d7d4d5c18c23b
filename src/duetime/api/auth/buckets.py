"""Token buckets by key, in memory and bounded."""

from __future__ import annotations

from collections.abc import Hashable


class Buckets:
    """Each key may spend `burst` at once, then `rate` a second.

    A bucket is one number: the instant at which it is full again. So a full bucket need not be kept, and
    when there are too many, the fullest are dropped first: a flood of new keys cannot displace an
    exhausted one.
    """

    def __init__(self, rate: float, burst: float, max_keys: int = 20_000) -> None:
        self._gap = 1 / rate
        self._slack = (burst - 1) / rate
        self._max_keys = max_keys
        self._full_at: dict[Hashable, float] = {}

    def __len__(self) -> int:
        """How many keys are kept."""
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Seconds until the key may spend again; 0 if it may now."""
        return max(0.0, self._full_at.get(key, now) - now - self._slack)

    def spend(self, key: Hashable, now: float) -> float:
        """Spends one. Returns 0, or, with nothing spent, the seconds until the key may."""
        full_at = max(self._full_at.get(key, now), now)
        if full_at - now > self._slack:
            return full_at - now - self._slack
        self._full_at[key] = full_at + self._gap
        if len(self._full_at) > self._max_keys:
            self._drop_fullest(now)
        return 0.0

    def refund(self, key: Hashable) -> None:
        """Undoes one `spend`."""
        full_at = self._full_at.get(key)
        if full_at is not None:
            self._full_at[key] = full_at - self._gap

    def _drop_fullest(self, now: float) -> None:
        kept = [(key, full_at) for key, full_at in self._full_at.items() if full_at > now]
        most = self._max_keys * 3 // 4
        if len(kept) > most:
            kept = sorted(kept, key=lambda entry: entry[1])[-most:]
        self._full_at = dict(kept)
