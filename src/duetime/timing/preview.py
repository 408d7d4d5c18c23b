"""What is to come: the next occurrences with their local times and what is special about them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from msgspec import Struct

from duetime.timing.instants import seconds_of
from duetime.timing.timetable import Flag, Timetable
from duetime.timing.zones import zone_table


class PreviewRow(Struct, frozen=True, omit_defaults=True):
    """One occurrence as it is shown. Local times carry their offset; `None` instants don't run."""

    nominal: datetime
    local: datetime
    run_at: datetime | None
    run_local: datetime | None
    flags: tuple[Flag, ...] = ()


def preview(timetable: Timetable, after: datetime, count: int) -> list[PreviewRow]:
    """The next `count` occurrences that run, with those left out among them, but no more of these than `count`."""
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
    """An instant as the clocks of a zone show it, with the offset of that very instant."""
    offset = zone_table(zone).offset(seconds_of(instant))
    return instant.astimezone(timezone(timedelta(seconds=offset)))
