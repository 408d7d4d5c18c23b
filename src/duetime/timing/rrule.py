"""A recurrence rule of RFC 5545 in a zone, which computes the instants at which it is due. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from duetime.timing.dst import DstPolicy, first_instant, handling_of
from duetime.timing.errors import RuleError, SearchLimit, quoted
from duetime.timing.instants import DAY, instant_of, seconds_of
from duetime.timing.rrule_text import RuleText, parse_rule_text
from duetime.timing.rrule_times import RuleTimes
from duetime.timing.zones import ZoneTable, zone_table

_EARLIEST = seconds_of(datetime(1900, 1, 2, tzinfo=UTC))
_LATEST = seconds_of(datetime(9990, 12, 30, tzinfo=UTC))
_SUB_DAILY = ("HOURLY", "MINUTELY", "SECONDLY")


class Rule:
    """A recurrence rule, compiled once. It starts at its `DTSTART`, else at `start`, else in 1970."""

    __slots__ = ("_handling", "_times", "_until", "_zone", "dst", "text")

    def __init__(self, text: str, zone: ZoneTable, dst: DstPolicy, start: int | None) -> None:
        self.text = text
        self.dst: DstPolicy = dst
        self._zone = zone
        rule, self._times = _times(text, zone, start)
        self._handling = handling_of(dst, wildcard=rule.freq in _SUB_DAILY)
        self._until = rule.until.seconds if rule.until and rule.until.utc else None

    @classmethod
    def parse(cls, text: str, *, zone: str = "UTC", dst: DstPolicy = "shift", start: datetime | None = None) -> Rule:
        """Read a rule. Raises `RuleError`, also for a rule without any date.

        The default policy is that of the RFC (§3.3.5): a local time that does not exist is read with the
        offset from before the gap, and of one that occurs twice the first is used.
        """
        return cls(text, zone_table(zone), dst, None if start is None else seconds_of(start))

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due instant strictly after another, in UTC; `None` if there is none."""
        # The search is limited to the horizon. It begins near the start, so that a start far ahead is still found.
        begin = max(seconds_of(instant) + 1, self._times.start - 2 * DAY)
        found = first_instant(self._times, self._zone, self._handling, begin)
        if found is None or (self._until is not None and found > self._until):
            return None
        return instant_of(found)

    def is_shifted(self, instant: datetime) -> bool:
        """Whether a due instant replaces a local time that does not exist because the clocks changed."""
        seconds = seconds_of(instant)
        local = seconds + self._zone.offset(seconds)
        try:
            return self._times.first(local) != local
        except SearchLimit:
            return True


@lru_cache(maxsize=512)
def _times(text: str, zone: ZoneTable, start: int | None) -> tuple[RuleText, RuleTimes]:
    rule = parse_rule_text(text)
    if rule.zone is not None and rule.zone != zone.name:
        raise RuleError(
            f"DTSTART is in {quoted(rule.zone)} and the schedule in '{zone.name}': give the same zone to both."
        )
    if rule.start is not None and not rule.start.utc:
        local = rule.start.seconds
    else:
        begin = start if rule.start is None else rule.start.seconds
        if begin is None and rule.count is not None:
            raise RuleError("COUNT needs a first date to count from: give a DTSTART, or a start.")
        begin = min(max(begin or 0, _EARLIEST), _LATEST)
        local = begin + zone.offset(begin)
    times = RuleTimes(rule, local)
    if times.first(local) is None:
        raise RuleError("This rule is never due: give one that has at least one date.")
    return rule, times
