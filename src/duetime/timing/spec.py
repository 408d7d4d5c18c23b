"""A schedule's timing as one value, as the API takes it and the store keeps it."""

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
from duetime.timing.durations import parse_duration
from duetime.timing.errors import DurationError, TimingError, ZoneError
from duetime.timing.every import Every
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
    """When a schedule is due: at least one of `cron`, `every`, `at` and `rrule`; several add up."""

    cron: str | Annotated[tuple[str, ...], Meta(max_length=MAX_CRONS)] | None = None
    every: Duration | None = None
    anchor: Instant | None = None
    """What `every` counts from: by default `start`, else 1970-01-01T00:00:00Z."""
    at: Annotated[tuple[Instant, ...], Meta(max_length=MAX_INSTANTS)] | None = None
    rrule: str | None = None
    zone: str = "UTC"
    dst_policy: DstPolicy | None = None
    """By default `vixie` for `cron` and, as RFC 5545 has it, `shift` for `rrule`."""
    calendar: str | None = None
    """The name of a calendar; its dates are read in the zone."""
    window: str | None = None
    window_policy: WindowPolicy = "move"
    jitter: Duration | None = None
    start: Instant | None = None
    """No instant before this one."""
    end: Instant | None = None
    """No instant at or after this one."""


def compile_timing(timing: Timing, key: str, calendar: Calendar | None = None) -> Timetable:
    """A timing made ready for questions; raises a `TimingError` for anything that cannot be meant.

    `key` is the schedule's identity, by which `H` and the jitter choose. The calendar that the timing
    names must be handed in: a missing one would make a schedule run on days that it must not.
    """
    if timing.calendar is not None and (calendar is None or calendar.name != timing.calendar):
        message = f"There is no calendar '{timing.calendar}': create it first, or leave it out."
        raise TimingError(message, field="calendar")
    if timing.start and timing.end and timing.start >= timing.end:
        raise TimingError("The start must be before the end.", field="start")
    sources = tuple(_sources(timing, key))
    if not sources:
        raise TimingError("A timing needs at least one of 'cron', 'every', 'at' and 'rrule'.")
    with about("window"):
        window = None if timing.window is None else Window.parse(timing.window, zone=timing.zone)
    with about("jitter"):
        jitter = None if timing.jitter is None else parse_duration(timing.jitter)
    with about("zone"):
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


def _sources(timing: Timing, key: str) -> Iterator[Source]:
    expressions = (timing.cron,) if isinstance(timing.cron, str) else timing.cron or ()
    for expression in expressions:
        with about("cron"):
            cron = Cron.parse(expression, zone=timing.zone, dst=timing.dst_policy or "vixie", key=key)
        yield cron
    if timing.every is not None:
        with about("every"):
            every = Every(parse_duration(timing.every), timing.anchor or timing.start or EPOCH)
        yield every
    if timing.at:
        yield At(timing.at)
    if timing.rrule is not None:
        with about("rrule"):
            rule = Rule.parse(timing.rrule, zone=timing.zone, dst=timing.dst_policy or "shift", start=timing.start)
        yield rule


@contextmanager
def about(field: str) -> Generator[None]:
    """An error within says which field it is about: the text alone does not tell one duration from another."""
    try:
        yield
    except TimingError as error:
        error.details["field"] = "zone" if isinstance(error, ZoneError) else field
        if isinstance(error, DurationError):
            error.message = f"'{field}': {error.message}"
        raise
