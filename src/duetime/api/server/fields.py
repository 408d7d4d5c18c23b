"""Checks of single fields that several resources share: text without NUL, instants in UTC, durations. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from duetime.model.errors import DuetimeError, Invalid
from duetime.timing.durations import parse_duration

NO_NUL: Final = {"pattern": r"^[^\x00]*$"}
"""JSON Schema for text that the store can hold."""
FIRST_YEAR: Final = 2
"""PostgreSQL's driver reads the first instant of the year 1 as "before everything"."""
LAST_YEAR: Final = 2200


def refuse_nul(field: str, text: str) -> None:
    """Refuses text with a NUL character, which the store cannot hold."""
    if "\0" in text:
        raise Invalid(f"'{field}' must not contain a NUL character.", field=field)


def utc_instant(field: str, instant: datetime) -> datetime:
    """The same instant in UTC."""
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise Invalid(f"'{field}' must be within the years 1 to 9999 in UTC.", field=field) from None


def optional_utc(field: str, instant: datetime | None) -> datetime | None:
    """The same instant in UTC, where one is given."""
    return None if instant is None else utc_instant(field, instant)


def job_instant(field: str, instant: datetime) -> datetime:
    """The same instant in UTC, if it lies within the years that a job can have."""
    instant = utc_instant(field, instant)
    if instant.year < FIRST_YEAR:
        raise Invalid(f"'{field}' must not be before the year {FIRST_YEAR}.", field=field)
    if instant.year > LAST_YEAR:
        raise Invalid(f"'{field}' must not be after the year {LAST_YEAR}.", field=field)
    return instant


def duration(field: str, given: str | float) -> timedelta:
    """A duration, which is never negative."""
    try:
        return parse_duration(given)
    except DuetimeError as error:
        raise Invalid(f"'{field}': {error.message}", field=field) from None
    except (OverflowError, ValueError):
        raise Invalid(f"'{field}' is too long a duration.", field=field) from None
