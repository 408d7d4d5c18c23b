"""Lists the next occurrences with their local times and flags. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from msgspec import Struct

from duetime.timing.instants import seconds_of
from duetime.timing.slices import Steps, at_once
from duetime.timing.timetable import Flag, Occurrence, Timetable
from duetime.timing.zones import zone_table

LOOKED_AT = 20_000
"""How many left-out candidates one preview passes without a row, in all."""


class PreviewRow(Struct, frozen=True, omit_defaults=True):
    """One occurrence as it is shown. Local times contain their offset; `run_at` is `None` if it does not run."""

    nominal: datetime
    local: datetime
    run_at: datetime | None
    run_local: datetime | None
    flags: tuple[Flag, ...] = ()


class Preview(Struct, frozen=True):
    """Some rows. If the work ended before there were enough, `searched_until` is how far the search came."""

    rows: list[PreviewRow]
    searched_until: datetime | None = None


def preview(timetable: Timetable, after: datetime, count: int) -> Preview:
    """The next `count` occurrences that run, and between them at most `count` that are left out."""
    return at_once(preview_steps(timetable, after, count))


def preview_steps(timetable: Timetable, after: datetime, count: int) -> Steps[Preview]:
    """The same as `preview`, with a pause after each candidate: one of a rare rule takes up to a millisecond."""
    rows: list[PreviewRow] = []
    running = left_out = passed = 0
    while running < count:
        yield
        occurrence = timetable.nominal_after(after)
        if occurrence is None:
            break
        after = occurrence.nominal
        if occurrence.run_at is not None:
            running += 1
        elif left_out == count or "search_ended" in occurrence.flags:
            passed += timetable.cost
            if passed > LOOKED_AT or "search_ended" in occurrence.flags:
                return Preview(rows, occurrence.nominal)
            after = timetable.resume_after(occurrence)
            continue
        else:
            left_out += 1
        rows.append(_row(occurrence, timetable.zone))
    return Preview(rows)


def _row(occurrence: Occurrence, zone: str) -> PreviewRow:
    run_at = occurrence.run_at
    return PreviewRow(
        occurrence.nominal,
        in_zone(occurrence.nominal, zone),
        run_at,
        None if run_at is None else in_zone(run_at, zone),
        occurrence.flags,
    )


def in_zone(instant: datetime, zone: str) -> datetime:
    """An instant as local time of a zone, with the offset that the zone has at that instant."""
    offset = zone_table(zone).offset(seconds_of(instant))
    return instant.astimezone(timezone(timedelta(seconds=offset)))
