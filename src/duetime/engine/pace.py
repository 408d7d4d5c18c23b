"""Pace: how much of the database one batch may take: much while one user has it alone, little while others come."""

from __future__ import annotations

from datetime import datetime, timedelta

from duetime.clock.port import Clock

SHARED_FOR = timedelta(seconds=2)


class Pace:
    """Whether users share the machine now: then nobody waits long for the end of somebody else's batch."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shared_until: datetime | None = None

    def somebody_came(self) -> None:
        """Somebody who had nothing to send has something, beside others who have."""
        self._shared_until = self._clock.now() + SHARED_FOR

    @property
    def shared(self) -> bool:
        """Whether somebody came a moment ago."""
        if self._shared_until is not None and self._clock.now() >= self._shared_until:
            self._shared_until = None
        return self._shared_until is not None
