"""A schedule: a definition with a timing, from which one occurrence after the other is minted as a job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from duetime.model.definition import Definition
from duetime.model.errors import Conflict
from duetime.model.ids import UserId
from duetime.model.job import DEFAULT_PRIORITY
from duetime.timing.calendars import Calendar
from duetime.timing.spec import Timing

MisfirePolicy = Literal["fire_once", "fire_all", "skip"]
Overlap = Literal["skip", "queue", "allow", "cancel_running"]
ScheduleState = Literal["active", "paused", "ended"]
MAX_CATCH_UP = 1000


class Misfire(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What happens to nominal instants that passed before they could be launched; `max_*` bound `fire_all`."""

    policy: MisfirePolicy = "fire_once"
    grace: Annotated[
        float,
        Meta(ge=0, le=31_536_000, description="`skip`: an occurrence up to this many seconds late still launches."),
    ] = 60.0
    max_count: Annotated[int, Meta(ge=1, le=MAX_CATCH_UP, description="`fire_all`: launch at most this many.")] = 100
    max_age: Annotated[
        float, Meta(gt=0, le=31_536_000, description="`fire_all`: launch only those at most this many seconds old.")
    ] = 86_400.0


class ScheduleContent(Struct, frozen=True):
    """The part of a schedule that its user writes."""

    name: str
    timing: Timing
    definition: Definition
    message: str
    ordering_key: str | None = None
    priority: int = DEFAULT_PRIORITY
    labels: dict[str, str] | None = None
    expires_after: float | None = None
    """An occurrence that has not started this many seconds after it was due is skipped."""
    misfire: Misfire = Misfire()
    overlap: Overlap = "skip"
    max_occurrences: int | None = None


class Schedule(Struct, frozen=True):
    """A schedule as the store holds it."""

    id: int
    user_id: UserId
    content: ScheduleContent
    definition_id: int
    state: ScheduleState
    version: int
    occurrences: int
    """How many occurrences were launched."""
    pending_job: int | None
    pending_nominal: datetime | None
    pending_due: datetime | None
    accounted_until: datetime | None
    """Every nominal instant up to this one is recorded, as a job or as skipped."""
    judged_until: datetime | None
    """Missed nominal instants up to this one are within the bounds of `fire_all`."""
    effective_from: datetime
    """The present timing applies only after this instant."""
    created_at: datetime
    updated_at: datetime
    calendar: Calendar | None = None


class ScheduleRecord(Struct, frozen=True):
    """The record of one nominal instant, or of `count` of them from `nominal` to `until`."""

    job_id: int
    nominal: datetime
    state: str
    occurrence: bool
    """False for a job that was run by hand, redriven or backfilled."""
    attempts: int
    due_at: datetime
    launched_at: datetime | None
    finished_at: datetime | None
    reason: str | None
    until: datetime | None
    count: int | None


class StoredCalendar(Struct, frozen=True):
    """A calendar as the store holds it."""

    id: int
    user_id: UserId
    calendar: Calendar
    version: int
    created_at: datetime
    updated_at: datetime


def name_taken(name: str, names: Sequence[str]) -> Conflict:
    """The error for a schedule name that is already used; among several names, it says which one."""
    error = Conflict(f"There is already a schedule with the name '{name}': change that one, or choose another name.")
    if len(names) > 1 and name in names:
        error.details["index"] = names.index(name)
    return error


encode_timing = msgspec.json.Encoder(order="deterministic").encode
decode_timing = msgspec.json.Decoder(Timing).decode
decode_misfire = msgspec.json.Decoder(Misfire).decode
decode_calendar = msgspec.json.Decoder(Calendar).decode
