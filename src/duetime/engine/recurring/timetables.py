"""Stored schedules as values, with their timetables compiled once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from duetime.engine.recurring.plan import Skip
from duetime.model.definition import Definition
from duetime.model.events import InstantsSkipped
from duetime.model.ids import UserId
from duetime.model.message import in_message
from duetime.model.schedule import (
    Misfire,
    Overlap,
    Schedule,
    ScheduleContent,
    ScheduleState,
    decode_calendar,
    decode_misfire,
    decode_timing,
)
from duetime.store.schedule_port import NextJob, ScheduleRow, SkippedRange
from duetime.timing.calendars import Calendar
from duetime.timing.spec import Timing, compile_timing
from duetime.timing.timetable import Occurrence, Timetable

REMEMBERED = 50_000
DEFAULT_MISFIRE = Misfire()
_labels = msgspec.json.Decoder(dict[str, str]).decode


class CompiledSchedule(msgspec.Struct, frozen=True):
    """The parts of a schedule that are compiled."""

    timetable: Timetable
    misfire: Misfire
    leaves_out: bool


class Timetables:
    """Keeps compiled schedules, the latest version of each."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, int | None, CompiledSchedule]] = {}

    def of(self, row: ScheduleRow) -> CompiledSchedule:
        """Returns a stored schedule in compiled form."""
        kept = self._known.get(row.id)
        if kept is not None and kept[0] == row.version and kept[1] == row.calendar_version:
            return kept[2]
        timing = decode_timing(row.spec)
        timetable = compile_timing(timing, identity(row.user_id, row.name), calendar_of(row))
        made = CompiledSchedule(timetable, misfire_of(row), leaves_out(timing))
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[row.id] = (row.version, row.calendar_version, made)
        return made


def identity(user_id: int, name: str) -> str:
    """Returns the seed of `H` and jitter. It is the same for a preview before the schedule is saved."""
    return f"{user_id}:{name}"


def leaves_out(timing: Timing) -> bool:
    """Whether a calendar or a window can leave instants out."""
    return timing.calendar is not None or timing.window is not None


def calendar_of(row: ScheduleRow) -> Calendar | None:
    """Returns the calendar that a schedule uses."""
    return None if row.calendar is None else decode_calendar(row.calendar)


def misfire_of(row: ScheduleRow) -> Misfire:
    """Returns the misfire policy of a schedule."""
    return DEFAULT_MISFIRE if row.misfire is None else decode_misfire(row.misfire)


def as_schedule(row: ScheduleRow, definition: Definition) -> Schedule:
    """Returns a stored schedule as a value."""
    overlap: Overlap = row.overlap  # type: ignore[assignment]
    state: ScheduleState = row.state  # type: ignore[assignment]
    return Schedule(
        id=row.id,
        user_id=UserId(row.user_id),
        content=ScheduleContent(
            name=row.name,
            timing=decode_timing(row.spec),
            definition=definition,
            message=row.message,
            ordering_key=row.ordering_key,
            priority=row.priority,
            labels=None if row.labels is None else _labels(row.labels),
            expires_after=row.expires_after,
            misfire=misfire_of(row),
            overlap=overlap,
            max_occurrences=row.max_occurrences,
        ),
        definition_id=row.definition_id,
        state=state,
        version=row.version,
        occurrences=row.occurrences,
        pending_job=row.pending_job,
        pending_nominal=row.pending_nominal,
        pending_due=row.pending_due,
        accounted_until=row.accounted_until,
        judged_until=row.judged_until,
        effective_from=row.effective_from,
        created_at=row.created_at,
        updated_at=row.updated_at,
        calendar=calendar_of(row),
    )


def lane_of(schedule_id: int, ordering_key: str | None, overlap: str) -> str | None:
    """Returns the lane of occurrences: the ordering key, else a lane of the schedule's own if overlaps `queue`."""
    return ordering_key or (f"schedule:{schedule_id}" if overlap == "queue" else None)


def rendered(message: str, *, nominal: datetime, occurrence: int, schedule: str) -> str:
    """Returns a message with its placeholders replaced, by plain substitution."""
    if "{{" not in message:
        return message
    instant = nominal.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return (
        message.replace("{{nominal}}", instant)
        .replace("{{occurrence}}", str(occurrence))
        .replace("{{schedule}}", in_message(message, schedule))
    )


def expiry(due: datetime, expires_after: float | None) -> datetime | None:
    """Returns the instant from which an occurrence is no longer started."""
    return None if expires_after is None else due + timedelta(seconds=expires_after)


def next_job(
    row: ScheduleRow,
    following: Occurrence | None,
    *,
    occurrences: int,
    accounted_until: datetime | None,
    judged_until: datetime | None,
    effective_from: datetime,
    paused: bool = False,
) -> NextJob:
    """Returns how a schedule continues: with an occurrence, paused, or ended."""
    state = "paused" if paused else "active" if following is not None else "ended"
    if following is None or paused:
        return NextJob(
            row.id, None, None, None, occurrences + 1, None, accounted_until, judged_until, effective_from, state
        )
    due = following.run_at or following.nominal
    return NextJob(
        schedule_id=row.id,
        nominal=following.nominal,
        due_at=due,
        expires_at=expiry(due, row.expires_after),
        occurrence=occurrences + 1,
        message=rendered(row.message, nominal=following.nominal, occurrence=occurrences + 1, schedule=row.name),
        accounted_until=accounted_until,
        judged_until=judged_until,
        effective_from=effective_from,
        state=state,
    )


def skipped(schedule_id: int, user_id: int, skip: SkippedRange) -> InstantsSkipped:
    """Returns the event of a range of instants that is recorded as skipped."""
    return InstantsSkipped(schedule_id, user_id, skip.first, skip.last, skip.count, skip.reason)


def ranges(skips: tuple[Skip, ...]) -> tuple[SkippedRange, ...]:
    """Returns skipped instants in the form that the store expects."""
    return tuple(SkippedRange(skip.first, skip.last, skip.count, skip.reason) for skip in skips)
