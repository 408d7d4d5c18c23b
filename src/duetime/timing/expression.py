"""Reads a whole cron expression in one of two dialects, independent of any zone. Pure.

`standard` has five fields, six with seconds first, or a nickname. `quartz` has the six or seven fields of the Java
library Quartz: seconds first, 1 for Sunday, and an optional year. What the other dialect would read differently is
refused, never guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, get_args

from msgspec import Struct

from duetime.timing.days import DayRule, day_table, ever_matches
from duetime.timing.durations import parse_duration
from duetime.timing.errors import CronError, DurationError, quoted
from duetime.timing.fields import (
    DAY_OF_MONTH,
    DAY_OF_WEEK,
    HOUR,
    MINUTE,
    MONTH,
    QUARTZ_DAY_OF_WEEK,
    SECOND,
    YEAR,
    Choose,
    Field,
    parse_field,
)
from duetime.timing.instants import DAY
from duetime.timing.wallclock import Wallclock, lowest
from duetime.timing.years import YearTimes

Dialect = Literal["standard", "quartz"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)

MAX_LENGTH = 256
MIN_INTERVAL = 1

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_KINDS = (SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK)
_QUARTZ_KINDS = (*_KINDS[:5], QUARTZ_DAY_OF_WEEK, YEAR)
_WORD = re.compile(r"[^ \t]+")
_ALL_DAYS = 0xFFFFFFFE


class Expression(Struct, frozen=True):
    """A parsed expression: six fields, seven with a year, or an interval in seconds (`@every`)."""

    text: str
    fields: tuple[Field, ...] = ()
    with_seconds: bool = False
    wall: Wallclock | YearTimes | None = None
    wildcard: bool = False
    """The minute or the hour begins with `*`: a wildcard job in the sense of Vixie cron."""
    every: int = 0
    dialect: Dialect = "standard"


def parse_expression(text: str, key: str = "", dialect: Dialect = "standard") -> Expression:
    """Read an expression. `key` is the schedule's identity, from which `H` chooses its values."""
    if len(text) > MAX_LENGTH:
        raise CronError(
            f"The expression has {len(text)} characters: at most {MAX_LENGTH} are allowed.", position=MAX_LENGTH
        )
    for position, character in enumerate(text):
        if not " " <= character <= "~" and character != "\t":
            raise CronError(
                f"The character {character!r} is not allowed in an expression: use fields such as '30 1 * * *'.",
                position=position,
            )
    if dialect == "quartz":
        return _parse_quartz(text)
    return _parse(text, key if "h" in text.lower() else "")


@lru_cache(maxsize=4096)
def _parse(text: str, key: str) -> Expression:
    stripped = text.strip()
    start = len(text) - len(text.lstrip())
    if stripped.startswith("@"):
        return _nickname(text, stripped, start)
    words = [(found[0].upper(), found.start()) for found in _WORD.finditer(text)]
    if len(words) not in (5, 6):
        raise CronError(
            f"The expression has {len(words)} fields: it needs 5 (minute, hour, day of month, month, "
            "day of week), or 6 with seconds first."
            + (" A line of Quartz with a year needs the dialect 'quartz'." if len(words) == 7 else ""),
            position=words[6][1] if len(words) > 6 else len(text.rstrip()),
        )
    with_seconds = len(words) == 6
    if not with_seconds:
        words.insert(0, ("0", 0))
    return _compile(text, _any_day(words), key, with_seconds)


@lru_cache(maxsize=1024)
def _parse_quartz(text: str) -> Expression:
    words = [(found[0].upper(), found.start()) for found in _WORD.finditer(text)]
    if len(words) not in (6, 7):
        raise CronError(
            f"The expression has {len(words)} fields: in the dialect 'quartz' it needs 6 (second, minute, hour, day of "
            "month, month, day of week), or 7 with the year last.",
            position=words[7][1] if len(words) > 7 else len(text.rstrip()),
        )
    for word, position in words:
        letter = word.replace("THU", "___").find("H")
        if letter >= 0:
            raise CronError(
                "Quartz has no 'H': write a value, or use the dialect 'standard'.", position=position + letter
            )
    (month_day, at), (week_day, _) = words[3], words[5]
    if month_day == week_day == "?":
        raise CronError("In Quartz only one of the day fields is '?': write '*' in the other one.", position=at)
    if month_day not in ("*", "?") and week_day not in ("*", "?"):
        raise CronError(
            "Quartz takes a day of month or a day of week, not both: write '?' in one of the two fields.", position=at
        )
    spelled = [(_as_standard(word, index), at) for index, (word, at) in enumerate(words)]
    return _compile(text, _any_day(spelled), "", True, "quartz")


