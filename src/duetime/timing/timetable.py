"""Computes the occurrences of a schedule: its nominal instants, then calendar, window and jitter. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Literal, Protocol

from msgspec import Struct

from duetime.timing.calendars import Calendar
from duetime.timing.dst import LITERAL, first_instant
from duetime.timing.instants import DAY, EPOCH_ORDINAL, LAST_INSTANT, in_utc, instant_of, seconds_of
from duetime.timing.jitter import jitter_of
from duetime.timing.windows import Window
from duetime.timing.zones import ZoneTable

Flag = Literal["shifted", "repeated", "moved_by_window", "skipped_by_window", "excluded_by_calendar"]

_TICK = timedelta(microseconds=1)
_LEFT_OUT = 5000
"""How many instants, or whole days, may be left out in a row before the answer is that no occurrence follows.

The number is divided by the number of sources, to bound the work, but is never less than the days of a year.
"""


class Source(Protocol):
    """One part of a timing: a cron expression, an interval, a list of instants or a recurrence rule."""

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due instant strictly after another."""
        ...

    def is_shifted(self, instant: datetime) -> bool:
        """Whether a due instant replaces a local time that does not exist because the clocks changed."""
        ...


class Occurrence(Struct, frozen=True):
    """One nominal instant, in UTC, and when it runs; `run_at` is `None` if it is left out.

    `shifted`: it replaces a local time that does not exist because the clocks changed. `repeated`: its
    local time occurs for the second time. `moved_by_window`: it waits until the window opens.
    """

    nominal: datetime
    run_at: datetime | None
    flags: tuple[Flag, ...] = ()


class Timetable:
    """A compiled timing. Immutable; every answer is a pure function of the given instant."""

    __slots__ = (
        "_answered",
        "_calendar",
        "_end",
        "_jitter",
        "_key",
        "_skip_outside",
        "_sources",
        "_start",
        "_window",
        "_zone",
    )

    def __init__(
        self,
        sources: tuple[Source, ...],
        zone: ZoneTable,
        *,
        key: str = "",
        calendar: Calendar | None = None,
        window: Window | None = None,
        skip_outside: bool = False,
        jitter: timedelta | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> None:
        self._sources = sources
        self._zone = zone
        self._key = key
        self._calendar = calendar
        self._window = window
        self._skip_outside = skip_outside
        self._jitter = jitter
        self._start = in_utc(start) if start else None
        self._end = in_utc(end) if end else None
        self._answered: tuple[datetime, Occurrence | None] | None = None

    @property
    def zone(self) -> str:
        """The name of the zone of all local times."""
        return self._zone.name

    def next_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence that runs and whose nominal instant is strictly after an instant."""
        for _ in range(max(_LEFT_OUT // len(self._sources), 400)):
            occurrence = self.nominal_after(instant)
            if occurrence is None or occurrence.run_at is not None:
                return occurrence
            instant = self.resume_after(occurrence)
        return None

    def nominal_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence strictly after an instant, whether it runs or is left out."""
        # Callers often ask twice for one instant: whether the next occurrence is due, and if not, when it is.
        answered = self._answered
        if answered is not None and answered[0] == instant:
            return answered[1]
        found = self._nominal_after(in_utc(instant))
        self._answered = (instant, found)
        return found

    def _nominal_after(self, instant: datetime) -> Occurrence | None:
        if self._start is not None and instant < self._start:
            instant = self._start - _TICK
        found = [due for source in self._sources if (due := source.next_after(instant)) is not None]
        nominal = min(found, default=None)
        if nominal is None or (self._end is not None and nominal >= self._end):
            return None
        return self._occurrence(nominal)

    def between(self, after: datetime, until: datetime) -> Iterator[Occurrence]:
        """All occurrences, left out or not, with nominal instants from `after`, exclusive, to `until`, inclusive."""
        occurrence = self.nominal_after(after)
        while occurrence is not None and occurrence.nominal <= until:
            yield occurrence
            occurrence = self.nominal_after(occurrence.nominal)

    def resume_after(self, left_out: Occurrence) -> datetime:
        """The instant to search on from after a left-out occurrence: all up to that instant are left out too."""
        if "excluded_by_calendar" in left_out.flags:
            return self._past_excluded(left_out.nominal)
        opening = self._window.next_opening(left_out.nominal) if self._window else None
        return left_out.nominal if opening is None else max(left_out.nominal, opening - _TICK)

    def _occurrence(self, nominal: datetime) -> Occurrence:
        flags: list[Flag] = []
        if all(source.is_shifted(nominal) for source in self._due_at(nominal)):
            flags.append("shifted")
        if self._zone.is_repeat(seconds_of(nominal)):
            flags.append("repeated")
        if self._calendar is not None and not self._calendar.allows(self._local_date(nominal)):
            return Occurrence(nominal, None, (*flags, "excluded_by_calendar"))
        opening = nominal if self._window is None else self._window.next_opening(nominal)
        if opening is None or (opening != nominal and self._skip_outside):
            return Occurrence(nominal, None, (*flags, "skipped_by_window"))
        if opening != nominal:
            flags.append("moved_by_window")
        return Occurrence(nominal, self._jittered(nominal, opening), tuple(flags))

    def _due_at(self, nominal: datetime) -> Iterator[Source]:
        if len(self._sources) == 1:
            return iter(self._sources)
        return (source for source in self._sources if source.next_after(nominal - _TICK) == nominal)

    def _jittered(self, nominal: datetime, opening: datetime) -> datetime:
        """Add the jitter, shortened so that the instant stays within the window."""
        if self._jitter is None:
            return opening
        span = self._jitter
        closing = self._window.next_closing(opening) if self._window else None
        if closing is not None:
            span = min(span, closing - opening)
        return opening + jitter_of(self._key, nominal, span)

    def _local_date(self, instant: datetime) -> date:
        seconds = seconds_of(instant)
        return date.fromordinal((seconds + self._zone.offset(seconds)) // DAY + EPOCH_ORDINAL)

    def _past_excluded(self, nominal: datetime) -> datetime:
        seconds = seconds_of(nominal)
        allowed = self._calendar.next_allowed(self._local_date(nominal)) if self._calendar else None
        begin = LAST_INSTANT
        if allowed is not None:
            midnight = _From((allowed.toordinal() - EPOCH_ORDINAL) * DAY)
            found = first_instant(midnight, self._zone, LITERAL, seconds)
            begin = LAST_INSTANT if found is None else found
        # The clocks may go back to an allowed date, so that the search must not skip such a change.
        changes = self._zone.changes(seconds + 1, seconds + DAY)
        back = [change.begin for change in changes if change.offset < change.before]
        return max(nominal, instant_of(min([*back, begin])) - _TICK)


class _From(Struct, frozen=True):
    """All local times at or after `begin`."""

    begin: int

    def first(self, local: int) -> int:
        return max(local, self.begin)
