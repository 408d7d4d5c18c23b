"""Computes the occurrences of a schedule: its nominal instants, then calendar, window and jitter. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Literal, Protocol

from msgspec import Struct

from duetime.timing.calendars import Calendar
from duetime.timing.errors import SearchLimit
from duetime.timing.instants import DAY, in_utc, instant_of, seconds_of
from duetime.timing.jitter import jitter_of
from duetime.timing.opening import Opening
from duetime.timing.rrule import Rule
from duetime.timing.slices import SLICE, Steps, at_once
from duetime.timing.windows import Window
from duetime.timing.zones import ZoneTable

Flag = Literal["shifted", "repeated", "moved_by_window", "skipped_by_window", "excluded_by_calendar", "search_ended"]

_TICK = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)
LEFT_OUT = 5000
"""How many instants, or whole days, a search passes that are left out in a row.

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
    local time occurs for the second time. `moved_by_window`: it waits until the window opens, on a date that the
    calendar allows. `search_ended`: the instant up to which a rule was searched in vain; it is left out.
    """

    nominal: datetime
    run_at: datetime | None
    flags: tuple[Flag, ...] = ()


class Timetable:
    """A compiled timing. Immutable; every answer is a pure function of the given instant."""

    __slots__ = (
        "_ahead",
        "_answered",
        "_end",
        "_has_rule",
        "_jitter",
        "_key",
        "_opening",
        "_searched",
        "_skip_outside",
        "_sources",
        "_start",
        "_windowed",
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
        self._opening = Opening(window, calendar, zone) if window or calendar else None
        self._windowed = window is not None
        self._skip_outside = skip_outside
        self._jitter = jitter
        self._start = in_utc(start) if start else None
        self._end = in_utc(end) if end else None
        self._answered: tuple[datetime, Occurrence | None] | None = None
        self._ahead: list[tuple[datetime, datetime | None] | None] = [None] * len(sources)
        self._searched: dict[int, datetime] = {}
        self._has_rule = any(isinstance(source, Rule) for source in sources)

    @property
    def zone(self) -> str:
        """The name of the zone of all local times."""
        return self._zone.name

    @property
    def cost(self) -> int:
        """How many candidates one step of a search examines: one for each source."""
        return len(self._sources)

    @property
    def has_rule(self) -> bool:
        """Whether one of the sources is a recurrence rule, whose search may end without an answer."""
        return self._has_rule

    def next_after(self, instant: datetime) -> Occurrence | None:
        """The first occurrence that runs and whose nominal instant is strictly after an instant.

        When too many are left out in a row, the answer is the last of them, which has no `run_at`: the search can go
        on from there. `None` means that there is no further instant.
        """
        occurrence = self.nominal_after(instant)
        if occurrence is None or occurrence.run_at is not None:
            return occurrence
        return at_once(self.search_after(instant))

    def search_after(self, instant: datetime, most: int = LEFT_OUT) -> Steps[Occurrence | None]:
        """The same as `next_after`, in slices, past at most so many left-out instants."""
        work = 0
        for _ in range(max(most // len(self._sources), 400) - 1):
            occurrence = self.nominal_after(instant)
            if occurrence is None or occurrence.run_at is not None:
                return occurrence
            instant = self.resume_after(occurrence)
            work += len(self._sources)
            if work >= SLICE:
                work = 0
                yield
        return self.nominal_after(instant)

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
        nominal = self._next(0, instant) if len(self._sources) == 1 else self._earliest(instant)
        if nominal is None or (self._end is not None and nominal >= self._end):
            return None
        return self._occurrence(nominal)

    def _earliest(self, instant: datetime) -> datetime | None:
        """The earliest of the next instants of all sources. One that is still ahead is not computed again."""
        earliest = None
        for index, known in enumerate(self._ahead):
            if known is None or known[0] > instant or (known[1] is not None and known[1] <= instant):
                known = self._ahead[index] = instant, self._next(index, instant)
            due = known[1]
            if due is not None and (earliest is None or due < earliest):
                earliest = due
        return earliest

    def _next(self, index: int, instant: datetime) -> datetime | None:
        """The next instant of a source, or the one up to which it was searched in vain."""
        try:
            return self._sources[index].next_after(instant)
        except SearchLimit as limit:
            # Two days are more than the offset of any zone: nothing up to there is passed over.
            self._searched[index] = max(instant_of(limit.local - 2 * DAY), instant + _SECOND)
            return self._searched[index]

    def between(self, after: datetime, until: datetime) -> Iterator[Occurrence]:
        """All occurrences, left out or not, with nominal instants from `after`, exclusive, to `until`, inclusive."""
        occurrence = self.nominal_after(after)
        while occurrence is not None and occurrence.nominal <= until:
            yield occurrence
            occurrence = self.nominal_after(occurrence.nominal)

    def resume_after(self, left_out: Occurrence) -> datetime:
        """The instant to search on from after a left-out occurrence: all up to that instant are left out too."""
        if self._opening is None or "search_ended" in left_out.flags:
            return left_out.nominal
        if "excluded_by_calendar" in left_out.flags:
            return self._opening.past_excluded(left_out.nominal)
        return self._opening.past_closed(left_out.nominal)

    def _occurrence(self, nominal: datetime) -> Occurrence:
        due = self._due_at(nominal)
        if not due:
            return Occurrence(nominal, None, ("search_ended",))
        flags: list[Flag] = []
        if all(source.is_shifted(nominal) for source in due):
            flags.append("shifted")
        if self._zone.is_repeat(seconds_of(nominal)):
            flags.append("repeated")
        if self._opening is None:
            return Occurrence(nominal, self._jittered(nominal, nominal), tuple(flags))
        if not self._opening.allows(nominal):
            return Occurrence(nominal, None, (*flags, "excluded_by_calendar"))
        opening = self._opening.next_open(nominal) if self._windowed else nominal
        if opening is None or (opening != nominal and self._skip_outside):
            return Occurrence(nominal, None, (*flags, "skipped_by_window"))
        if opening != nominal:
            flags.append("moved_by_window")
        return Occurrence(nominal, self._jittered(nominal, opening), tuple(flags))

    def _due_at(self, nominal: datetime) -> Sequence[Source]:
        if len(self._sources) == 1:
            return () if self._searched.get(0) == nominal else self._sources
        return [
            source
            for index, (source, known) in enumerate(zip(self._sources, self._ahead, strict=True))
            if known is not None and known[1] == nominal != self._searched.get(index)
        ]

    def _jittered(self, nominal: datetime, opening: datetime) -> datetime:
        """Add the jitter, shortened so that the instant stays within the window and on an allowed date."""
        if self._jitter is None:
            return opening
        span = self._jitter
        closing = self._opening.next_closing(opening) if self._opening else None
        if closing is not None:
            span = min(span, closing - opening)
        return opening + jitter_of(self._key, nominal, span)
