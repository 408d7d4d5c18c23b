"""Finds the dates that the `BY…` parts of a recurrence rule allow. Pure.

The calendar repeats every 400 years, so that the allowed days of those years tell all others.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterator
from datetime import MAXYEAR, date

from msgspec import Struct

from duetime.timing.days import month_length
from duetime.timing.instants import EPOCH_ORDINAL
from duetime.timing.rrule_text import Frequency

LAST_ORDINAL = date.max.toordinal()
CYCLE_YEARS = 400
CYCLE_DAYS = 146_097
"""The days of 400 years, a whole number of weeks."""
_CYCLE_START = 2000


class DayFilter(Struct, frozen=True):
    """The `BY…` parts about days. A date must meet every part that is given."""

    freq: Frequency
    months: frozenset[int]
    month_days: frozenset[int]
    year_days: frozenset[int]
    weeks: frozenset[int]
    weekdays: frozenset[int]
    nth_days: frozenset[tuple[int, int]]
    week_start: int

    @property
    def restricts(self) -> bool:
        """Whether any part is given."""
        parts = (self.months, self.month_days, self.year_days, self.weeks, self.weekdays, self.nth_days)
        return any(parts)

    def allows(self, day: int) -> bool:
        """Whether a day, in days since 1970, meets all parts."""
        ordinal = day + EPOCH_ORDINAL
        found = date.fromordinal(ordinal)
        if self.months and found.month not in self.months:
            return False
        if self.month_days and not self._month_day(found):
            return False
        if self.weekdays or self.nth_days:
            weekday = found.weekday()
            if weekday not in self.weekdays and not self._nth(found, weekday):
                return False
        if self.year_days and not self._year_day(found, ordinal):
            return False
        return not self.weeks or self._week(found, ordinal)

    def days(self, first: int, last: int) -> list[int]:
        """The allowed days from `first` to `last`."""
        found: list[int] = []
        while first <= last:
            start = date.fromordinal(first + EPOCH_ORDINAL)
            end = min(first + month_length(start.year, start.month) - start.day, last)
            if not self.months or start.month in self.months:
                found.extend(day for day in range(first, end + 1) if self.allows(day))
            first = end + 1
        return found

    def _month_day(self, found: date) -> bool:
        if found.day in self.month_days:
            return True
        return found.day - month_length(found.year, found.month) - 1 in self.month_days

    def _year_day(self, found: date, ordinal: int) -> bool:
        day_of_year = ordinal - date(found.year, 1, 1).toordinal() + 1
        length = date(found.year, 12, 31).toordinal() - date(found.year, 1, 1).toordinal() + 1
        return day_of_year in self.year_days or day_of_year - length - 1 in self.year_days

    def _nth(self, found: date, weekday: int) -> bool:
        """Whether a date is the nth such weekday of its month, or of its year for a yearly rule without months."""
        if not self.nth_days:
            return False
        if self.freq == "YEARLY" and not self.months:
            number = found.timetuple().tm_yday
            left = date(found.year, 12, 31).timetuple().tm_yday - number
        else:
            number = found.day
            left = month_length(found.year, found.month) - number
        nth, nth_from_end = (number - 1) // 7 + 1, -(left // 7 + 1)
        return (weekday, nth) in self.nth_days or (weekday, nth_from_end) in self.nth_days

    def _week(self, found: date, ordinal: int) -> bool:
        """Whether the number of a date's week is given; week 1 is the first with four days in the year."""
        begin = ordinal - (found.weekday() - self.week_start) % 7
        middle = min(max(begin + 3, 1), LAST_ORDINAL)
        year = date.fromordinal(middle).year
        number = (begin - _first_week(year, self.week_start)) // 7 + 1
        if number in self.weeks:
            return True
        if year == MAXYEAR:
            return False
        following = _first_week(year + 1, self.week_start)
        return (begin - following) // 7 in self.weeks


def _first_week(year: int, week_start: int) -> int:
    """The ordinal of the first day of a year's week 1."""
    fourth = date(year, 1, 4)
    return fourth.toordinal() - (fourth.weekday() - week_start) % 7


class AllowedDays:
    """The allowed days of every year as bit masks: bit n is the nth day of the year, from 0."""

    __slots__ = ("_filter", "_shapes", "_years", "every")

    def __init__(self, day_filter: DayFilter) -> None:
        self._filter = day_filter
        self.every = not day_filter.restricts
        """Whether all days are allowed."""
        self._years: list[int | None] = [None] * CYCLE_YEARS
        self._shapes: dict[tuple[bool, bool, int], int] = {}

    def first(self, day: int) -> int | None:
        """The first allowed day at or after another, in days since 1970; `None` if there is none."""
        ordinal = day + EPOCH_ORDINAL
        if ordinal > LAST_ORDINAL:
            return None
        year = date.fromordinal(ordinal).year
        left = self._of(year) >> ordinal - date(year, 1, 1).toordinal()
        if left:
            return day + (left & -left).bit_length() - 1
        for following in range(year + 1, min(year + CYCLE_YEARS, MAXYEAR) + 1):
            mask = self._of(following)
            if mask:
                return date(following, 1, 1).toordinal() - EPOCH_ORDINAL + (mask & -mask).bit_length() - 1
        return None

    def mask(self, first: int, last: int) -> int:
        """The allowed days from `first` to `last`, within one year or two: bit 0 is `first`."""
        ordinal = first + EPOCH_ORDINAL
        year = date.fromordinal(ordinal).year
        start = date(year, 1, 1).toordinal()
        mask, length = self._of(year) >> ordinal - start, 366 if isleap(year) else 365
        if ordinal + last - first >= start + length and year < MAXYEAR:
            mask |= self._of(year + 1) << start + length - ordinal
        return mask & (1 << last - first + 1) - 1

    def remainders(self, divisor: int) -> set[int]:
        """The remainders of the allowed days of 400 years. The divisor must divide the number of those days."""
        found: set[int] = set()
        for day in self._cycle():
            found.add(day % divisor)
            if len(found) == divisor:
                break
        return found

    def _cycle(self) -> Iterator[int]:
        for year in range(_CYCLE_START, _CYCLE_START + CYCLE_YEARS):
            start, mask = date(year, 1, 1).toordinal() - EPOCH_ORDINAL, self._of(year)
            while mask:
                lowest = mask & -mask
                yield start + lowest.bit_length() - 1
                mask ^= lowest

    def _of(self, year: int) -> int:
        known = self._years[year % CYCLE_YEARS]
        return self._computed(year % CYCLE_YEARS) if known is None else known

    def _computed(self, number: int) -> int:
        """A year's mask. It depends on the year's shape: its first weekday, its length and that of the year before."""
        year = _CYCLE_START + number
        first, last = date(year, 1, 1).toordinal(), date(year, 12, 31).toordinal()
        shape = isleap(year), isleap(year - 1), first % 7
        mask = self._shapes.get(shape)
        if mask is None:
            mask = 0
            for day in self._filter.days(first - EPOCH_ORDINAL, last - EPOCH_ORDINAL):
                mask |= 1 << day + EPOCH_ORDINAL - first
            self._shapes[shape] = mask
        self._years[number] = mask
        return mask
