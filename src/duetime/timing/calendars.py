"""Calendars: named sets of local dates on which a schedule does not run, or on which alone it runs. Pure."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

MAX_DATES = 20_000
_ONE_DAY = timedelta(days=1)


class Calendar(Struct, frozen=True, forbid_unknown_fields=True):
    """Dates to leave out (`exclude`), or the only dates to run on (`only`), in the zone of the schedule."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    dates: Annotated[tuple[date, ...], Meta(max_length=MAX_DATES)]
    mode: Literal["exclude", "only"] = "exclude"

    def __post_init__(self) -> None:
        force_setattr(self, "dates", tuple(sorted(set(self.dates))))

    def allows(self, day: date) -> bool:
        """Whether a schedule may run on a local date."""
        return self._lists(day) == (self.mode == "only")

    def next_allowed(self, day: date, weekdays: frozenset[int] | None = None) -> date | None:
        """The first allowed date at or after another, on one of these weekdays (Monday is 0), if any."""
        index = bisect_left(self.dates, day)
        if self.mode == "only":
            later = self.dates[index:]
            return next((one for one in later if weekdays is None or one.weekday() in weekdays), None)
        while True:
            while index < len(self.dates) and self.dates[index] < day:
                index += 1
            listed = index < len(self.dates) and self.dates[index] == day
            if not listed and (weekdays is None or day.weekday() in weekdays):
                return day
            if day == date.max:
                return None
            day += _ONE_DAY

    def next_excluded(self, day: date) -> date | None:
        """The first date at or after another that is not allowed; `None` if there is none."""
        index = bisect_left(self.dates, day)
        if self.mode == "exclude":
            return self.dates[index] if index < len(self.dates) else None
        while index < len(self.dates) and self.dates[index] == day:
            if day == date.max:
                return None
            day += _ONE_DAY
            index += 1
        return day

    def _lists(self, day: date) -> bool:
        index = bisect_left(self.dates, day)
        return index < len(self.dates) and self.dates[index] == day
