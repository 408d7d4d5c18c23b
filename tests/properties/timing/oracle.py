"""The oracle: converts every minute (or second) of a span of UTC time into local time and matches it.

Written from the rules alone, and as plainly as possible: it shares no code with the package, knows
zones through `zoneinfo` only, and takes no shortcut. What it finds is the policy `literal`; the other
policies are small edits of that.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
WEEK = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
LOWS = (0, 0, 0, 1, 1, 0)
HIGHS = (59, 59, 23, 31, 12, 6)
THREE_HOURS = 3 * 3600


class Moment(NamedTuple):
    """One instant of the span, with its local time in the zone."""

    seconds: int
    local: datetime
    again: bool
    """The local time occurred before, and not because of a correction."""
    gap: int
    """How many seconds of local time do not exist just before it, corrections not counted."""
    offset: int


def moments(zone: str, start: int, end: int, step: int = 60) -> list[Moment]:
    """The instants of a span."""
    info = ZoneInfo(zone)
    found: list[Moment] = []
    before = _offset(datetime.fromtimestamp(start - step, info))
    for seconds in range(start, end, step):
        aware = datetime.fromtimestamp(seconds, info)
        offset = _offset(aware)
        again = aware.fold == 1 and _offset(aware.replace(fold=0)) - offset <= THREE_HOURS
        gap = offset - before if 0 < offset - before <= THREE_HOURS else 0
        found.append(Moment(seconds, aware.replace(tzinfo=None, fold=0), again, gap, offset))
        before = offset
    return found


def due(expression: str, policy: str, stretch: Iterable[Moment], step: int = 60) -> list[int]:
    """When an expression is due in a span under a policy."""
    return due_by_policy(expression, stretch, step)[policy]


def due_by_policy(expression: str, stretch: Iterable[Moment], step: int = 60) -> dict[str, list[int]]:
    """When an expression is due in a span under each policy."""
    matcher = Matcher(expression)
    literal: set[int] = set()
    again: set[int] = set()
    gap_ends: set[int] = set()
    shifted: set[int] = set()
    for moment in stretch:
        for late in range(0, moment.gap, step):
            if matcher(moment.local - timedelta(seconds=moment.gap - late)):
                gap_ends.add(moment.seconds)
                shifted.add(moment.seconds + late)
        if matcher(moment.local):
            literal.add(moment.seconds)
            if moment.again:
                again.add(moment.seconds)
    once = literal - again
    return {
        "vixie": sorted(literal if matcher.wildcard else once | gap_ends),
        "literal": sorted(literal),
        "skip_once": sorted(once),
        "shift": sorted(once | shifted),
    }


class Matcher:
    """Whether a local time matches an expression's fields."""

    def __init__(self, expression: str) -> None:
        words = expression.upper().split()
        if len(words) == 5:
            words.insert(0, "0")
        self.words = words
        self.seconds, self.minutes, self.hours, _, self.months, _ = (
            _values(word, low, high) if index not in (3, 5) else set()
            for index, (word, low, high) in enumerate(zip(words, LOWS, HIGHS, strict=True))
        )
        self.wildcard = words[1][0] == "*" or words[2][0] == "*"
        self.days: dict[tuple[int, int, int], bool] = {}

    def __call__(self, local: datetime) -> bool:
        return (
            local.minute in self.minutes
            and local.hour in self.hours
            and local.second in self.seconds
            and local.month in self.months
            and self._day(local)
        )

    def _day(self, local: datetime) -> bool:
        key = (local.year, local.month, local.day)
        if key not in self.days:
            dom, dow = self.words[3], self.words[5]
            by_month = any(_dom_matches(item, local) for item in dom.split(","))
            by_week = any(_dow_matches(item, local) for item in dow.split(","))
            both = dom[0] == "*" or dow[0] == "*"
            self.days[key] = (by_month and by_week) if both else (by_month or by_week)
        return self.days[key]


def _dom_matches(item: str, local: datetime) -> bool:
    last = calendar.monthrange(local.year, local.month)[1]
    if item == "L":
        return local.day == last
    if item == "LW":
        return local.day == max(d for d in range(1, last + 1) if local.replace(day=d).weekday() < 5)
    if item.startswith("L-"):
        return local.day == last - int(item[2:])
    if item.endswith("W"):
        wanted = int(item[:-1])
        if wanted > last:
            return False
        working = [d for d in range(1, last + 1) if local.replace(day=d).weekday() < 5]
        return local.day == min(working, key=lambda d: abs(d - wanted))
    return local.day in _values(item, 1, 31)


def _dow_matches(item: str, local: datetime) -> bool:
    day = local.isoweekday() % 7
    if "#" in item:
        name, nth = item.split("#")
        return day == _number(name) % 7 and (local.day - 1) // 7 + 1 == int(nth)
    if item.endswith("L"):
        return day == _number(item[:-1]) % 7 and (local + timedelta(days=7)).month != local.month
    return day in _week_values(item)


def _week_values(item: str) -> set[int]:
    span, _, step = item.partition("/")
    if "-" in span:
        low, high = (_number(part) for part in span.split("-"))
        days = [low]
        while days[-1] % 7 != high % 7 or (len(days) == 1 and high - low == 7):
            days.append(days[-1] + 1)
        return {day % 7 for day in days[:: int(step or 1)]}
    # A range from a day on ends with the week, which begins with Sunday; 7 and 0 are both Sunday.
    return _values(item.replace("7", "0", 1) if span == "7" else item, 0, 6)


def _values(word: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for item in word.split(","):
        span, _, step = item.partition("/")
        if span == "*":
            values = list(range(low, high + 1))
        elif "-" in span:
            start, stop = (_number(part) for part in span.split("-"))
            wrapped = [*range(start, high + 1), *range(low, stop + 1)]
            values = list(range(start, stop + 1)) if start <= stop else wrapped
        elif step:
            values = list(range(_number(span), high + 1))
        else:
            values = [_number(span)]
        found.update(values[:: int(step or 1)])
    return found


def _number(text: str) -> int:
    if text in MONTHS:
        return MONTHS.index(text) + 1
    return WEEK.index(text) if text in WEEK else int(text)


def _offset(aware: datetime) -> int:
    offset = aware.utcoffset()
    assert offset is not None
    return int(offset.total_seconds())
