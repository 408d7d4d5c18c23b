"""Pace: how much of the database one batch may take: much as a rule, little while somebody comes for a moment."""

from __future__ import annotations

from datetime import datetime, timedelta

from duetime.clock.port import Clock

SHARED_FOR = timedelta(seconds=2)


class BatchSize:
    """Whether somebody is to be made way for now: then nobody waits long for the end of somebody else's batch."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shared_until: datetime | None = None

    def somebody_came(self) -> None:
        """Somebody who had nothing to send has a little, beside others who have something."""
        self._shared_until = self._clock.now() + SHARED_FOR

    @property
    def shared(self) -> bool:
        """Whether somebody came a moment ago."""
        if self._shared_until is not None and self._clock.now() >= self._shared_until:
            self._shared_until = None
        return self._shared_until is not None
