"""Checks the rules of a policy that a client sent: timeouts, limits, labels, hours. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from duetime.api.server.fields import duration, refuse_nul
from duetime.model.bounds import AT_ONCE, LAUNCH_RATE
from duetime.model.errors import DuetimeError, Invalid
from duetime.model.policy import Hours, Limit
from duetime.timing.windows import Window
from duetime.timing.zones import zone_table

_UNLIMITED: Final = Limit()


def parse_timeout(given: str | float, most: float) -> float:
    """The seconds that one attempt may take, at most `most`."""
    seconds = duration("timeout", given).total_seconds()
    if not 0 < seconds <= most:
        raise Invalid(
            f"'timeout' must be more than 0 and at most {most:g} s: that is the longest that this server allows.",
            field="timeout",
            limit=most,
        )
    return seconds


def check_limit(field: str, limit: Limit | None) -> Limit | None:
    """Returns a limit that limits something, within bounds that the scheduler can keep."""
    if limit is None:
        return None
    if limit.max_concurrency is None and limit.rate is None:
        raise Invalid(f"'{field}' must have 'max_concurrency' or 'rate', or both.", field=field)
    for name in ("burst", "per"):
        if limit.rate is None and getattr(limit, name) != getattr(_UNLIMITED, name):
            raise Invalid(f"'{field}.{name}' needs '{field}.rate': give a rate as well.", field=f"{field}.{name}")
    if limit.rate is not None and not LAUNCH_RATE.least <= limit.rate <= LAUNCH_RATE.most:
        raise Invalid(
            f"'{field}.rate' must be from {LAUNCH_RATE.least:f} to {LAUNCH_RATE.most:.0f}.", field=f"{field}.rate"
        )
    for name, most in (("max_concurrency", limit.max_concurrency), ("burst", limit.burst)):
        if most is not None and most > AT_ONCE.most:
            raise Invalid(f"'{field}.{name}' must be at most {AT_ONCE.most}.", field=f"{field}.{name}")
    return limit


def check_labels(field: str, labels: dict[str, str] | None) -> dict[str, str] | None:
    """Returns labels that the store can hold; None for an empty set."""
    for name, value in (labels or {}).items():
        refuse_nul(field, name + value)
    return labels or None


@lru_cache(maxsize=1024)
def check_hours(hours: Hours | None) -> Hours | None:
    """Returns hours whose zone exists and whose window can be read."""
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
