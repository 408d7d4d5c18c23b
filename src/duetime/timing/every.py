"""A timing with a fixed interval. The nth instant is the anchor plus n intervals, so that it never drifts. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from duetime.timing.errors import DurationError
from duetime.timing.instants import EPOCH, FIRST_INSTANT, LAST_INSTANT, instant_of, since_epoch


class Every(Struct, frozen=True):
    """All instants at whole intervals from the anchor, before and after it."""

    interval: timedelta
    anchor: datetime = EPOCH

    def __post_init__(self) -> None:
        if self.interval < timedelta(seconds=1):
            raise DurationError("An interval is at least one second long, such as '90s' or '15m'.")
        since_epoch(self.anchor)

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due instant strictly after another; `None` if there is none."""
        elapsed = max(since_epoch(instant), _FIRST - _TICK) - since_epoch(self.anchor)
        return self._at(elapsed // self.interval + 1)

    def prev_before(self, instant: datetime) -> datetime | None:
        """The last due instant strictly before another; `None` if there is none."""
        elapsed = min(since_epoch(instant), _LAST + _TICK) - since_epoch(self.anchor)
        return self._at(-(-elapsed // self.interval) - 1)

    def is_shifted(self, instant: datetime) -> bool:
        """Always false: an interval counts elapsed time, which changes of a zone do not affect."""
        return False

    def _at(self, number: int) -> datetime | None:
        since = since_epoch(self.anchor) + number * self.interval
        return EPOCH + since if _FIRST <= since <= _LAST else None


_TICK = timedelta(microseconds=1)
_FIRST, _LAST = instant_of(FIRST_INSTANT) - EPOCH, instant_of(LAST_INSTANT) - EPOCH
