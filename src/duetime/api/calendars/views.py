"""What clients see of calendars."""

from __future__ import annotations

from datetime import date, datetime

from msgspec import Struct

from duetime.model.schedule import StoredCalendar


class CalendarView(Struct, frozen=True):
    """A calendar."""

    id: int
    name: str
    dates: tuple[date, ...]
    mode: str
    version: int
    created_at: datetime
    updated_at: datetime


def calendar_view(stored: StoredCalendar) -> CalendarView:
    """A calendar as shown."""
    one = stored.calendar
    return CalendarView(stored.id, one.name, one.dates, one.mode, stored.version, stored.created_at, stored.updated_at)
