"""Durations as programs write them: seconds, a `timedelta`, or text such as "90s" and "1h30m"."""

from __future__ import annotations

import math
import re
from datetime import timedelta

from ..client.spec import Duration
from ..errors import Invalid

_UNITS = {"w": 604_800.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[wdhms])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def seconds_of(value: Duration) -> float:
    """Returns a duration in seconds."""
    seconds = _read(value)
    if not math.isfinite(seconds) or seconds < 0:
        raise Invalid(f"The duration {value!r} is negative or not finite: write seconds, or text such as '90s'.")
    return seconds


def _read(value: Duration) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(value))
    raise Invalid(f"{value!r} is not a duration: write seconds, a timedelta, or text such as '90s' or '1h30m'.")
