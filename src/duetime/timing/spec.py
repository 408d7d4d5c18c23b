"""A schedule's timing as one value, as the API receives it and the store keeps it. Pure."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from duetime.timing.at import At
from duetime.timing.calendars import Calendar
from duetime.timing.cron import Cron
from duetime.timing.dst import DstPolicy
from duetime.timing.durations import format_duration, parse_duration
from duetime.timing.errors import DurationError, TimingError, ZoneError
from duetime.timing.every import Every
from duetime.timing.explain import explain
from duetime.timing.expression import Dialect, Expression, parse_expression
from duetime.timing.instants import EPOCH
from duetime.timing.rrule import Rule
from duetime.timing.timetable import Source, Timetable
from duetime.timing.windows import Window
from duetime.timing.zones import zone_table

MAX_CRONS = 64
MAX_INSTANTS = 10_000

Instant = Annotated[datetime, Meta(tz=True)]
Duration = str | int | float
WindowPolicy = Literal["move", "skip"]


class Timing(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """When a schedule is due: at least one of `cron`, `every`, `at` and `rrule`. With several, it is due at each."""

    cron: str | Annotated[tuple[str, ...], Meta(max_length=MAX_CRONS)] | None = None
    dialect: Dialect = "standard"
    """How `cron` is written: as in Vixie cron, or as in Quartz."""
    every: Duration | None = None
    anchor: Instant | None = None
    """The instant that `every` counts from: by default `start`, else 1970-01-01T00:00:00Z."""
    at: Annotated[tuple[Instant, ...], Meta(max_length=MAX_INSTANTS)] | None = None
    rrule: str | None = None
    zone: str = "UTC"
    dst_policy: DstPolicy | None = None
    """By default `vixie` for `cron` and, as in RFC 5545, `shift` for `rrule`."""
    calendar: str | None = None
    """The name of a calendar, whose dates are read in the zone."""
    window: str | None = None
    window_policy: WindowPolicy = "move"
    jitter: Duration | None = None
    start: Instant | None = None
    """The schedule is not due before this instant."""
    end: Instant | None = None
    """The schedule is not due at or after this instant."""


def compile_timing(timing: Timing, key: str, calendar: Calendar | None = None) -> Timetable:
    """Compile a timing into a timetable. Raises a `TimingError` for a timing that is not valid.

    `key` is the schedule's identity, from which `H` and the jitter choose their values. The calendar that
    the timing names must be given: without it, the schedule would run on excluded days.
    """
    if timing.calendar is not None and (calendar is None or calendar.name != timing.calendar):
        message = f"There is no calendar '{timing.calendar}': create it first, or leave it out."
        raise TimingError(message, field="calendar")
    if timing.start and timing.end and timing.start >= timing.end:
        raise TimingError("The start must be before the end.", field="start")
    sources = tuple(_sources(timing, key))
    if not sources:
        raise TimingError("A timing needs at least one of 'cron', 'every', 'at' and 'rrule'.")
    with errors_about("window"):
        window = None if timing.window is None else Window.parse(timing.window, zone=timing.zone)
    with errors_about("jitter"):
        jitter = None if timing.jitter is None else parse_duration(timing.jitter)
    with errors_about("zone"):
        zone = zone_table(timing.zone)
    return Timetable(
        sources,
        zone,
        key=key,
        calendar=calendar if timing.calendar is not None else None,
        window=window,
        skip_outside=timing.window_policy == "skip",
        jitter=jitter,
        start=timing.start,
        end=timing.end,
    )


def expressions(timing: Timing, key: str = "") -> Iterator[Expression]:
    """The cron expressions of a timing, after parsing."""
    for text in _texts(timing):
        yield parse_expression(text, key, timing.dialect)


def in_words(timing: Timing) -> list[str]:
    """Sentences that say when a timing is due; none for a recurrence rule."""
    words = [explain(one) for one in expressions(timing)]
    if timing.every is not None:
        words.append(f"Every {format_duration(parse_duration(timing.every))} of elapsed time.")
    if timing.at:
        words.append("Once." if len(timing.at) == 1 else f"At {len(timing.at)} given instants.")
    return words


def _texts(timing: Timing) -> tuple[str, ...]:
    return (timing.cron,) if isinstance(timing.cron, str) else timing.cron or ()


def _sources(timing: Timing, key: str) -> Iterator[Source]:
    for expression in _texts(timing):
        with errors_about("cron"):
            policy = timing.dst_policy or "vixie"
            cron = Cron.parse(expression, zone=timing.zone, dst=policy, key=key, dialect=timing.dialect)
        yield cron
    if timing.every is not None:
        with errors_about("every"):
            every = Every(parse_duration(timing.every), timing.anchor or timing.start or EPOCH)
        yield every
    if timing.at:
        yield At(timing.at)
    if timing.rrule is not None:
        with errors_about("rrule"):
            rule = Rule.parse(timing.rrule, zone=timing.zone, dst=timing.dst_policy or "shift", start=timing.start)
        yield rule


@contextmanager
def errors_about(field: str) -> Generator[None]:
    """Add the field's name to an error raised in this block: the message alone does not tell two durations apart."""
    try:
        yield
    except TimingError as error:
        error.details["field"] = "zone" if isinstance(error, ZoneError) else field
        if isinstance(error, DurationError):
            error.message = f"'{field}': {error.message}"
        raise
