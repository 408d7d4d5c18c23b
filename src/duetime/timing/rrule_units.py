"""Finds the allowed days, hours, minutes or seconds of a recurrence rule, by arithmetic where few are allowed. Pure.

The candidates of a rule lie at equal distances. Their times of day repeat after some candidates, and the calendar
repeats after 400 years. So the allowed times of day are listed once, and remainders show that a rule is never due.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import product
from math import gcd

from duetime.timing.errors import SearchLimit
from duetime.timing.instants import DAY, EPOCH_ORDINAL
from duetime.timing.rrule_days import CYCLE_DAYS, LAST_ORDINAL, AllowedDays

LAST_LOCAL = (LAST_ORDINAL - EPOCH_ORDINAL) * DAY
_NEAR = 200
"""How many candidates are tried one by one before the arithmetic begins: most rules are found among them."""
_NEAR_AGAIN = 8
"""The same, for a rule that needed the arithmetic before."""
_FAR = 8000
"""How many candidates on days that are not allowed the arithmetic passes before the search ends without an answer."""
_CHECK_NEVER = 500

TimesOfDay = tuple[frozenset[int], frozenset[int], frozenset[int]]
"""The allowed hours, minutes and seconds."""


class Units:
    """The candidates `base + n * step`, of which those are allowed whose day and time of day are."""

    __slots__ = ("_base", "_days", "_in_cycle", "_never", "_step", "_times", "_unit")

    def __init__(self, base: int, step: int, unit: int, days: AllowedDays, times: TimesOfDay) -> None:
        self._base, self._step, self._unit = base, step, unit
        self._days, self._times = days, times
        self._in_cycle: array[int] | None = None
        self._never = False

    def first(self, local: int) -> int | None:
        """The first allowed candidate at or after a local time. Raises `SearchLimit`."""
        at = self._at_or_after(local)
        for _ in range(_NEAR if self._in_cycle is None else _NEAR_AGAIN):
            if at > LAST_LOCAL:
                return None
            if not self._days.every:
                day = self._days.first(at // DAY)
                if day is None:
                    return None
                if day * DAY > at:
                    at = self._at_or_after(day * DAY)
                    continue
            skip = self._skip(at % DAY)
            if not skip:
                return at
            at = self._at_or_after(at + skip)
        return self._by_arithmetic(at)

    def _by_arithmetic(self, at: int) -> int | None:
        cycle = DAY // gcd(self._step, DAY)
        if self._in_cycle is None:
            self._in_cycle = self._allowed_in_cycle(cycle)
        for tried in range(_FAR):
            if self._never or not self._in_cycle:
                return None
            number = (at - self._base) // self._step
            index = bisect_left(self._in_cycle, number % cycle)
            if index < len(self._in_cycle):
                number += self._in_cycle[index] - number % cycle
            else:
                number += self._in_cycle[0] + cycle - number % cycle
            at = self._base + number * self._step
            day = self._days.first(at // DAY) if at <= LAST_LOCAL else None
            if day is None:
                return None
            if day == at // DAY:
                return at
            at = self._at_or_after(day * DAY)
            if tried == _CHECK_NEVER:
                self._never = self._never_meets(cycle)
        raise SearchLimit(at)

    def _allowed_in_cycle(self, cycle: int) -> array[int]:
        """The numbers of the candidates within one cycle whose time of day is allowed, in order."""
        hours, minutes, seconds = self._times
        base, step, unit = self._base % DAY, self._step, self._unit
        parts = hours if unit < DAY else {0}, minutes if unit < 3600 else {0}, seconds if unit == 1 else {0}
        if len(parts[0]) * len(parts[1]) * len(parts[2]) > cycle:
            return array("I", [one for one in range(cycle) if not self._skip((base + one * step) % DAY)])
        # Each time of day is that of one candidate in the cycle, or of none.
        divisor = DAY // cycle
        inverse = pow(step // divisor, -1, cycle)
        times = [hour * 3600 + minute * 60 + second - base for hour, minute, second in product(*parts)]
        return array("I", sorted(time // divisor * inverse % cycle for time in times if time % divisor == 0))

    def _never_meets(self, cycle: int) -> bool:
        """Whether the days of the candidates and the allowed days never have the same remainder."""
        days = cycle * self._step // DAY
        divisor = gcd(days, CYCLE_DAYS)
        if divisor == 1 or self._in_cycle is None:
            return False
        allowed = self._days.remainders(divisor)
        return all((self._base + one * self._step) // DAY % divisor not in allowed for one in self._in_cycle)

    def _skip(self, second: int) -> int:
        """Seconds to skip to the next unit of the day that may be allowed; 0 if this one is."""
        hours, minutes, seconds = self._times
        if self._unit < DAY and second // 3600 not in hours:
            return 3600 - second % 3600
        if self._unit < 3600 and second % 3600 // 60 not in minutes:
            return 60 - second % 60
        return 1 if self._unit == 1 and second % 60 not in seconds else 0

    def _at_or_after(self, local: int) -> int:
        return self._base - (self._base - local) // self._step * self._step
