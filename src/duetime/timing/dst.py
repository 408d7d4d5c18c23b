"""The four policies for local times that do not exist or that occur twice. Pure.

A change of a zone's offset makes a gap (local times that do not exist) or a fold (local times that
occur twice). All decisions are made on integers, between two segments of UTC time. A change of more
than three hours is a correction of the calendar, not daylight saving: under every policy the new time
is used, and no instant replaces the times in the gap.
"""

from __future__ import annotations

from typing import Literal, Protocol, get_args

from msgspec import Struct

from duetime.timing.errors import TimingError, quoted
from duetime.timing.instants import DAY, FIRST_INSTANT, LAST_INSTANT
from duetime.timing.zones import Segment, ZoneTable

DstPolicy = Literal["vixie", "literal", "skip_once", "shift"]
DST_POLICIES: tuple[DstPolicy, ...] = get_args(DstPolicy)

CORRECTION = 3 * 3600
"""A change of more seconds than this is a correction of the calendar."""
HORIZON = 100 * 366 * DAY
"""The limit of a search backward, in seconds: two matching dates are at most forty years apart."""
_VISITED = 300
"""How many segments a search forward visits. It passes over those without a due time, so that each visited one
has a time that does not exist or that counts only once: after so many, all times of the set are like that."""
_MARGIN = 2 * DAY
"""More than any offset from UTC, and more than any change of it."""
_NEVER = 2 * LAST_INSTANT


class TimesAhead(Protocol):
    """A set of local times that can be searched forward: seconds since 1970 on a clock without a zone."""

    def first(self, local: int) -> int | None:
        """The first time of the set at or after a local time."""
        ...


class TimesBack(Protocol):
    """A set of local times that can be searched backward."""

    def last(self, local: int) -> int | None:
        """The last time of the set at or before a local time."""
        ...


class Handling(Struct, frozen=True):
    """What a policy does: whether a repeated time counts once, and which instant replaces a time in a gap.

    `end` is one instant, the first after the gap, for all times in the gap. `shift` is one instant for
    each time, computed with the offset from before the gap.
    """

    once: bool
    gap: Literal["none", "end", "shift"]


LITERAL = Handling(once=False, gap="none")
_HANDLING: dict[DstPolicy, Handling] = {
    "vixie": Handling(once=True, gap="end"),
    "literal": LITERAL,
    "skip_once": Handling(once=True, gap="none"),
    "shift": Handling(once=True, gap="shift"),
}


def as_policy(name: str) -> DstPolicy:
    """A policy by its name. Raises a `TimingError` that lists the policies."""
    for policy in DST_POLICIES:
        if name == policy:
            return policy
    raise TimingError(f"There is no DST policy {quoted(name)}: use one of {', '.join(DST_POLICIES)}.")


def handling_of(policy: DstPolicy, *, wildcard: bool) -> Handling:
    """What a policy does to a schedule. Under `vixie`, one with a wildcard follows the clock literally."""
    handling = _HANDLING[as_policy(policy)]
    return LITERAL if wildcard and policy == "vixie" else handling


class _Ahead:
    """Searches local times forward and keeps the last answer: for the next segment it is mostly the same."""

    __slots__ = ("_found", "_searched", "_times")

    def __init__(self, times: TimesAhead) -> None:
        self._times = times
        self._searched, self._found = 0, -1

    def first(self, local: int) -> int:
        """The first due local time at or after another; `_NEVER` if there is none."""
        if not self._searched <= local <= self._found:
            found = self._times.first(local)
            self._searched, self._found = local, _NEVER if found is None else found
        return self._found

    def exhausted(self, local: int) -> bool:
        """Whether it is known that no local time is due at or after another."""
        return self._found == _NEVER and local >= self._searched


def first_instant(times: TimesAhead, zone: ZoneTable, handling: Handling, start: int) -> int | None:
    """The first instant at or after `start` at which a local time is due."""
    at = max(start, FIRST_INSTANT)
    ahead, visited = _Ahead(times), 0
    while at <= LAST_INSTANT and visited < _VISITED:
        segment = zone.segment(at)
        if ahead.exhausted(at + segment.offset):
            return None
        due = _NEVER
        if handling.gap != "none" and segment.before < segment.offset <= segment.before + CORRECTION:
            due = _first_replacement(ahead, segment, handling, at)
        due = min(due, ahead.first(_local_start(segment, handling, at)) - segment.offset)
        if due < segment.end:
            return due if due <= LAST_INSTANT else None
        visited += 1
        # Nothing is due before the found time. That includes local times which the next change repeats only if the
        # search began well before that change.
        passed = due + segment.offset - _MARGIN if at + _MARGIN <= segment.end else segment.end
        at = max(segment.end, passed)
    return None


def last_instant(times: TimesBack, zone: ZoneTable, handling: Handling, start: int) -> int | None:
    """The last instant at or before `start` at which a local time is due, within the horizon."""
    at, limit = min(start, LAST_INSTANT), max(start - HORIZON, FIRST_INSTANT)
    while at >= limit:
        segment = zone.segment(at)
        due = _last_replacement(times, segment, handling, at)
        local = times.last(at + segment.offset)
        if local is not None and local >= _local_start(segment, handling, segment.begin):
            regular = local - segment.offset
            due = regular if due is None else max(due, regular)
        if due is not None:
            return due if due >= FIRST_INSTANT else None
        at = segment.begin - 1
    return None


def _local_start(segment: Segment, handling: Handling, at: int) -> int:
    """The local time from which times count in a segment: after its repeated times if those count once."""
    local = at + segment.offset
    if handling.once and segment.before - CORRECTION <= segment.offset < segment.before:
        return max(local, segment.begin + segment.before)
    return local


def _first_replacement(ahead: _Ahead, segment: Segment, handling: Handling, at: int) -> int:
    """The first instant at or after `at` that replaces a local time in the gap at a segment's begin."""
    begin, _, offset, before = segment
    if handling.gap == "end":
        return begin if at == begin and ahead.first(begin + before) < begin + offset else _NEVER
    if at + before >= begin + offset:
        return _NEVER
    local = ahead.first(at + before)
    return local - before if local < begin + offset else _NEVER


def _last_replacement(times: TimesBack, segment: Segment, handling: Handling, at: int) -> int | None:
    """The last instant at or before `at` that replaces a local time in the gap at a segment's begin."""
    begin, _, offset, before = segment
    if handling.gap == "none" or not before < offset <= before + CORRECTION:
        return None
    last = begin + offset - 1
    local = times.last(last if handling.gap == "end" else min(at + before, last))
    if local is None or local < begin + before:
        return None
    return begin if handling.gap == "end" else local - before
