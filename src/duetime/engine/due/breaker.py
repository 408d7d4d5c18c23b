"""A circuit breaker: when a host is down for all, its jobs wait instead of using up their attempts. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

THRESHOLD = 10
"""Failures in a row, with no success between, after which a host is taken to be down."""
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(seconds=60)
FORGOTTEN = timedelta(hours=1)
COUNTED = frozenset({"connection", "tls", "timeout", "http_502", "http_503", "http_504"})
PROBING = datetime.max.replace(tzinfo=UTC)


class Breaker:
    """Closed, open until an instant, or trying with one run."""

    def __init__(self, threshold: int = THRESHOLD) -> None:
        self._threshold = threshold
        self.failures = 0
        self.open_until: datetime | None = None
        self._pause = FIRST_PAUSE
        self._probing = False
        self._failed_at: datetime | None = None

    @staticmethod
    def counts(failure: str) -> bool:
        """Whether a failure says that the host is down, rather than something about the job."""
        return failure in COUNTED

    @property
    def idle(self) -> bool:
        """Whether there is nothing to remember."""
        return self.failures == 0 and self.open_until is None

    def at_rest(self, now: datetime) -> bool:
        """Whether it is closed, and its last failure so long ago that it says nothing about the host any more."""
        return self.open_until is None and (self._failed_at is None or now - self._failed_at >= FORGOTTEN)

    def closed_until(self, now: datetime) -> datetime | None:
        """When the next run may go; None when now."""
        if self.open_until is None:
            return None
        if self._probing:
            return PROBING
        return self.open_until if now < self.open_until else None

    def passed(self) -> None:
        """A run goes. While the host is taken to be down, it is the only one."""
        if self.open_until is not None:
            self._probing = True

    def end_probe(self) -> None:
        """A run ended, whatever came of it: if it was the one that tried, another may."""
        self._probing = False

    def outcome(self, failure: str | None, now: datetime) -> bool | None:
        """What came of a run: True when this opened the breaker, False when it closed it."""
        self._probing = False
        if failure is None or not self.counts(failure):
            was_open, self.open_until, self.failures, self._pause = self.open_until, None, 0, FIRST_PAUSE
            return None if was_open is None else False
        self.failures += 1
        self._failed_at = now
        if self.open_until is not None:
            if now >= self.open_until:
                self._pause = min(self._pause * 2, LONGEST_PAUSE)
                self.open_until = now + self._pause
            return None
        if self.failures >= self._threshold:
            self.open_until = now + self._pause
            return True
        return None
