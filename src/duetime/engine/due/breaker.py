"""A circuit breaker: while a host is down, its jobs wait instead of using up their attempts. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

THRESHOLD = 10
"""Failures in a row, without a success between them, after which the breaker opens."""
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(seconds=60)
FORGOTTEN = timedelta(hours=1)
COUNTED = frozenset({"connection", "tls", "timeout", "http_502", "http_503", "http_504"})
PROBING = datetime.max.replace(tzinfo=UTC)


class Breaker:
    """Closed, open until an instant, or open with one run that probes the host."""

    def __init__(self, threshold: int = THRESHOLD) -> None:
        self._threshold = threshold
        self.failures = 0
        self.open_until: datetime | None = None
        self._pause = FIRST_PAUSE
        self._probing = False
        self._failed_at: datetime | None = None

    @staticmethod
    def counts(failure: str) -> bool:
        """Whether a failure says that the host is down, and not that something is wrong with the job."""
        return failure in COUNTED

    @property
    def idle(self) -> bool:
        """Whether there is nothing to remember."""
        return self.failures == 0 and self.open_until is None

    def at_rest(self, now: datetime) -> bool:
        """Whether it is closed, and its last failure so long ago that it says nothing about the host any more."""
        return self.open_until is None and (self._failed_at is None or now - self._failed_at >= FORGOTTEN)

    def closed_until(self, now: datetime) -> datetime | None:
        """Returns the instant from which the next run may launch; None if it may now."""
        if self.open_until is None:
            return None
        if self._probing:
            return PROBING
        return self.open_until if now < self.open_until else None

    @property
    def next_probe(self) -> datetime | None:
        """The instant from which a run may probe the host; None while it is closed, and while a run probes."""
        return None if self._probing else self.open_until

    def passed(self) -> None:
        """Note that a run launches. While the breaker is open, it is the only one: it probes the host."""
        if self.open_until is not None:
            self._probing = True

    def end_probe(self) -> None:
        """Note that a run ended, with any outcome: if it was the probe, another run may probe."""
        self._probing = False

    def outcome(self, failure: str | None, now: datetime) -> bool | None:
        """Count a run's outcome. Returns True if the breaker opens, False if it closes, else None."""
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
