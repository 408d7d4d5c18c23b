"""Reads recurrence rules of RFC 5545 from text: `DTSTART` and `RRULE` lines. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Literal, get_args

from msgspec import Struct

from duetime.timing.errors import RuleError, quoted
from duetime.timing.instants import seconds_of

Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
FREQUENCIES: tuple[Frequency, ...] = get_args(Frequency)
MAX_COUNT = 10_000
_MAX_LENGTH = 1024
_MAX_INTERVAL = 10_000
_YEARS = (1900, 9990)
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_EXAMPLE = "'FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0'"
_LISTS = {
    "BYSECOND": (0, 59, False),
    "BYMINUTE": (0, 59, False),
    "BYHOUR": (0, 23, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYMONTH": (1, 12, False),
    "BYSETPOS": (1, 366, True),
}
"""The lowest and the highest number in each list, and whether a number may count from the end."""
_OTHERS = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST")
_BYDAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_START = re.compile(r"DTSTART(?:;VALUE=DATE(?:-TIME)?)?(?:;TZID=(?P<zone>[^:;]+))?:\s*(?P<value>.*)", re.IGNORECASE)
_STAMP = re.compile(r"([0-9]{8})(?:T([0-9]{6})(Z)?)?")


class Stamp(Struct, frozen=True):
    """A date with a time, in seconds since 1970: an instant if it is given in UTC, else local."""

    seconds: int
    utc: bool = False
    whole_day: bool = False


class RuleText(Struct, frozen=True):
    """A rule as it is written. Lists that are not given are empty."""

    freq: Frequency
    interval: int = 1
    count: int | None = None
    until: Stamp | None = None
    start: Stamp | None = None
    zone: str | None = None
    week_start: int = 0
    lists: dict[str, tuple[int, ...]] = {}
    days: tuple[tuple[int, int], ...] = ()
    """Pairs of a weekday, counted from Monday, 0, and its number within the period, 0 for all of them."""


def parse_rule_text(text: str) -> RuleText:
    """Read `RRULE:…` with an optional `DTSTART…` line before it. `RRULE:` itself may be left out."""
    if len(text) > _MAX_LENGTH:
        raise RuleError(f"A rule may have at most {_MAX_LENGTH} characters.", position=_MAX_LENGTH)
    start, zone, rule, position, at = None, None, "", 0, 0
    for line in text.splitlines(keepends=True):
        content = line.strip()
        here = position + line.find(content)
        if content.upper().startswith("DTSTART"):
            start, zone = _start_line(content, here)
        elif content:
            if rule or not content.upper().startswith(("RRULE:", "FREQ=")):
                raise RuleError(
                    f"{quoted(content)} is not allowed here: give one RRULE, with a DTSTART line if needed. "
                    "To leave out dates, use a calendar.",
                    position=here,
                )
            rule = content.upper().removeprefix("RRULE:")
            at = here + len(content) - len(rule)
        position += len(line)
    if not rule:
        raise RuleError(f"There is no rule: write something like {_EXAMPLE}.")
    return _rule_line(rule, at, start, zone)


def _start_line(line: str, position: int) -> tuple[Stamp, str | None]:
    found = _START.fullmatch(line)
    if found is None:
        raise RuleError(
            f"{quoted(line)} is not a start: write DTSTART:20300131T090000, "
            "or DTSTART;TZID=Europe/Riga:20300131T090000.",
            position=position,
        )
    return _stamp(found["value"].upper(), position + found.start("value")), found["zone"]


def _rule_line(rule: str, position: int, start: Stamp | None, zone: str | None) -> RuleText:
    parts: dict[str, tuple[str, int]] = {}
    for part in rule.split(";"):
        name, _, value = part.partition("=")
        if name in parts or not value or (name not in _LISTS and name not in _OTHERS):
            raise RuleError(
                f"{quoted(part)} is not allowed here: give each of {', '.join((*_OTHERS, *_LISTS))} once, "
                f"as in {_EXAMPLE}.",
                position=position,
            )
        parts[name] = (value, position + len(name) + 1)
        position += len(part) + 1
    freq, at = parts.get("FREQ", ("", 0))
    if freq not in FREQUENCIES:
        raise RuleError(f"FREQ must be one of {', '.join(FREQUENCIES)}, not {quoted(freq)}.", position=at)
    lists = {name: _numbers(name, *parts[name]) for name in _LISTS if name in parts}
    read = RuleText(
        freq=freq,
        interval=_number(parts, "INTERVAL", 1, _MAX_INTERVAL) or 1,
        count=_number(parts, "COUNT", 1, MAX_COUNT),
        until=_stamp(*parts["UNTIL"]) if "UNTIL" in parts else None,
        start=start,
        zone=zone,
        week_start=_weekday(*parts["WKST"]) if "WKST" in parts else 0,
        lists=lists,
        days=_days(*parts["BYDAY"]) if "BYDAY" in parts else (),
    )
    _check(read, parts)
    return read


def _check(rule: RuleText, parts: dict[str, tuple[str, int]]) -> None:
    """Refuse the combinations that RFC 5545 refuses, and those that have no meaning."""

    def refuse(name: str, sentence: str) -> None:
        raise RuleError(sentence, position=parts[name][1])

    rank = FREQUENCIES.index(rule.freq)
    if rule.count is not None and rule.until is not None:
        refuse("COUNT", "A rule may have COUNT or UNTIL, but not both: leave one of them out.")
    if any(nth for _, nth in rule.days) and (rank > 1 or "BYWEEKNO" in parts):
        refuse("BYDAY", "A number before a day, such as 2MO, needs FREQ=MONTHLY or YEARLY without BYWEEKNO.")
    if "BYWEEKNO" in parts and rank > 0:
        refuse("BYWEEKNO", "BYWEEKNO needs FREQ=YEARLY.")
    if "BYYEARDAY" in parts and rank in (1, 2, 3):
        refuse("BYYEARDAY", f"BYYEARDAY has no meaning with FREQ={rule.freq}: use FREQ=YEARLY.")
    if "BYMONTHDAY" in parts and rank == 2:
        refuse("BYMONTHDAY", "BYMONTHDAY has no meaning with FREQ=WEEKLY: use FREQ=MONTHLY.")
    if "BYSETPOS" in parts and (rank > 3 or len(parts) == 2):
        refuse("BYSETPOS", "BYSETPOS needs another BY… part and FREQ=DAILY or a longer one.")


def _number(parts: dict[str, tuple[str, int]], name: str, low: int, high: int) -> int | None:
    if name not in parts:
        return None
    value, position = parts[name]
    number = int(value) if value.isascii() and value.isdigit() and len(value) <= 9 else 0
    if not low <= number <= high:
        raise RuleError(f"{name} must be a number from {low} to {high}, not {quoted(value)}.", position=position)
    return number


def _numbers(name: str, value: str, position: int) -> tuple[int, ...]:
    low, high, signed = _LISTS[name]
    found: set[int] = set()
    for item in value.split(","):
        digits = item[1:] if signed and item[:1] in ("-", "+") else item
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else -1
        if not low <= number <= high:
            end = ", or counted from the end with '-'" if signed else ""
            raise RuleError(f"{quoted(item)} is not allowed in {name}: use {low} to {high}{end}.", position=position)
        found.add(-number if item[0] == "-" else number)
        position += len(item) + 1
    return tuple(sorted(found))


def _weekday(value: str, position: int) -> int:
    if value not in _DAYS:
        raise RuleError(f"{quoted(value)} is not a day: use MO to SU.", position=position)
    return _DAYS.index(value)


def _days(value: str, position: int) -> tuple[tuple[int, int], ...]:
    found: set[tuple[int, int]] = set()
    for item in value.split(","):
        match = _BYDAY.fullmatch(item)
        nth = int(match[1] or 0) if match else 99
        if match is None or abs(nth) > 53 or (match[1] and not nth):
            raise RuleError(
                f"{quoted(item)} is not a day: use MO to SU, with a number for the nth, such as 2MO or -1FR.",
                position=position,
            )
        found.add((_DAYS.index(match[2]), nth))
        position += len(item) + 1
    return tuple(sorted(found))


def _stamp(value: str, position: int) -> Stamp:
    match = _STAMP.fullmatch(value) if value.isascii() else None
    moment = _moment(match[1] + (match[2] or "000000")) if match else None
    if match is None or moment is None or not _YEARS[0] <= moment.year <= _YEARS[1]:
        raise RuleError(
            f"{quoted(value)} is not a date from {_YEARS[0]} to {_YEARS[1]}: write 20300131T090000, with a Z for UTC.",
            position=position,
        )
    return Stamp(seconds_of(moment), utc=match[3] is not None, whole_day=match[2] is None)


def _moment(digits: str) -> datetime | None:
    try:
        return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
