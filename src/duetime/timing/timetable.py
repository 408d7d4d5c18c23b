"""The instants of a schedule, after its calendar, its window and its jitter have had their say."""

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
"""How many instants, or whole days of them, may be left out in a row before it is said that none comes.

It is for one source, and less for each of several: the work counts. But never less than a year of days.
"""


class Source(Protocol):
    """Something that is due at instants."""

    def next_after(self, instant: datetime) -> datetime | None:
        """The first due instant strictly after another."""
        ...

    def is_shifted(self, instant: datetime) -> bool:
        """Whether a due instant stands for a local time that a change of the clocks left out."""
        ...


class Occurrence(Struct, frozen=True):
    """One nominal instant, in UTC, and what becomes of it; `run_at` is `None` if it is left out.

    `shifted`: it stands for a local time that a change of the clocks left out. `repeated`: its local
    time comes the second time. `moved_by_window`: it waits for the window to open.
    """

    nominal: datetime
    run_at: datetime | None
    flags: tuple[Flag, ...] = ()


class Timetable:
    """A compiled timing. Immutable; every answer is a pure function of the instant asked for."""

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
        """The name of the zone in which local times are meant."""
        return self._zone.name

    def next_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence that runs whose nominal instant is strictly after an instant."""
        for _ in range(max(_LEFT_OUT // len(self._sources), 400)):
            occurrence = self.nominal_after(instant)
            if occurrence is None or occurrence.run_at is not None:
                return occurrence
            instant = self.past(occurrence)
        return None

    def nominal_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence strictly after an instant, whether it runs or is left out."""
        # The same question often comes twice: has the next one arrived, and if not, what is the next one.
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
        """All occurrences with nominal instants in a stretch, from exclusive to inclusive, left out or not."""
        occurrence = self.nominal_after(after)
        while occurrence is not None and occurrence.nominal <= until:
            yield occurrence
            occurrence = self.nominal_after(occurrence.nominal)

    def past(self, left_out: Occurrence) -> datetime:
        """An instant after which to look on, when an occurrence is left out: all up to it are, too."""
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
        """The jitter never leads out of the window: it keeps to what is left of it."""
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
        # The clocks may go back to a date that is allowed: not past such a change.
        changes = self._zone.changes(seconds + 1, seconds + DAY)
        back = [change.begin for change in changes if change.offset < change.before]
        return max(nominal, instant_of(min([*back, begin])) - _TICK)


class _From(Struct, frozen=True):
    """All local times from one on."""

    begin: int

    def first(self, local: int) -> int:
        return max(local, self.begin)
