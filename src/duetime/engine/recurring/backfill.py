"""Backfill: jobs of a schedule beside its occurrences, one by hand or many for a stretch of the past."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.intake.wake import Wake
from duetime.engine.recurring.timetables import Timetables, expiry, lane_of, rendered
from duetime.engine.slices import RequestSlices
from duetime.model.errors import Invalid, NotFound
from duetime.store.port import DueStore, JobRef
from duetime.store.schedule_port import ExtraJob, ScheduleRow, ScheduleStore
from duetime.timing.slices import SLICE, Steps
from duetime.timing.timetable import Timetable

MAX_JOBS = 10_000
LOOKED_AT = 100_000
"""How many instants, left out or not, one call examines."""


class Backfilled(Struct, frozen=True):
    """What a backfill stores, or would store: a job for each nominal instant, due from `first_at` to `last_at`."""

    nominals: list[datetime]
    first_at: datetime
    last_at: datetime
    ids: list[int]


class Backfill:
    """Stores jobs with the content of a schedule."""

    def __init__(
        self,
        store: ScheduleStore,
        lanes: DueStore,
        clock: Clock,
        wake: Wake,
        timetables: Timetables | None = None,
    ) -> None:
        self._store, self._lanes, self._clock, self._wake = store, lanes, clock, wake
        self._timetables = timetables or Timetables()

    async def run_now(self, user_id: int, schedule_id: int, actor: int) -> int:
        """Store one job of a schedule that is due now, beside its occurrences. Returns its id."""
        row, now = await self._row(user_id, schedule_id), self._clock.now()
        (ref,) = await self._add(row, [(now, now)], now, actor, "schedule.run_now")
        return ref.id

    async def fill(
        self,
        user_id: int,
        schedule_id: int,
        start: datetime,
        end: datetime,
        actor: int,
        *,
        pace: timedelta = timedelta(0),
        dry_run: bool = False,
    ) -> Backfilled:
        """Store jobs for the instants of a stretch of the past, start inclusive, end exclusive, one due every `pace`.

        Instants that ran already run again: a person who fills a stretch wants all of it. A dry run stores nothing.
        """
        row, now = await self._row(user_id, schedule_id), self._clock.now()
        if end > now:
            raise Invalid(
                "'to' must not be later than now: the schedule launches later instants by itself.", field="to"
            )
        if start >= end:
            raise Invalid("'from' must be before 'to'.", field="from")
        nominals = await RequestSlices(self._clock).finish(_instants(self._timetables.of(row).timetable, start, end))
        ids: list[int] = []
        if nominals and not dry_run:
            plan = [(nominal, now + number * pace) for number, nominal in enumerate(nominals)]
            ids = [ref.id for ref in await self._add(row, plan, now, actor, "schedule.backfilled")]
        return Backfilled(nominals, now, now + max(0, len(nominals) - 1) * pace, ids)

    async def _add(
        self, row: ScheduleRow, plan: Sequence[tuple[datetime, datetime]], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        lane = lane_of(row.id, row.ordering_key, row.overlap)
        jobs = [
            ExtraJob(
                nominal,
                due,
                rendered(row.message, nominal=nominal, occurrence=row.occurrences, schedule=row.name),
                lane,
                expiry(due, row.expires_after),
            )
            for nominal, due in plan
        ]
        refs = await self._store.add_jobs(row.id, jobs, now, actor, action)
        if lane is not None:
            self._wake.stored(await self._lanes.promote([(row.user_id, lane)]))
        else:
            horizon = self._wake.horizon
            self._wake.stored([ref for ref in refs if ref.due_at <= horizon])
        return refs

    async def _row(self, user_id: int, schedule_id: int) -> ScheduleRow:
        row = await self._store.schedule(user_id, schedule_id)
        if row is None:
            raise NotFound(f"There is no schedule {schedule_id}.")
        return row


def _instants(timetable: Timetable, start: datetime, end: datetime) -> Steps[list[datetime]]:
    found: list[datetime] = []
    work = 0
    for number, occurrence in enumerate(timetable.between(start - _TICK, end - _TICK)):
        work += timetable.cost
        if work >= SLICE:
            work = 0
            yield
        if occurrence.run_at is not None:
            found.append(occurrence.nominal)
        if len(found) > MAX_JOBS:
            raise Invalid(f"The range has more than {MAX_JOBS} instants: backfill it in parts.", field="to")
        if number >= LOOKED_AT:
            message = f"The range has more than {LOOKED_AT} instants, most of them left out: backfill it in parts."
            raise Invalid(message, field="to")
    return found


_TICK = timedelta(microseconds=1)
