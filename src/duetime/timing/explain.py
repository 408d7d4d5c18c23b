"""A cron expression in English words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from duetime.timing.days import DayMark
from duetime.timing.durations import format_duration
from duetime.timing.expression import Expression
from duetime.timing.fields import Field, Item

_MONTHS = (
    "January February March April May June July August September October November December".split()
)  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NTH = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}
_MAX_TIMES = 12


def explain(expression: Expression) -> str:
    """One sentence that says when an expression is due."""
    if expression.every:
        return f"Every {format_duration(timedelta(seconds=expression.every))} of elapsed time."
    second, minute, hour, dom, month, dow = expression.fields
    parts = [_time(second, minute, hour), _days(dom, dow), _months(month)]
    sentence = " ".join(part for part in parts if part)
    chosen = ", chosen by the schedule's identity" if _hashed(expression.fields) else ""
    return f"{sentence[0].upper()}{sentence[1:]}{chosen}."


def _time(second: Field, minute: Field, hour: Field) -> str:
    times = _times_of_day(second, minute, hour)
    if times:
        return f"at {_list(times)}"
    parts = [_unit(second, "second")] if second.mask != 1 else []
    if not parts or minute.text != "*":
        parts.append(_unit(minute, "minute"))
    text = " of ".join(parts)
    if hour.text == "*":
        return f"{text} of every hour" if not text.startswith("every") or "from" in text else text
    return f"{text} {_hours(hour)}"


def _times_of_day(second: Field, minute: Field, hour: Field) -> list[str]:
    """All the times, when they are few and given one by one."""
    fields = (hour, minute, second)
    if any(item.low != item.high for field in fields for item in field.items):
        return []
    hours, minutes, seconds = (_bits(field.mask) for field in fields)
    if len(hours) * len(minutes) * len(seconds) > _MAX_TIMES:
        return []
    if seconds == [0]:
        return [f"{h:02}:{m:02}" for h in hours for m in minutes]
    return [f"{h:02}:{m:02}:{s:02}" for h in hours for m in minutes for s in seconds]


def _unit(field: Field, name: str) -> str:
    if field.text == "*":
        return f"every {name}"
    if len(field.items) == 1:
        item = field.items[0]
        if item.kind in ("any", "hash") and item.step > 1:
            start = "" if item.low == 0 and 60 % item.step == 0 else f" from {name} {item.low} on"
            return f"every {item.step} {name}s{start}"
        if item.step > 1:
            return f"every {item.step} {name}s from {name} {item.low} to {item.high}"
    return f"at {_counted(name, [_span(item, str) for item in field.items])}"


def _hours(hour: Field) -> str:
    if len(hour.items) == 1:
        item = hour.items[0]
        if item.kind in ("any", "hash") and item.step > 1:
            return f"of every {_nth(item.step)} hour" + (f" from {item.low:02}:00 on" if item.low else "")
        if item.step == 1:
            return f"from {item.low:02}:00 to {item.high:02}:59"
    return f"of the hours {_list([_span(item, str) for item in hour.items])}"


def _days(dom: Field, dow: Field) -> str:
    by_month, by_week = _month_days(dom), _week_days(dow)
    if not by_month and not by_week:
        return "every day"
    if by_month and by_week:
        return f"{by_month}, if it is {by_week}" if dom.star or dow.star else f"{by_month} or on {by_week}"
    return by_month or f"on {by_week}"


def _month_days(dom: Field) -> str:
    if dom.text == "*":
        return ""
    if dom.star and len(dom.items) == 1 and not dom.marks:
        return f"on every {_nth(dom.items[0].step)} day of the month from the 1st on"
    plain = [_span(item, str) for item in dom.items]
    parts = [_counted("day", plain)] if plain else []
    parts += [_mark(mark) for mark in dom.marks]
    return f"on {_list(parts)} of the month"


def _week_days(dow: Field) -> str:
    if dow.text == "*" or (dow.mask == 0x7F and dow.star):
        return ""
    stepped = any(item.step > 1 for item in dow.items)
    plain = [_DAYS[day] for day in _bits(dow.mask)] if stepped else [_span(item, _day) for item in dow.items]
    marks = [f"{_mark(mark)} of the month" for mark in dow.marks]
    return _list([*plain, *marks])


def _mark(mark: DayMark) -> str:
    match mark.kind:
        case "last":
            return "the last day" if not mark.number else f"the {_ordinal(mark.number + 1)} day from the end"
        case "last_weekday":
            return "the last working day"
        case "nearest":
            return f"the working day nearest to the {_ordinal(mark.number)}"
        case "last_dow":
            return f"the last {_DAYS[mark.number]}"
        case "nth_dow":
            return f"the {_NTH[mark.nth]} {_DAYS[mark.number]}"


def _months(month: Field) -> str:
    if month.text == "*" or month.mask == 0x1FFE:
        return ""
    if any(item.step > 1 for item in month.items):
        return f"in {_list([_month(number) for number in _bits(month.mask)])}"
    return f"in {_list([_span(item, _month) for item in month.items])}"


def _span(item: Item, name: type[str] | None = None) -> str:
    raise NotImplementedError
