"""Reads one field of a cron expression into the values that match. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from duetime.timing.days import DayMark
from duetime.timing.errors import CronError, quoted

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class FieldKind(Struct, frozen=True):
    """The values of a kind of field, from `low` to `high`; a hash chooses values up to `hash_high`.

    A value is written as a number that is larger by `shift`.
    """

    name: str
    low: int
    high: int
    hash_high: int
    names: tuple[str, ...] = ()
    example: str = ""
    shift: int = 0

    @property
    def noun(self) -> str:
        """The name with its article."""
        return f"an {self.name}" if self.name[0] == "h" else f"a {self.name}"

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.high - self.low + 1


SECOND = FieldKind("second", 0, 59, 59, example="'0' or '*/10'")
MINUTE = FieldKind("minute", 0, 59, 59, example="'30' or '*/5'")
HOUR = FieldKind("hour", 0, 23, 23, example="'9-17' or '*/2'")
# Every month has a 28th, so that a day chosen by a hash exists in every month.
DAY_OF_MONTH = FieldKind("day of month", 1, 31, 28, example="'1,15', 'L' or '15W'")
MONTH = FieldKind("month", 1, 12, 12, _MONTHS, example="'6' or 'JUN-AUG'")
DAY_OF_WEEK = FieldKind("day of week", 0, 6, 6, _DAYS, example="'MON-FRI', '5L' or 'MON#2'")
QUARTZ_DAY_OF_WEEK = FieldKind("day of week", 0, 6, 6, _DAYS, example="'MON-FRI', '6L' or 'MON#2'", shift=1)
YEAR = FieldKind("year", 1970, 2099, 2099, example="'2030' or '2030-2032'")
_DAY_KINDS = (DAY_OF_MONTH, DAY_OF_WEEK, QUARTZ_DAY_OF_WEEK)


class Item(Struct, frozen=True):
    """One part of a field's list: the values from `low` to `high` in steps. If `high` is below `low`, they wrap."""

    kind: Literal["any", "value", "range", "hash"]
    low: int
    high: int
    step: int = 1

    def values(self, kind: FieldKind) -> list[int]:
        """The values in order; the lowest follows the highest."""
        span = (self.high - self.low) % kind.count
        return [kind.low + (self.low - kind.low + at) % kind.count for at in range(0, span + 1, self.step)]


class Field(Struct, frozen=True):
    """A parsed field. `star` means that it begins with `*`, so that it counts as unrestricted."""

    kind: FieldKind
    text: str
    star: bool
    items: tuple[Item, ...]
    marks: tuple[DayMark, ...]
    mask: int


Choose = Callable[[str, int], int]
"""Chooses a number below a bound for a named field, always the same for one schedule."""

_VALUE = r"[A-Z]+|[0-9]+"
_ITEM = re.compile(
    rf"(?:(?P<any>\*)|(?P<hash>H)(?:\((?P<hlow>{_VALUE})-(?P<hhigh>{_VALUE})\))?"
    rf"|(?P<low>{_VALUE})(?:-(?P<high>{_VALUE}))?)(?:/(?P<step>[0-9]+))?"
)
_DOM_MARK = re.compile(r"(?P<last>L)(?:-(?P<before>[0-9]+)(?P<near_last>W)?)?|(?P<lw>LW|WL)|(?P<near>[0-9]+)W")
_DOW_MARK = re.compile(r"(?P<day>[A-Z]{3}|[0-9]+)(?:(?P<last>L)|#(?P<nth>[0-9]+))")


def parse_field(kind: FieldKind, text: str, position: int, choose: Choose) -> Field:
    """Read a field from its text, in capitals; `position` is its offset in the expression."""
    if "H" in text:
        return _parse_field(kind, text, position, choose)
    return _fixed_field(kind, text, position)


@lru_cache(maxsize=4096)
def _fixed_field(kind: FieldKind, text: str, position: int) -> Field:
    """Read a field without `H`. The cache pays off, because many schedules share the same fields."""
    return _parse_field(kind, text, position, no_choice)


def no_choice(_field: str, _below: int) -> int:
    """Chooses nothing: for fields without `H`."""
    raise AssertionError("a field without H has nothing to choose")


def _parse_field(kind: FieldKind, text: str, position: int, choose: Choose) -> Field:
    items: list[Item] = []
    marks: list[DayMark] = []
    mask = 0
    in_list = "," in text
    for part, at in _parts(text, position):
        mark = _mark(kind, part, at)
        if mark is not None:
            marks.append(mark)
            continue
        item = _item(kind, part, at, choose, in_list=in_list)
        items.append(item)
        for value in item.values(kind):
            mask |= 1 << value
    return Field(kind, text, text.startswith("*"), tuple(items), tuple(marks), mask)


def _parts(text: str, position: int) -> Iterator[tuple[str, int]]:
    for part in text.split(","):
        if not part:
            raise CronError("A value is missing beside this comma: add one, or remove the comma.", position=position)
        yield part, position
        position += len(part) + 1


