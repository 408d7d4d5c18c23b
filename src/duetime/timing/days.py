"""Finds the days of a month that match: days of the month, days of the week, and the marks `L`, `W` and `#`. Pure."""

from __future__ import annotations

from calendar import isleap
from functools import lru_cache
from typing import Literal

from msgspec import Struct

_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_SATURDAY = 6

DayTable = tuple[int, ...]
"""Masks of matching days, one for each shape of a month: at index `(length - 28) * 7 + weekday of the 1st`.

A month's shape is its length and the weekday of its 1st. Weekdays are counted from Sunday, 0. Bit n of a mask
is the nth day.
"""


class DayMark(Struct, frozen=True):
    """A day that depends on the month: the nth before the last, the working day nearest to the nth, and so on."""

    kind: Literal["last", "last_weekday", "nearest", "nearest_last", "last_dow", "nth_dow"]
    number: int = 0
    """Days before the last (`last`, `nearest_last`), the day (`nearest`), or the day of the week (the others)."""
    nth: int = 0

    def day(self, length: int, first: int) -> int:
        """The day in a month of this length whose 1st is weekday `first`; 0 if the month has no such day."""
        match self.kind:
            case "last":
                return max(length - self.number, 0)
            case "last_weekday":
                return _nearest_weekday(length, length, first)
            case "nearest":
                return _nearest_weekday(self.number, length, first) if self.number <= length else 0
            case "nearest_last":
                return _nearest_weekday(length - self.number, length, first) if self.number < length else 0
            case "last_dow":
                return length - (first + length - 1 - self.number) % 7
            case "nth_dow":
                day = 1 + (self.number - first) % 7 + 7 * (self.nth - 1)
                return day if day <= length else 0


class DayRule(Struct, frozen=True):
    """The two day fields together. With `either`, a day that matches one of them is enough."""

    dom: int
    dom_marks: tuple[DayMark, ...]
    dow: int
    dow_marks: tuple[DayMark, ...]
    either: bool

    def mask(self, length: int, first: int) -> int:
        """The matching days of a month of this length whose 1st is weekday `first`."""
        by_month = self.dom & (1 << length + 1) - 2
        by_week = 0
        for day in range(1, length + 1):
            if self.dow >> (first + day - 1) % 7 & 1:
                by_week |= 1 << day
        for mark in self.dom_marks:
            by_month |= 1 << mark.day(length, first)
        for mark in self.dow_marks:
            by_week |= 1 << mark.day(length, first)
        both = by_month | by_week if self.either else by_month & by_week
        return both & ~1


@lru_cache(maxsize=4096)
def day_table(rule: DayRule) -> DayTable:
    """The matching days for every shape of a month."""
    return tuple(rule.mask(length, first) for length in range(28, 32) for first in range(7))


def ever_matches(table: DayTable, months: int) -> bool:
    """Whether one of these months ever has a matching day: over the years a month's 1st is every weekday."""
    lengths = {_LENGTHS[month] for month in range(1, 13) if months >> month & 1}
    if months >> 2 & 1:
        lengths.add(29)
    return any(table[(length - 28) * 7 + first] for length in lengths for first in range(7))


def month_length(year: int, month: int) -> int:
    """How many days a month has."""
    return 29 if month == 2 and isleap(year) else _LENGTHS[month]


def _nearest_weekday(day: int, length: int, first: int) -> int:
    """The working day nearest to a day, Monday to Friday, without leaving the month."""
    of_week = (first + day - 1) % 7
    if of_week == _SATURDAY:
        return day - 1 if day > 1 else day + 2
    if of_week == 0:
        return day + 1 if day < length else day - 2
    return day
