"""Lists the next occurrences with their local times and flags. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from msgspec import Struct

from duetime.timing.instants import seconds_of
from duetime.timing.timetable import Flag, Timetable
from duetime.timing.zones import zone_table


class PreviewRow(Struct, frozen=True, omit_defaults=True):
    """One occurrence as it is shown. Local times contain their offset; `run_at` is `None` if it does not run."""

    nominal: datetime
    local: datetime
    run_at: datetime | None
    run_local: datetime | None
    flags: tuple[Flag, ...] = ()


def preview(timetable: Timetable, after: datetime, count: int) -> list[PreviewRow]:
    """The next `count` occurrences that run, and between them at most `count` that are left out."""
    rows: list[PreviewRow] = []
    running = left_out = 0
    while running < count:
        occurrence = timetable.nominal_after(after) if left_out < count else timetable.next_after(after)
        if occurrence is None:
            break
        if occurrence.run_at is None:
            left_out += 1
        else:
            running += 1
        rows.append(
            PreviewRow(
                occurrence.nominal,
                in_zone(occurrence.nominal, timetable.zone),
                occurrence.run_at,
                None if occurrence.run_at is None else in_zone(occurrence.run_at, timetable.zone),
                occurrence.flags,
            )
        )
        after = occurrence.nominal
    return rows


def in_zone(instant: datetime, zone: str) -> datetime:
    """An instant as local time of a zone, with the offset that the zone has at that instant."""
    offset = zone_table(zone).offset(seconds_of(instant))
    return instant.astimezone(timezone(timedelta(seconds=offset)))