def _item(kind: FieldKind, part: str, position: int, choose: Choose, *, in_list: bool) -> Item:
    found = _ITEM.fullmatch(part)
    if found is None and "?" in part:
        raise CronError(
            "'?' stands alone in the day of month or the day of week, and means every day: write '*' here, or 'H' for "
            "a value chosen by the schedule's name.",
            position=position + part.index("?"),
        )
    if found is None:
        raise CronError(f"{quoted(part)} is not {kind.noun}: write something like {kind.example}.", position=position)
    step = _step(kind, found, position, in_list=in_list)
    if found["any"]:
        return Item("any", kind.low, kind.high, step)
    if found["hash"]:
        return _hashed(kind, found, position, step, choose)
    low = _value(kind, found, "low", position)
    if found["high"]:
        high = _value(kind, found, "high", position)
        whole = kind is DAY_OF_WEEK and low == 0 and found["low"] != "7" and found["high"] == "7"
        return Item("range", low, kind.high if whole else high, step)
    if found["step"]:
        return Item("range", low, kind.high, step)
    return Item("value", low, low)


def _hashed(kind: FieldKind, found: re.Match[str], position: int, step: int, choose: Choose) -> Item:
    low, high = kind.low, kind.hash_high
    if found["hlow"]:
        low, high = _value(kind, found, "hlow", position), _value(kind, found, "hhigh", position)
        if low > high:
            raise CronError(
                f"In {quoted(found[0])} the range must go up, such as 'H({kind.low}-{kind.high})'.",
                position=position + found.start("hlow"),
            )
    if not found["step"]:
        chosen = low + choose(kind.name, high - low + 1)
        return Item("hash", chosen, chosen)
    first = low + choose(kind.name, min(step, high - low + 1))
    return Item("hash", first, high, step)


def _step(kind: FieldKind, found: re.Match[str], position: int, *, in_list: bool) -> int:
    digits = found["step"]
    if digits is None:
        return 1
    step = int(digits) if len(digits) <= 4 else kind.count + 1
    # As in Vixie cron, such a step leaves the first value. In '*/100,1-7' it is there to begin the list with a '*'.
    # Alone it can only be meant as a longer interval, which it is not.
    first_only = kind in _DAY_KINDS and in_list and len(digits) <= 4
    if not 1 <= step <= kind.count and not (first_only and step):
        raise CronError(
            f"A step of {quoted(digits)} does not fit the field '{kind.name}': use 1 to {kind.count}, "
            "or '@every' for longer intervals.",
            position=position + found.start("step"),
        )
    return step


def _value(kind: FieldKind, found: re.Match[str], group: str, position: int) -> int:
    return _number(kind, found[group], position + found.start(group))


def _number(kind: FieldKind, text: str, position: int) -> int:
    """The value of a number or a name in the field."""
    if text in kind.names:
        return kind.low + kind.names.index(text)
    value = int(text) - kind.shift if text.isdigit() and len(text) <= 4 else -1
    if kind is DAY_OF_WEEK and value == 7:
        return 0
    if kind.low <= value <= kind.high:
        return value
    names = f", or {kind.names[0]} to {kind.names[-1]}" if kind.names else ""
    low, high = kind.low + kind.shift, kind.high + kind.shift
    raise CronError(f"{quoted(text)} is not {kind.noun}: use {low} to {high}{names}.", position=position)


def _mark(kind: FieldKind, part: str, position: int) -> DayMark | None:
    if kind is DAY_OF_MONTH:
        return _dom_mark(part, position)
    if kind in (DAY_OF_WEEK, QUARTZ_DAY_OF_WEEK):
        return _dow_mark(kind, part, position)
    return None


def _dom_mark(part: str, position: int) -> DayMark | None:
    found = _DOM_MARK.fullmatch(part)
    if found is None:
        return None
    if found["lw"]:
        return DayMark("last_weekday")
    if found["near"]:
        return DayMark("nearest", _value(DAY_OF_MONTH, found, "near", position))
    before = found["before"] or "0"
    if len(before) > 2 or int(before) > 30:
        raise CronError(
            f"{quoted(part)} is before the first day of every month: use L-1 to L-30.",
            position=position + found.start("before"),
        )
    return DayMark("nearest_last" if found["near_last"] else "last", int(before))


def _dow_mark(kind: FieldKind, part: str, position: int) -> DayMark | None:
    if part == "L":
        raise CronError(
            "'L' alone is not a day of week: write 'SAT', or '6L' for the last Saturday of the month.",
            position=position,
        )
    found = _DOW_MARK.fullmatch(part)
    if found is None:
        return None
    day = _value(kind, found, "day", position)
    if found["last"]:
        return DayMark("last_dow", day)
    if found["nth"] not in ("1", "2", "3", "4", "5"):
        raise CronError(f"A month has no {quoted(part)}: use #1 to #5.", position=position + found.start("nth"))
    return DayMark("nth_dow", day, int(found["nth"]))
