"""Windows: weekly local hours, such as `MON-FRI 09:00-17:00`, outside of which no attempt starts. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime

from msgspec import Struct

from duetime.timing.dst import LITERAL, first_instant
from duetime.timing.errors import WindowError, quoted
from duetime.timing.instants import DAY, instant_of, seconds_of
from duetime.timing.zones import zone_table

WEEK = 7 * DAY
_MONDAY = 4 * DAY
"""The first Monday of 1970, in seconds. Local weeks are counted from it."""
_MAX_LENGTH = 512
_EXAMPLE = "'MON-FRI 09:00-17:00' or 'SAT,SUN 22:00-06:00'"
_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_EVERY_DAY = ("*", "DAILY")
_PART = re.compile(r"\s*(?:(?P<days>[A-Z*][A-Z,-]*)\s+)?(?P<times>[0-9:,-]+)\s*")
_TIMES = re.compile(r"([0-9]{1,2}):([0-9]{2})-([0-9]{1,2}):([0-9]{2})")

Spans = tuple[tuple[int, int], ...]


class WeekTimes(Struct, frozen=True):
    """Parts of a local week, sorted and separate: seconds since Monday 00:00, from inclusive, to exclusive."""

    spans: Spans

    def first(self, local: int) -> int | None:
        """The first local second within the parts, at or after another."""
        if not self.spans:
            return None
        second_of_week = (local - _MONDAY) % WEEK
        index = bisect_right(self.spans, (second_of_week, WEEK + 1)) - 1
        if index >= 0 and second_of_week < self.spans[index][1]:
            return local
        if index + 1 < len(self.spans):
            return local - second_of_week + self.spans[index + 1][0]
        return local - second_of_week + WEEK + self.spans[0][0]

    def outside(self) -> WeekTimes:
        """The rest of the week."""
        edges = [0, *(edge for span in self.spans for edge in span), WEEK]
        gaps = zip(edges[::2], edges[1::2], strict=True)
        return WeekTimes(tuple((start, end) for start, end in gaps if start < end))


class Window:
    """A window in a zone, compiled once. Local time decides, so that an hour that occurs twice is inside twice."""

    __slots__ = ("_closed", "_open", "_zone", "text")

    def __init__(self, text: str, spans: Spans, zone: str) -> None:
        self.text = text
        self._open = WeekTimes(spans)
        self._closed = self._open.outside()
        self._zone = zone_table(zone)

    @classmethod
    def parse(cls, text: str, *, zone: str = "UTC") -> Window:
        """Read a window: days and times, with commas between times and `;` between parts.

        An interval that ends at or before its start extends into the next day. `24:00` is the end of a day.
        Times without days apply to every day.
        """
        return cls(text, _parse(text), zone)

    @property
    def zone(self) -> str:
        """The zone's name."""
        return self._zone.name

    @property
    def weekdays(self) -> frozenset[int]:
        """The days of the week with open times; Monday is 0."""
        return frozenset(day for start, end in self._open.spans for day in range(start // DAY, -(-end // DAY)))

    def contains(self, instant: datetime) -> bool:
        """Whether an instant is within the window."""
        seconds = seconds_of(instant)
        local = seconds + self._zone.offset(seconds)
        return self._open.first(local) == local

    def next_opening(self, instant: datetime) -> datetime | None:
        """The instant itself if it is within the window, else the next one at which the window opens."""
        if self.contains(instant):
            return instant
        found = first_instant(self._open, self._zone, LITERAL, seconds_of(instant))
        return None if found is None else instant_of(found)

    def next_closing(self, instant: datetime) -> datetime | None:
        """The first instant outside the window, at or after another; `None` if the window never closes."""
        if not self.contains(instant):
            return instant
        found = first_instant(self._closed, self._zone, LITERAL, seconds_of(instant))
        return None if found is None else instant_of(found)


def _parse(text: str) -> Spans:
    if len(text) > _MAX_LENGTH:
        raise WindowError(f"A window may have at most {_MAX_LENGTH} characters: write something like {_EXAMPLE}.")
    spans: list[tuple[int, int]] = []
    position = 0
    for part in text.split(";"):
        found = _PART.fullmatch(part.upper()) if part.isascii() else None
        if found is None:
            raise WindowError(f"{quoted(part)} is not a window: write {_EXAMPLE}.", position=position)
        days = _days(found["days"] or "*", position + max(found.start("days"), 0))
        for start, end in _times(found["times"], position + found.start("times")):
            for day in days:
                spans.extend(_within_week(day * DAY + start, day * DAY + end))
        position += len(part) + 1
    return _merged(spans)


def _days(text: str, position: int) -> set[int]:
    if text in _EVERY_DAY:
        return set(range(7))
    days: set[int] = set()
    for item in text.split(","):
        first, dash, last = item.partition("-")
        if first not in _DAYS or (dash and last not in _DAYS):
            raise WindowError(
                f"{quoted(item)} is not a day or a range of days: use MON to SUN, such as MON-FRI.",
                position=position,
            )
        low, high = _DAYS.index(first), _DAYS.index(last or first)
        days.update((low + at) % 7 for at in range((high - low) % 7 + 1))
        position += len(item) + 1
    return days


def _times(text: str, position: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for item in text.split(","):
        match = _TIMES.fullmatch(item)
        if match is None:
            raise WindowError(f"{quoted(item)} is not an interval: write 09:00-17:00.", position=position)
        start_hour, start_minute, end_hour, end_minute = (int(group) for group in match.groups())
        start, end = start_hour * 60 + start_minute, end_hour * 60 + end_minute
        if start_hour > 23 or start_minute > 59 or end_minute > 59 or end > 1440:
            raise WindowError(f"{quoted(item)} is not a time of day: use 00:00 to 24:00.", position=position)
        if start == end:
            raise WindowError(f"{quoted(item)} is empty: for the whole day write 00:00-24:00.", position=position)
        found.append((start * 60, (end if end > start else end + 1440) * 60))
        position += len(item) + 1
    return found


def _within_week(start: int, end: int) -> list[tuple[int, int]]:
    return [(start, end)] if end <= WEEK else [(start, WEEK), (0, end - WEEK)]


def _merged(spans: list[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
