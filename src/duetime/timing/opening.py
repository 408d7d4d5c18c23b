"""Opening: the instants that a window and a calendar leave open, together. Pure."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from msgspec import Struct

from duetime.timing.calendars import Calendar
from duetime.timing.dst import LITERAL, first_instant
from duetime.timing.instants import DAY, EPOCH_ORDINAL, LAST_INSTANT, instant_of, seconds_of
from duetime.timing.windows import Window
from duetime.timing.zones import ZoneTable

_TRIED = 400
"""How many allowed dates without an open instant are passed before the answer is that there is none."""
_TICK = timedelta(microseconds=1)


class Opening:
    """A window and a calendar, of which one may be missing. The calendar's dates are local dates of `zone`."""

    __slots__ = ("_calendar", "_known", "_weekdays", "_window", "_zone")

    def __init__(self, window: Window | None, calendar: Calendar | None, zone: ZoneTable) -> None:
        self._window, self._calendar, self._zone = window, calendar, zone
        # In another zone the window opens on other dates, so that its weekdays say nothing about the calendar's.
        self._weekdays = window.weekdays if window is not None and window.zone == zone.name else None
        self._known: tuple[datetime, datetime] | None = None

    def allows(self, instant: datetime) -> bool:
        """Whether the calendar allows the local date of an instant."""
        return self._calendar is None or self._calendar.allows(self._date(seconds_of(instant)))

    def next_open(self, instant: datetime) -> datetime | None:
        """The instant itself if it is open, else the next open one; `None` if there is none."""
        if self._calendar is None:
            return instant if self._window is None else self._window.next_opening(instant)
        # All instants of one closed stretch have the same answer.
        if self._known is not None and self._known[0] <= instant < self._known[1]:
            return self._known[1]
        at, calendar = instant, self._calendar
        for _ in range(_TRIED):
            opening = at if self._window is None else self._window.next_opening(at)
            if opening is None or calendar.allows(self._date(seconds_of(opening))):
                if opening is not None and opening > instant:
                    self._known = instant, opening
                return opening
            following = self._next_date(opening)
            if following >= instant_of(LAST_INSTANT):
                return None
            at = following
        return None

    def next_closing(self, instant: datetime) -> datetime | None:
        """The first instant at or after an open one at which the window closes or an excluded date begins."""
        closing = None if self._window is None else self._window.next_closing(instant)
        if self._calendar is None:
            return closing
        seconds = seconds_of(instant)
        excluded = self._calendar.next_excluded(self._date(seconds))
        begin = None if excluded is None else self._begin(excluded, seconds)
        if begin is None:
            return closing
        return instant_of(begin) if closing is None else min(closing, instant_of(begin))

    def past_excluded(self, instant: datetime) -> datetime:
        """The instant to search on from after one on an excluded date: all up to that one are on excluded dates."""
        return max(instant, self._next_date(instant, any_weekday=True) - _TICK)

    def past_closed(self, instant: datetime) -> datetime:
        """The instant to search on from after one outside of the window: all up to that one are outside too."""
        opening = self._window.next_opening(instant) if self._window else None
        return instant if opening is None else max(instant, opening - _TICK)

    def _next_date(self, instant: datetime, *, any_weekday: bool = False) -> datetime:
        """The begin of the next allowed date, on a weekday on which the window opens; if none, the last instant."""
        seconds = seconds_of(instant)
        weekdays = None if any_weekday else self._weekdays
        allowed = self._calendar.next_allowed(self._date(seconds), weekdays) if self._calendar else None
        found = None if allowed is None else self._begin(allowed, seconds)
        begin = LAST_INSTANT if found is None else found
        # The clocks may go back to an allowed date, so that the search must not skip such a change.
        changes = self._zone.changes(seconds + 1, seconds + DAY)
        back = [change.begin for change in changes if change.offset < change.before]
        return instant_of(min([*back, begin]))

    def _begin(self, day: date, after: int) -> int | None:
        """The first instant of a local date, or of a later one if the zone leaves that date out."""
        midnight = _From((day.toordinal() - EPOCH_ORDINAL) * DAY)
        return first_instant(midnight, self._zone, LITERAL, after)

    def _date(self, seconds: int) -> date:
        return date.fromordinal((seconds + self._zone.offset(seconds)) // DAY + EPOCH_ORDINAL)


class _From(Struct, frozen=True):
    """All local times at or after `begin`."""

    begin: int

    def first(self, local: int) -> int:
        return max(local, self.begin)
