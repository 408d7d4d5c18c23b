"""From what a client sent about launching to what the engine takes: time-outs, limits, labels, hours."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import Final

from duetime.model.errors import DuetimeError, Invalid
from duetime.model.policy import Hours, Limit
from duetime.timing.durations import parse_duration
from duetime.timing.windows import Window
from duetime.timing.zones import zone_table

MAX_TIMEOUT: Final = 86_400.0
SLOWEST, FASTEST = 1e-6, 1e6
"""Rates beyond these are no limit that a clock can keep."""
MOST_AT_ONCE: Final = 1_000_000
_UNLIMITED: Final = Limit()


def duration(field: str, given: str | float) -> timedelta:
    """A duration, which is never negative."""
    try:
        return parse_duration(given)
    except DuetimeError as error:
        raise Invalid(f"'{field}': {error.message}", field=field) from None
    except (OverflowError, ValueError):
        raise Invalid(f"'{field}' is far too long a duration.", field=field) from None


def parse_timeout(given: str | float) -> float:
    """How long one attempt may take, in seconds."""
    seconds = duration("timeout", given).total_seconds()
    if not 0 < seconds <= MAX_TIMEOUT:
        raise Invalid("'timeout' must be more than nothing and at most a day.", field="timeout")
    return seconds


def check_limit(field: str, limit: Limit | None) -> Limit | None:
    """A limit that limits something, within what can be kept."""
    if limit is None:
        return None
    if limit.max_concurrency is None and limit.rate is None:
        raise Invalid(f"'{field}' must have 'max_concurrency' or 'rate', or both.", field=field)
    for name in ("burst", "per"):
        if limit.rate is None and getattr(limit, name) != getattr(_UNLIMITED, name):
            raise Invalid(f"'{field}.{name}' goes with '{field}.rate': give a rate as well.", field=f"{field}.{name}")
    if limit.rate is not None and not SLOWEST <= limit.rate <= FASTEST:
        raise Invalid(f"'{field}.rate' must be from {SLOWEST:f} to {FASTEST:.0f}.", field=f"{field}.rate")
    for name, most in (("max_concurrency", limit.max_concurrency), ("burst", limit.burst)):
        if most is not None and most > MOST_AT_ONCE:
            raise Invalid(f"'{field}.{name}' must be at most {MOST_AT_ONCE}.", field=f"{field}.{name}")
    return limit


def check_labels(field: str, labels: dict[str, str] | None) -> dict[str, str] | None:
    """Labels that the store can hold; none of them is None."""
    for name, value in (labels or {}).items():
        if "\0" in name or "\0" in value:
            raise Invalid(f"'{field}' must not contain a NUL character.", field=field)
    return labels or None


@lru_cache(maxsize=1024)
def check_hours(hours: Hours | None) -> Hours | None:
    """Hours whose zone exists and whose window can be read."""
    if hours is None:
        return None
    try:
        zone_table(hours.zone)
    except DuetimeError as error:
        raise Invalid(f"'hours.zone': {error.message}", field="hours.zone") from None
    try:
        Window.parse(hours.window, zone=hours.zone)
    except DuetimeError as error:
        raise Invalid(f"'hours.window': {error.message}", field="hours.window", **error.details) from None
    return hours
