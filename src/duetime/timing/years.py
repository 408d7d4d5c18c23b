"""Limits the local times of a cron expression to some years. Pure."""

from __future__ import annotations

from datetime import date

from msgspec import Struct

from duetime.timing.instants import DAY, EPOCH_ORDINAL
from duetime.timing.wallclock import Wallclock


class YearTimes(Struct, frozen=True):
    """The local times that match all fields, in the years whose bits are set."""

    wall: Wallclock
    years: int

    def matches(self, local: int) -> bool:
        """Whether a local time, in seconds since 1970, matches."""
        return self.first(local) == local

    def first(self, local: int) -> int | None:
        """The first matching time at or after a local time."""
        found = self.wall.first(local)
        while found is not None and not self.years >> _year(found) & 1:
            later = self.years >> _year(found) + 1
            if not later:
                return None
            found = self.wall.first(_begin(_year(found) + (later & -later).bit_length()))
        return found

    def last(self, local: int) -> int | None:
        """The last matching time at or before a local time."""
        found = self.wall.last(local)
        while found is not None and not self.years >> _year(found) & 1:
            earlier = self.years & (1 << _year(found)) - 1
            if not earlier:
                return None
            found = self.wall.last(_begin(earlier.bit_length()) - 1)
        return found


def _year(local: int) -> int:
    return date.fromordinal(local // DAY + EPOCH_ORDINAL).year


def _begin(year: int) -> int:
    return (date(year, 1, 1).toordinal() - EPOCH_ORDINAL) * DAY
