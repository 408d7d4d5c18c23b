"""Reads a whole cron expression: its fields or nickname, independent of any zone. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

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
    SECOND,
    Choose,
    Field,
    parse_field,
)
from duetime.timing.wallclock import Wallclock, lowest

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
_WORD = re.compile(r"[^ \t]+")
_ALL_DAYS = 0xFFFFFFFE


class Expression(Struct, frozen=True):
    """A parsed expression: six fields, or an interval in seconds (`@every`)."""

    text: str
    fields: tuple[Field, ...] = ()
    with_seconds: bool = False
    wall: Wallclock | None = None
    wildcard: bool = False
    """The minute or the hour begins with `*`: a wildcard job in the sense of Vixie cron."""
    every: int = 0


def parse_expression(text: str, key: str = "") -> Expression:
    """Read an expression. `key` is the schedule's identity, from which `H` and `?` choose their values."""
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
    chosen = "h" in text.lower() or "?" in text
    return _parse(text, key if chosen else "")


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
            "day of week), or 6 with seconds first.",
            position=words[6][1] if len(words) > 6 else len(text.rstrip()),
        )
    with_seconds = len(words) == 6
    if not with_seconds:
        words.insert(0, ("0", 0))
    return _compile(text, _without_day_questions(words, with_seconds), key, with_seconds)


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


def _without_day_questions(words: list[tuple[str, int]], with_seconds: bool) -> list[tuple[str, int]]:
    """Replace a `?` that means, as in Quartz, that only the other day field counts. With seconds it always does."""
    dom, dow = words[3], words[5]
    if dom[0] == "?" and (with_seconds or dow[0][0] not in "*?"):
        dom = ("*", dom[1])
    if dow[0] == "?" and (with_seconds or words[3][0][0] not in "*?"):
        dow = ("*", dow[1])
    return [*words[:3], dom, words[4], dow]


def _compile(text: str, words: list[tuple[str, int]], key: str, with_seconds: bool) -> Expression:
    choose = _chooser(key)
    fields = tuple(
        parse_field(kind, word, position, choose) for kind, (word, position) in zip(_KINDS, words, strict=True)
    )
    second, minute, hour, dom, month, dow = fields
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
    wall = Wallclock(
        seconds=second.mask,
        minutes=minute.mask,
        hours=hour.mask,
        months=month.mask,
        days=table,
        every_day=every_day,
        first_second=start,
        first_in_hour=lowest(minute.mask) * 60 + start,
    )
    return Expression(text, fields, with_seconds, wall, minute.star or hour.star)


def _chooser(key: str) -> Choose:
    def choose(field: str, below: int) -> int:
        digest = blake2b(f"{field}\0{key}".encode(errors="surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % below

    return choose
