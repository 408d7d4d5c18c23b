"""Explains a cron expression in English. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from duetime.timing.days import DayMark
from duetime.timing.durations import format_duration
from duetime.timing.expression import Expression
from duetime.timing.fields import Field

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NTH = ("", "first", "second", "third", "fourth", "fifth")
_MAX_TIMES = 12


def explain(expression: Expression) -> str:
    """One sentence that says when an expression is due."""
    if expression.every:
        return f"Every {format_duration(timedelta(seconds=expression.every))} of elapsed time."
    second, minute, hour, dom, month, dow = expression.fields[:6]
    days = _days(dom, dow) or ("" if hour.text == "*" else "every day")
    years = "".join(f"of {_spans(field, str)}" for field in expression.fields[6:] if field.text != "*")
    parts = (_time(second, minute, hour), days, _months(month), years)
    sentence = " ".join(part for part in parts if part)
    hashed = any(item.kind == "hash" for field in expression.fields for item in field.items)
    note = " (H: chosen by the schedule's identity)" if hashed else ""
    return f"{sentence[0].upper()}{sentence[1:]}{note}."


def _time(second: Field, minute: Field, hour: Field) -> str:
    times = _times_of_day(second, minute, hour)
    if times:
        return f"at {_list(times)}"
    phrase = _unit(minute, "minute")
    if second.mask != 1:
        seconds = _unit(second, "second")
        phrase = (
            seconds
            if minute.text == "*" and seconds.startswith("every")
            else f"{seconds} of {phrase.removeprefix('at ')}"
        )
    if hour.text != "*":
        return f"{phrase} {_hours(hour)}"
    plain = phrase.startswith("every") and " from " not in phrase
    return phrase if plain else f"{phrase} of every hour"


def _times_of_day(second: Field, minute: Field, hour: Field) -> list[str]:
    """All times of day, if they are few and listed one by one; else an empty list."""
    if any(item.kind != "value" and item.low != item.high for item in hour.items + minute.items + second.items):
        return []
    hours, minutes, seconds = _bits(hour.mask), _bits(minute.mask), _bits(second.mask)
    if len(hours) * len(minutes) * len(seconds) > _MAX_TIMES:
        return []
    ends = [""] if seconds == [0] else [f":{s:02}" for s in seconds]
    return [f"{h:02}:{m:02}{end}" for h in hours for m in minutes for end in ends]


def _unit(field: Field, name: str) -> str:
    if len(field.items) == 1:
        item = field.items[0]
        if item.kind == "any" and item.step == 1:
            return f"every {name}"
        if item.step > 1:
            even = item.kind == "any" and 60 % item.step == 0
            until = f" to {item.high}" if item.kind == "range" else ""
            return f"every {item.step} {name}s" + ("" if even else f" from {name} {item.low}{until}")
    many = field.mask.bit_count() > 1
    return f"at {name}{'s' if many else ''} {_spans(field, str)}"


def _hours(hour: Field) -> str:
    item = hour.items[0]
    if len(hour.items) == 1 and item.low != item.high:
        if item.step == 1:
            return f"from {item.low:02}:00 to {item.high:02}:59"
        if item.kind == "any":
            return f"of every {_ordinal(item.step)} hour"
    many = hour.mask.bit_count() > 1
    return f"of the hour{'s' if many else ''} {_spans(hour, str)}"


def weekdays(dow: Field) -> str:
    """The days of the week that a field allows, as text."""
    return _week_days(dow) or "every day"


def _days(dom: Field, dow: Field) -> str:
    by_month, by_week = _month_days(dom), _week_days(dow)
    if by_month and by_week:
        both = dom.star or dow.star
        return f"{by_month}, if that is {by_week}" if both else f"{by_month} or on {by_week}"
    return by_month or (f"on {by_week}" if by_week else "")


def _month_days(dom: Field) -> str:
    if dom.text == "*":
        return ""
    if dom.text.startswith("*/") and len(dom.items) == 1 and not dom.marks:
        return f"on every {_ordinal(dom.items[0].step)} day of the month from the 1st"
    plural = "s" if dom.mask.bit_count() > 1 else ""
    plain = [f"day{plural} {_spans(dom, str)}"] if dom.items else []
    return f"on {_list([*plain, *(_mark(mark) for mark in dom.marks)])} of the month"


def _week_days(dow: Field) -> str:
    if dow.mask == 0x7F:
        return ""
    plain = [_spans(dow, lambda day: _DAYS[day])] if dow.items else []
    return _list([*plain, *(f"{_mark(mark)} of the month" for mark in dow.marks)])


def _months(month: Field) -> str:
    return "" if month.mask == 0x1FFE else f"in {_spans(month, lambda number: _MONTHS[number - 1])}"


def _mark(mark: DayMark) -> str:
    match mark.kind:
        case "last":
            return f"the {_ordinal(mark.number + 1)} last day" if mark.number else "the last day"
        case "last_weekday":
            return "the last working day"
        case "nearest":
            return f"the working day nearest to the {_ordinal(mark.number)}"
        case "nearest_last":
            return f"the working day nearest to the {_ordinal(mark.number + 1)} last day"
        case "last_dow":
            return f"the last {_DAYS[mark.number]}"
        case "nth_dow":
            return f"the {_NTH[mark.nth]} {_DAYS[mark.number]}"


def _spans(field: Field, name: Callable[[int], str]) -> str:
    """The values and ranges of a field as text, with steps written out."""
    words: list[str] = []
    for item in field.items:
        if item.step > field.kind.count and any(
            item.low in one.values(field.kind) for one in field.items if one != item
        ):
            continue
        if item.step > 1 or item.low == item.high:
            words.extend(name(value) for value in item.values(field.kind))
        else:
            words.append(f"{name(item.low)} to {name(item.high)}")
    return _list(words)


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _ordinal(number: int) -> str:
    tens = number % 100 // 10
    ending = "th" if tens == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
