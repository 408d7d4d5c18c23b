"""How large batches are: large normally, small while a light user's few jobs wait beside another user's many."""

from __future__ import annotations

from datetime import datetime, timedelta

from duetime.clock.port import Clock

SMALL_FOR = timedelta(seconds=2)


class BatchSize:
    """Whether batches are small now. Small batches end soon, so a light user's job never waits for a large one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._small_until: datetime | None = None

    def make_room(self) -> None:
        """Keep batches small for a moment: a light user has jobs to launch."""
        self._small_until = self._clock.now() + SMALL_FOR

    @property
    def small(self) -> bool:
        """Whether a light user's jobs arrived a moment ago."""
        if self._small_until is not None and self._clock.now() >= self._small_until:
            self._small_until = None
        return self._small_until is not None
