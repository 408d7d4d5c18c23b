"""What clients send about calendars."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.server.cursors import Cursor, PageSize
from duetime.api.server.fields import NO_NUL
from duetime.timing.calendars import MAX_DATES

Dates = Annotated[tuple[date, ...], Meta(max_length=MAX_DATES, description="Local dates, such as 2026-12-25.")]
Mode = Annotated[
    Literal["exclude", "only"],
    Meta(description="`exclude`: no occurrence on these dates; `only`: occurrences on these dates alone."),
]


class CalendarBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A named set of dates."""

    name: Annotated[str, Meta(min_length=1, max_length=255, extra_json_schema=NO_NUL)]
    dates: Dates
    mode: Mode = "exclude"


class CalendarPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes to a calendar's dates or mode; its name stays."""

    dates: Dates | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET


class CalendarsQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which calendars to list."""

    limit: PageSize = 100
    cursor: Cursor | None = None