def _as_standard(word: str, index: int) -> str:
    """A field of Quartz in the spelling of `standard`: a step may begin with nothing, and `L` is Saturday."""
    return "SAT" if index == 5 and word == "L" else re.sub(r"(^|,)/", r"\1*/", word)


def _nickname(text: str, stripped: str, start: int) -> Expression:
    name, _, rest = stripped.partition(" ")
    name = name.lower()
    if name == "@every":
        return Expression(text, every=_interval(rest.strip(), start + len(stripped) - len(rest.lstrip())))
    if name == "@reboot":
        raise CronError(
            "'@reboot' has no meaning here: a scheduler on several machines has no single start. "
            "Use an instant, or a nickname such as '@daily'.",
            position=start,
        )
    plain = NICKNAMES.get(name)
    if plain is None or rest:
        known = ", ".join([*NICKNAMES, "@every 90s"])
        raise CronError(f"There is no nickname {quoted(stripped)}: use one of {known}.", position=start)
    words = [("0", 0), *((word, start) for word in plain.split())]
    return _compile(text, words, "", with_seconds=False)


def _interval(text: str, position: int) -> int:
    try:
        interval = parse_duration(text)
    except DurationError as error:
        raise CronError(
            f"{error.message} Write something like '@every 90s'.", position=position + error.position
        ) from None
    if interval.microseconds or interval.total_seconds() < MIN_INTERVAL:
        raise CronError(
            f"{quoted(text)} is finer than one second: use whole seconds, such as '@every 90s'.",
            position=position,
        )
    return int(interval.total_seconds())


def _any_day(words: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Replace a `?` in a day field, which means every day: the other day field decides."""
    return [("*", at) if word == "?" and index in (3, 5) else (word, at) for index, (word, at) in enumerate(words)]


def _compile(
    text: str, words: list[tuple[str, int]], key: str, with_seconds: bool, dialect: Dialect = "standard"
) -> Expression:
    choose = _chooser(key)
    kinds = _KINDS if dialect == "standard" else _QUARTZ_KINDS[: len(words)]
    fields = tuple(
        parse_field(kind, word, position, choose) for kind, (word, position) in zip(kinds, words, strict=True)
    )
    second, minute, hour, dom, month, dow = fields[:6]
    rule = DayRule(dom.mask, dom.marks, dow.mask, dow.marks, either=not (dom.star or dow.star))
    table = day_table(rule)
    if not ever_matches(table, month.mask):
        raise CronError(
            f"No month in {quoted(month.text)} ever has a day that {quoted(dom.text)} and {quoted(dow.text)} "
            "allow: the expression is never due. Give a date that exists.",
            position=words[3][1],
        )
    every_day = month.mask == 0x1FFE and rule.either is False and rule.dow == 0x7F and rule.dom == _ALL_DAYS
    start = lowest(second.mask)
    wall: Wallclock | YearTimes = Wallclock(
        seconds=second.mask,
        minutes=minute.mask,
        hours=hour.mask,
        months=month.mask,
        days=table,
        every_day=every_day,
        first_second=start,
        first_in_hour=lowest(minute.mask) * 60 + start,
    )
    if len(fields) > 6 and fields[6].text != "*":
        wall = YearTimes(wall, fields[6].mask)
        if wall.first(-DAY) is None:
            raise CronError(
                f"No year in {quoted(fields[6].text)} has a date that the other fields allow: the expression is never "
                "due. Give a year that has one.",
                position=words[6][1],
            )
    wildcard = any(field.star or (dialect == "quartz" and field.text.startswith("0/")) for field in (minute, hour))
    return Expression(text, fields, with_seconds, wall, wildcard, dialect=dialect)


def _chooser(key: str) -> Choose:
    def choose(field: str, below: int) -> int:
        digest = blake2b(f"{field}\0{key}".encode(errors="surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % below

    return choose
