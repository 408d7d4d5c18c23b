"""Spans of time around clock changes, and the due instants that the package finds in them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from duetime.timing import Cron

DAY = 86_400
SINCE = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp())
UNTIL = int(datetime(2038, 1, 1, tzinfo=UTC).timestamp())
ZONES = sorted(available_timezones() - {"localtime", "Factory"})


class Change(NamedTuple):
    """A change of a zone's offset at an instant."""

    seconds: int
    before: int
    after: int


def at(seconds: int) -> datetime:
    """The instant that many seconds after 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def changes(zone: str, since: int = SINCE, until: int = UNTIL) -> list[Change]:
    """The clock changes of a zone, found by a probe every six hours and bisection."""
    info = ZoneInfo(zone)

    def offset(seconds: int) -> int:
        return int(datetime.fromtimestamp(seconds, info).utcoffset().total_seconds())  # type: ignore[union-attr]

    found: list[Change] = []
    probes = [(seconds, offset(seconds)) for seconds in range(since, until, DAY // 4)]
    for (low, before), (high, after) in pairwise(probes):
        if before != after:
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(middle) == before else (low, middle)
            found.append(Change(high, before, after))
    return found


def forward(cron: Cron, start: int, end: int) -> list[int]:
    """All due instants in a span, from inclusive, to exclusive, searched forward."""
    found: list[int] = []
    now = at(start - 1)
    while (following := cron.next_after(now)) is not None and following < at(end):
        assert following > now
        found.append(int(following.timestamp()))
        now = following
    return found


def backward(cron: Cron, start: int, end: int) -> list[int]:
    """The same instants, searched backward; in ascending order."""
    found: list[int] = []
    now = at(end)
    while (previous := cron.prev_before(now)) is not None and previous >= at(start):
        assert previous < now
        found.append(int(previous.timestamp()))
        now = previous
    return found[::-1]
