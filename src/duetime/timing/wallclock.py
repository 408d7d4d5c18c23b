"""Finds the local times that the fields of a cron expression match, on a clock without a zone. Pure."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date

from msgspec import Struct

from duetime.timing.days import DayTable, month_length
from duetime.timing.instants import DAY, EPOCH_ORDINAL

_LAST_DAY = date(9999, 12, 31).toordinal()
_MONTHS = 60 * 12
"""How many months a search covers: two matching dates are at most forty years apart."""


class Wallclock(Struct, frozen=True):
    """The local times that match all fields. Fields are bit masks: bit n is set if n matches."""

    seconds: int
    minutes: int
    hours: int
    months: int
    days: DayTable
    every_day: bool
    first_second: int
    """The first matching second of a minute."""
    first_in_hour: int
    """The first matching second of an hour."""

    def matches(self, local: int) -> bool:
        """Whether a local time, in seconds since 1970, matches."""
        return self.first(local) == local

    def first(self, local: int) -> int | None:
        """The first matching time at or after a local time."""
        day, second = divmod(local, DAY)
        matching = day if self.every_day else self._day_from(day)
        if matching == day:
            time = self._time_from(second)
            if time >= 0:
                return local - second + time
            matching = day + 1 if self.every_day else self._day_from(day + 1)
        return None if matching is None else matching * DAY + self._time_from(0)

    def last(self, local: int) -> int | None:
        """The last matching time at or before a local time."""
        day, second = divmod(local, DAY)
        matching = day if self.every_day else self._day_until(day)
        if matching == day:
            time = self._time_until(second)
            if time >= 0:
                return local - second + time
            matching = day - 1 if self.every_day else self._day_until(day - 1)
        return None if matching is None else matching * DAY + self._time_until(DAY - 1)

    def _time_from(self, second: int) -> int:
        """The first matching second of the day at or after `second`, or -1."""
        hour, minute = second // 3600, second // 60 % 60
        if self.hours >> hour & 1:
            if self.minutes >> minute & 1:
                left = self.seconds >> second % 60
                if left:
                    # The same as `lowest`, without a call: this is the hot path.
                    return second + (left & -left).bit_length() - 1
            left = self.minutes >> minute + 1
            if left:
                return hour * 3600 + (minute + (left & -left).bit_length()) * 60 + self.first_second
        left = self.hours >> hour + 1
        return (hour + (left & -left).bit_length()) * 3600 + self.first_in_hour if left else -1

    def _time_until(self, second: int) -> int:
        """The last matching second of the day at or before `second`, or -1."""
        hour, rest = divmod(second, 3600)
        minute, second = divmod(rest, 60)
        if self.hours >> hour & 1:
            if self.minutes >> minute & 1:
                left = _up_to(self.seconds, second)
                if left:
                    return hour * 3600 + minute * 60 + _highest(left)
            left = _up_to(self.minutes, minute - 1)
            if left:
                return hour * 3600 + _highest(left) * 60 + _highest(self.seconds)
        left = _up_to(self.hours, hour - 1)
        if not left:
            return -1
        return _highest(left) * 3600 + _highest(self.minutes) * 60 + _highest(self.seconds)

    def _day_from(self, day: int) -> int | None:
        """The first matching day, in days since 1970, at or after `day`."""
        ordinal = day + EPOCH_ORDINAL
        if not 1 <= ordinal <= _LAST_DAY:
            return None
        start = date.fromordinal(ordinal)
        year, month, of_month = start.year, start.month, start.day
        first = ordinal - of_month + 1
        for _ in range(_MONTHS):
            if self.months >> month & 1:
                days = self.days[(month_length(year, month) - 28) * 7 + first % 7] >> of_month
                if days:
                    return first + of_month - 1 + lowest(days) - EPOCH_ORDINAL
            later = self.months >> month + 1
            if later:
                month += 1 + lowest(later)
            else:
                year, month = year + 1, lowest(self.months)
            if year > MAXYEAR:
                return None
            first, of_month = date(year, month, 1).toordinal(), 1
        return None

    def _day_until(self, day: int) -> int | None:
        """The last matching day, in days since 1970, at or before `day`."""
        ordinal = day + EPOCH_ORDINAL
        if not 1 <= ordinal <= _LAST_DAY:
            return None
        start = date.fromordinal(ordinal)
        year, month, of_month = start.year, start.month, start.day
        first = ordinal - of_month + 1
        for _ in range(_MONTHS):
            if self.months >> month & 1:
                days = _up_to(self.days[(month_length(year, month) - 28) * 7 + first % 7], of_month)
                if days:
                    return first + _highest(days) - 1 - EPOCH_ORDINAL
            earlier = _up_to(self.months, month - 1)
            if earlier:
                month = _highest(earlier)
            else:
                year, month = year - 1, _highest(self.months)
            if year < MINYEAR:
                return None
            first, of_month = date(year, month, 1).toordinal(), 31
        return None


def lowest(mask: int) -> int:
    """The lowest set bit."""
    return (mask & -mask).bit_length() - 1


def _highest(mask: int) -> int:
    return mask.bit_length() - 1


def _up_to(mask: int, bit: int) -> int:
    return mask & (1 << bit + 1) - 1
