"""Computes the local times of a recurrence rule, with bounded work for every rule. Pure.

A period far from the start is computed by arithmetic, not by counting. Only a rule with a `COUNT` is
counted from its start, once.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from itertools import product
from math import gcd

from duetime.timing.errors import RuleError
from duetime.timing.instants import DAY, EPOCH_ORDINAL
from duetime.timing.rrule_days import CYCLE_DAYS, CYCLE_YEARS, AllowedDays, DayFilter
from duetime.timing.rrule_periods import Periods
from duetime.timing.rrule_text import FREQUENCIES, RuleText
from duetime.timing.rrule_units import LAST_LOCAL, Units

_UNITS = {"DAILY": DAY, "HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}
_CYCLES = {"YEARLY": CYCLE_YEARS, "MONTHLY": CYCLE_YEARS * 12, "WEEKLY": CYCLE_DAYS // 7}
"""After how many periods the calendar repeats. A rule without a date among them is never due."""
_MAX_TIMES = 1440
_REMEMBERED = 64


class RuleTimes:
    """The local times of a rule from its start on, which can be searched forward."""

    __slots__ = ("_counted", "_days", "_last", "_offsets", "_periods", "_rule", "_selected", "_units", "start")

    def __init__(self, rule: RuleText, start: int) -> None:
        first = date.fromordinal(start // DAY + EPOCH_ORDINAL)
        hours, minutes, seconds = _times_of_day(rule, start % DAY)
        self._rule = rule
        self.start = start
        self._days = AllowedDays(_day_filter(rule, first))
        self._periods = Periods(rule.freq, first, rule.week_start)
        self._offsets = _offsets(rule, hours, minutes, seconds)
        self._selected: dict[int, list[int]] = {}
        self._counted, self._last = 0, start - 1
        unit = _UNITS.get(rule.freq)
        self._units: Units | None = None
        if unit is not None:
            times = frozenset(hours), frozenset(minutes), frozenset(seconds)
            self._units = Units(start - start % unit, unit * rule.interval, unit, self._days, times)

    def first(self, local: int) -> int | None:
        """The first time of the rule at or after a local time. Raises `SearchLimit`."""
        count = self._rule.count
        while count is not None and self._last < local:
            following = None if self._counted == count else self._first(self._last + 1)
            if following is None:
                return None
            self._counted, self._last = self._counted + 1, following
        return self._first(local)

    def _first(self, local: int) -> int | None:
        local = max(local, self.start)
        found = self._by_period(local) if self._units is None else self._by_unit(local, self._units)
        until = self._rule.until
        if found is None or until is None or until.utc:
            return found
        return found if found <= until.seconds + (DAY - 1 if until.whole_day else 0) else None

    def _by_unit(self, local: int, units: Units) -> int | None:
        """For days and shorter units: a time within the unit that contains the local time, else in the next one."""
        unit = _UNITS[self._rule.freq]
        at = units.first(local - local % unit)
        if at is not None and self._offsets and local - at > self._offsets[-1]:
            at = units.first(at + unit)
        if at is None or not self._offsets:
            return None
        return at + self._offsets[bisect_left(self._offsets, local - at)]

    def _by_period(self, local: int) -> int | None:
        """For years, months and weeks: combine the dates of a period with the times of day."""
        if local > LAST_LOCAL or not self._offsets:
            return None
        interval, cycle = self._rule.interval, _CYCLES[self._rule.freq]
        number = -(-self._periods.number(local // DAY) // interval) * interval
        for _ in range(cycle // gcd(cycle, interval) + 1):
            bounds = self._periods.bounds(number)
            if bounds is None:
                return None
            mask = self._days.mask(*bounds)
            found = self._within(bounds[0], mask, local) if mask else None
            if found is not None:
                return found
            number += interval
        return None

    def _within(self, first: int, mask: int, local: int) -> int | None:
        """The first time at or after a local time in a period that begins with day `first` and has these days."""
        if "BYSETPOS" in self._rule.lists:
            selected = self._positions(mask)
            index = bisect_left(selected, local - first * DAY)
            return first * DAY + selected[index] if index < len(selected) else None
        day = local // DAY - first
        if day >= 0:
            if mask >> day & 1 and local % DAY <= self._offsets[-1]:
                return local - local % DAY + self._offsets[bisect_left(self._offsets, local % DAY)]
            mask &= -2 << day
        return (first + (mask & -mask).bit_length() - 1) * DAY + self._offsets[0] if mask else None

    def _positions(self, mask: int) -> list[int]:
        """The times of a period that `BYSETPOS` selects, in seconds from the begin of the period."""
        known = self._selected.get(mask)
        if known is None:
            if len(self._selected) >= _REMEMBERED:
                self._selected.clear()
            days = [day for day in range(mask.bit_length()) if mask >> day & 1]
            known = self._selected[mask] = _selected(days, self._offsets, self._rule.lists["BYSETPOS"])
        return known


def _times_of_day(rule: RuleText, start: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Hours, minutes and seconds: the listed ones; else all for units of at least the frequency, else the start's."""
    rank = FREQUENCIES.index(rule.freq)
    hours = (start // 3600,) if rank <= FREQUENCIES.index("DAILY") else tuple(range(24))
    minutes = (start % 3600 // 60,) if rank <= FREQUENCIES.index("HOURLY") else tuple(range(60))
    seconds = (start % 60,) if rank <= FREQUENCIES.index("MINUTELY") else tuple(range(60))
    lists = rule.lists
    return lists.get("BYHOUR", hours), lists.get("BYMINUTE", minutes), lists.get("BYSECOND", seconds)


def _offsets(rule: RuleText, hours: tuple[int, ...], minutes: tuple[int, ...], seconds: tuple[int, ...]) -> list[int]:
    """The times within one unit (a day for all longer frequencies), in seconds from its begin."""
    unit = _UNITS.get(rule.freq, DAY)
    parts = (hours if unit == DAY else (0,), minutes if unit >= 3600 else (0,), seconds if unit >= 60 else (0,))
    if len(parts[0]) * len(parts[1]) * len(parts[2]) > _MAX_TIMES:
        raise RuleError(f"BYHOUR, BYMINUTE and BYSECOND make more than {_MAX_TIMES} times: use a shorter FREQ instead.")
    times = [hour * 3600 + minute * 60 + second for hour, minute, second in product(*parts)]
    if rule.freq == "DAILY" and "BYSETPOS" in rule.lists:
        return _selected([0], times, rule.lists["BYSETPOS"])
    return times


def _selected(days: list[int], offsets: list[int], positions: tuple[int, ...]) -> list[int]:
    """The times at the given positions of a period, counted from 1 or, with negative numbers, from the end."""
    total = len(days) * len(offsets)
    indexes = {position - 1 if position > 0 else total + position for position in positions}
    within = sorted(index for index in indexes if 0 <= index < total)
    return [days[index // len(offsets)] * DAY + offsets[index % len(offsets)] for index in within]


def _day_filter(rule: RuleText, start: date) -> DayFilter:
    """The parts about days; what they leave open is taken from the start."""
    lists = rule.lists
    months, month_days = lists.get("BYMONTH", ()), lists.get("BYMONTHDAY", ())
    weekdays = [day for day, nth in rule.days if not nth]
    given = month_days or rule.days or lists.get("BYYEARDAY") or lists.get("BYWEEKNO")
    if not given and rule.freq in ("YEARLY", "MONTHLY"):
        month_days = (start.day,)
        months = months or ((start.month,) if rule.freq == "YEARLY" else ())
    elif not given and rule.freq == "WEEKLY":
        weekdays = [start.weekday()]
    return DayFilter(
        freq=rule.freq,
        months=frozenset(months),
        month_days=frozenset(month_days),
        year_days=frozenset(lists.get("BYYEARDAY", ())),
        weeks=frozenset(lists.get("BYWEEKNO", ())),
        weekdays=frozenset(weekdays),
        nth_days=frozenset((day, nth) for day, nth in rule.days if nth),
        week_start=rule.week_start,
    )
