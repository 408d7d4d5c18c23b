"""Zones as tables of segments: spans of UTC time with one offset, read from `zoneinfo` and kept in memory.

One probe a day finds every change of offset, because two changes of a zone in the time zone database are at
least three days apart. A test compares the tables with the database's own files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import cache
from hashlib import blake2b
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from duetime.timing.errors import ZoneError, quoted
from duetime.timing.instants import DAY, FIRST_INSTANT, LAST_INSTANT, instant_of, seconds_of

_BLOCK = 1 << 27
"""About four years, in seconds. A block is probed as a whole when it is needed for the first time."""
_MOST_BLOCKS = 128
"""How many blocks of a zone are kept: those of more than 500 years."""
_CYCLE = 146_097 * DAY
"""The seconds of 400 years, after which the calendar repeats."""
_REPEATS_FROM = seconds_of(datetime(2500, 1, 1, tzinfo=UTC))
"""From here on a zone's changes are those of 400 years before: by the year 2100, every zone follows its last rule."""
_OVERLAP = 2 * DAY
_ONE_DAY = timedelta(days=1)
_MAX_NAME = 64
_MACHINE_DEPENDENT = frozenset({"localtime", "Factory", "posixrules"})
_UTC_NAMES = frozenset({"UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal"})


class Segment(NamedTuple):
    """A span of time with one offset from UTC: `begin` inclusive, `end` exclusive.

    `before` is the offset until `begin`; it equals `offset` if nothing changes there.
    """

    begin: int
    end: int
    offset: int
    before: int


class ZoneTable:
    """One zone's segments, by instant."""

    __slots__ = ("_blocks", "_info", "name", "utc")

    def __init__(self, name: str) -> None:
        self.name = name
        self.utc = name in _UTC_NAMES
        self._info = ZoneInfo(name)
        self._blocks: dict[int, tuple[list[int], list[Segment]]] = {}

    def segment(self, seconds: int) -> Segment:
        """The segment that contains an instant."""
        if seconds >= _REPEATS_FROM:
            return self._repeated(seconds)
        block = seconds // _BLOCK
        try:
            begins, segments = self._blocks[block]
        except KeyError:
            if len(self._blocks) >= _MOST_BLOCKS:
                self._blocks.clear()
            begins, segments = self._blocks[block] = self._probe(block)
        return segments[bisect_right(begins, seconds) - 1]

    def _repeated(self, seconds: int) -> Segment:
        later = ((seconds - _REPEATS_FROM) // _CYCLE + 1) * _CYCLE
        begin, end, offset, before = self.segment(seconds - later)
        return Segment(begin + later, end + later, offset, before)

    def offset(self, seconds: int) -> int:
        """The offset from UTC at an instant."""
        return 0 if self.utc else self.segment(seconds).offset

    def is_repeat(self, seconds: int) -> bool:
        """Whether the local time at this instant occurred before, because the clocks went back."""
        if self.utc:
            return False
        begin, _, offset, before = self.segment(seconds)
        return seconds + offset < begin + before

    def changes(self, start: int, end: int) -> Iterator[Segment]:
        """The segments that begin with a change of offset from `start`, inclusive, to `end`, exclusive."""
        at = start
        while at < end:
            segment = self.segment(at)
            if segment.begin >= start and segment.begin == at and segment.offset != segment.before:
                yield segment
            at = segment.end

    def fingerprint(self, start: datetime, end: datetime) -> bytes:
        """A hash of the zone's rules in a span of time. It changes with an update that affects this span."""
        first, last = int(start.timestamp()), int(end.timestamp())
        changes = [(change.begin, change.offset) for change in self.changes(first, last)]
        return blake2b(repr((self.offset(first), changes)).encode(), digest_size=16).digest()

    def _probe(self, block: int) -> tuple[list[int], list[Segment]]:
        # With the overlap, the first segment knows of a change shortly before the block.
        start, end = block * _BLOCK - _OVERLAP, (block + 1) * _BLOCK
        at, offset = start, self._offset_at(start)
        changes = [(start, offset, offset)]
        for following, after in self._offsets(start, end):
            if after != offset:
                changes.append((self._change(at, following, offset), after, offset))
                offset = after
            at = following
        if changes[-1][0] == end:
            changes.pop()
        ends = [begin for begin, _, _ in changes[1:]] + [end]
        segments = [
            Segment(begin, until, now, before) for (begin, now, before), until in zip(changes, ends, strict=True)
        ]
        return [segment.begin for segment in segments], segments

    def _offsets(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The offset on each day, and at the end."""
        first, last = max(start, FIRST_INSTANT), min(end, LAST_INSTANT)
        info, known, offset = self._info, None, 0
        # Several times as fast as `_offset_at`. `fromutc` expects UTC time with the zone attached.
        moment = instant_of(min(first, last)).replace(tzinfo=info)
        for seconds in range(first + DAY, last, DAY):
            moment += _ONE_DAY
            found = info.fromutc(moment).utcoffset()
            if found is not known:
                known, offset = found, _seconds(found)
            yield seconds, offset
        yield end, self._offset_at(end)

    def _change(self, low: int, high: int, offset: int) -> int:
        """The first instant in (low, high] with another offset; there must be one."""
        while high - low > 1:
            middle = (low + high) // 2
            if self._offset_at(middle) == offset:
                low = middle
            else:
                high = middle
        return high

    def _offset_at(self, seconds: int) -> int:
        within = min(max(seconds, FIRST_INSTANT), LAST_INSTANT)
        return _seconds(datetime.fromtimestamp(within, self._info).utcoffset())


def _seconds(offset: timedelta | None) -> int:
    return 0 if offset is None else offset.days * DAY + offset.seconds


@cache
def zone_names() -> frozenset[str]:
    """The names of all zones in the time zone database, without those that depend on the machine."""
    return frozenset(available_timezones() - _MACHINE_DEPENDENT)


@cache
def _table(name: str) -> ZoneTable:
    return ZoneTable(name)


def zone_table(name: str) -> ZoneTable:
    """The table of a zone. Refuses unknown names, so that no other text reaches the file system as a path."""
    if name in zone_names():
        return _table(name)
    if len(name) > _MAX_NAME:
        raise ZoneError(f"A zone's name may have at most {_MAX_NAME} characters: use one such as 'Europe/Riga'.")
    lower = {known.lower(): known for known in zone_names()}
    near = get_close_matches(name.lower(), lower, n=1)
    hint = f"did you mean '{lower[near[0]]}'?" if near else "use a name such as 'Europe/Riga' or 'UTC'."
    raise ZoneError(f"There is no time zone {quoted(name)}: {hint}")
