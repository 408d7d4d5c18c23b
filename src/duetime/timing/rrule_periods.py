"""The periods of a yearly, monthly or weekly recurrence rule; number 0 contains the rule's start. Pure."""

from __future__ import annotations

from datetime import MAXYEAR, date

from msgspec import Struct

from duetime.timing.days import month_length
from duetime.timing.instants import EPOCH_ORDINAL
from duetime.timing.rrule_days import LAST_ORDINAL
from duetime.timing.rrule_text import Frequency


class Periods(Struct, frozen=True):
    """Years, months, or weeks that begin on a given weekday."""

    freq: Frequency
    start: date
    week_start: int

    def number(self, day: int) -> int:
        """The number of the period that contains a day, in days since 1970."""
        found = date.fromordinal(day + EPOCH_ORDINAL)
        if self.freq == "YEARLY":
            return found.year - self.start.year
        if self.freq == "MONTHLY":
            return (found.year - self.start.year) * 12 + found.month - self.start.month
        return (day + EPOCH_ORDINAL - self._first_week()) // 7

    def bounds(self, number: int) -> tuple[int, int] | None:
        """The first and the last day of a period, in days since 1970; `None` past the last year."""
        if self.freq == "WEEKLY":
            first = self._first_week() + 7 * number
            last = first + 6
            return (first - EPOCH_ORDINAL, last - EPOCH_ORDINAL) if last <= LAST_ORDINAL else None
        if self.freq == "YEARLY":
            year, month, last_month = self.start.year + number, 1, 12
        else:
            year, month = divmod(self.start.year * 12 + self.start.month - 1 + number, 12)
            month = last_month = month + 1
        if year > MAXYEAR:
            return None
        first = date(year, month, 1).toordinal()
        last = date(year, last_month, month_length(year, last_month)).toordinal()
        return first - EPOCH_ORDINAL, last - EPOCH_ORDINAL

    def _first_week(self) -> int:
        return self.start.toordinal() - (self.start.weekday() - self.week_start) % 7
