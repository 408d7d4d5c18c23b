"""Computes the local times of a recurrence rule, with bounded work for every rule. Pure.

A period far from the start is computed by arithmetic, not by counting. Only a rule with a `COUNT` is
counted from its start, once.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from datetime import date
from itertools import product

from duetime.timing.errors import RuleError
from duetime.timing.instants import DAY, EPOCH_ORDINAL
from duetime.timing.rrule_days import LAST_ORDINAL, DayFilter
from duetime.timing.rrule_periods import Periods
from duetime.timing.rrule_text import FREQUENCIES, RuleText

_UNITS = {"DAILY": DAY, "HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}
_PERIODS = {"YEARLY": 120, "MONTHLY": 1440, "WEEKLY": 6260}
"""How many periods a search for the next time covers: 120 years, and more with an interval."""
_CANDIDATES = 44_000
"""How many days, hours, minutes or seconds a search covers, without those that it skips."""
_MAX_TIMES = 1440
_LAST_LOCAL = (LAST_ORDINAL - EPOCH_ORDINAL) * DAY
_REMEMBERED = 8


class RuleTimes:
    """The local times of a rule from its start on, which can be searched forward."""

    __slots__ = ("_counted", "_days", "_memo", "_offsets", "_periods", "_rule", "_times", "start")

    def __init__(self, rule: RuleText, start: int) -> None:
        first = date.fromordinal(start // DAY + EPOCH_ORDINAL)
        hours, minutes, seconds = _times_of_day(rule, start % DAY)
        self._rule = rule
        self.start = start
        self._days = _day_filter(rule, first)
        self._periods = Periods(rule.freq, first, rule.week_start)
        self._times = frozenset(hours), frozenset(minutes), frozenset(seconds)
        self._offsets = _offsets(rule, hours, minutes, seconds)
        self._memo: dict[int, tuple[list[int], list[int]]] = {}
        self._counted = array("q")

    def first(self, local: int) -> int | None:
        """The first time of the rule at or after a local time."""
        count = self._rule.count
        if count is None:
            return self._first(local)
        counted = self._counted
        while len(counted) < count and (not counted or counted[-1] < local):
            following = self._first(counted[-1] + 1 if counted else self.start)
            if following is None:
                return None
            counted.append(following)
        index = bisect_left(counted, local)
        return counted[index] if index < len(counted) else None

    def _first(self, local: int) -> int | None:
        local = max(local, self.start)
        unit = _UNITS.get(self._rule.freq)
        found = self._by_period(local) if unit is None else self._by_unit(local, unit)
        until = self._rule.until
        if found is None or until is None or until.utc:
            return found
        return found if found <= until.seconds + (DAY - 1 if until.whole_day else 0) else None

    def _by_unit(self, local: int, unit: int) -> int | None:
        """For days and shorter units: try candidates at fixed distances, and skip what a longer unit forbids."""
        step = unit * self._rule.interval
        base = self.start - self.start % unit
        at = _at_or_after(local - local % unit, base, step)
        for _ in range(_CANDIDATES):
            if at > _LAST_LOCAL:
                return None
            skip = self._skip(at, unit)
            if not skip:
                index = bisect_left(self._offsets, local - at)
                if index < len(self._offsets):
                    return at + self._offsets[index]
            at = _at_or_after(at + (skip or unit), base, step)
        return None

    def _skip(self, at: int, unit: int) -> int:
        """Seconds to skip to the next unit that may be allowed; 0 if this one is."""
        hours, minutes, seconds = self._times
        day, second = divmod(at, DAY)
        if not self._days.allows(day):
            return DAY - second
        if unit < DAY and second // 3600 not in hours:
            return 3600 - second % 3600
        if unit < 3600 and second % 3600 // 60 not in minutes:
            return 60 - second % 60
        return 1 if unit == 1 and second % 60 not in seconds else 0

    def _by_period(self, local: int) -> int | None:
        """For years, months and weeks: combine the dates of a period with the times of day."""
        if local > _LAST_LOCAL:
            return None
        interval = self._rule.interval
        number = -(-self._periods.number(local // DAY) // interval) * interval
        for _ in range(_PERIODS[self._rule.freq]):
            bounds = self._periods.bounds(number)
            if bounds is None:
                return None
            found = self._within(number, bounds, local)
            if found is not None:
                return found
            number += interval
        return None

    def _within(self, number: int, bounds: tuple[int, int], local: int) -> int | None:
        """The first time of a period at or after a local time."""
        if number not in self._memo:
            if len(self._memo) >= _REMEMBERED:
                self._memo.clear()
            days = self._days.days(*bounds)
            self._memo[number] = days, _selected(days, self._offsets, self._rule.lists.get("BYSETPOS", ()))
        days, selected = self._memo[number]
        if "BYSETPOS" in self._rule.lists:
            index = bisect_left(selected, local)
            return selected[index] if index < len(selected) else None
        index = bisect_left(days, local // DAY)
        for day in days[index : index + 2]:
            offset = bisect_left(self._offsets, local - day * DAY)
            if offset < len(self._offsets):
                return day * DAY + self._offsets[offset]
        return None


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


def _at_or_after(local: int, base: int, step: int) -> int:
    return base - (base - local) // step * step
