"""Durations as text or numbers: `90s`, `1h30m`, `2d`, plain seconds, or ISO 8601 (`PT30M`). Pure."""

from __future__ import annotations

import math
import re
from datetime import timedelta

from duetime.timing.errors import DurationError, quoted

MAX_DURATION = timedelta(days=36_600)
_MOST_SECONDS = int(MAX_DURATION.total_seconds())
_MAX_LENGTH = 64
_EXAMPLES = "'90s', '1h30m', '2d' or 'PT30M'"
_UNITS = {"w": 604_800_000, "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
"""Milliseconds of each unit, largest first: the parts of a duration must have this order."""
_ORDER = tuple(_UNITS)

_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_PART = re.compile(rf"({_NUMBER})(ms|[wdhms])")
_PLAIN = re.compile(_NUMBER)
_ISO = re.compile(
    rf"P(?=[0-9T])(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=[0-9])(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?"
)
_ISO_MILLISECONDS = (604_800_000, 86_400_000, 3_600_000, 60_000, 1000)


def parse_duration(value: str | int | float) -> timedelta:
    """Read a duration from text or a number of seconds. It is never negative, and at most a hundred years."""
    if isinstance(value, str):
        return _checked(_milliseconds(value), value)
    if isinstance(value, int) and abs(value) > _MOST_SECONDS:
        raise DurationError("This number of seconds is out of range: a duration is from 0 up to a hundred years.")
    if isinstance(value, bool) or not math.isfinite(value):
        raise DurationError(f"{value!r} is not a duration: give seconds, or text such as {_EXAMPLES}.")
    return _checked(value * 1000, str(value))


def format_duration(duration: timedelta) -> str:
    """The shortest text that `parse_duration` reads as the same duration, to the millisecond."""
    left = round(duration / timedelta(milliseconds=1))
    parts: list[str] = []
    for unit in _ORDER[1:]:
        count, left = divmod(left, _UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"


def _milliseconds(text: str) -> float:
    if len(text) > _MAX_LENGTH:
        raise DurationError(f"A duration may have at most {_MAX_LENGTH} characters: write something like {_EXAMPLES}.")
    if _PLAIN.fullmatch(text):
        return float(text) * 1000
    if text[:1] in ("P", "p"):
        return _iso(text)
    total, position, largest = 0.0, 0, -1
    while position < len(text):
        part = _PART.match(text, position)
        if part is None or _ORDER.index(part[2]) <= largest:
            raise _unreadable(text, position)
        largest = _ORDER.index(part[2])
        total += float(part[1]) * _UNITS[part[2]]
        position = part.end()
    if not text:
        raise _unreadable(text, 0)
    return total


def _iso(text: str) -> float:
    found = _ISO.fullmatch(text.upper())
    if found is None:
        if re.match(r"P[0-9.]*[YM]|P[0-9.]+Y[0-9.]+M", text.upper()):
            raise DurationError(
                f"{quoted(text)} has years or months, which have no fixed length: use weeks, days or hours.",
                position=1,
            )
        raise _unreadable(text, 1)
    pairs = zip(found.groups(), _ISO_MILLISECONDS, strict=True)
    return sum(float(number) * milliseconds for number, milliseconds in pairs if number is not None)


def _unreadable(text: str, position: int) -> DurationError:
    return DurationError(f"{quoted(text)} is not a duration: write {_EXAMPLES}.", position=position)


def _checked(milliseconds: float, given: str) -> timedelta:
    if not 0 <= milliseconds <= MAX_DURATION / timedelta(milliseconds=1):
        raise DurationError(f"{quoted(given)} is out of range: a duration is from 0 up to a hundred years.")
    return timedelta(milliseconds=milliseconds)
