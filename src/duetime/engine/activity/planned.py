"""Planned runs: what comes due within a time, by its jobs and by the instants of schedules that have no job yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.engine.recurring.timetables import Timetables
from duetime.engine.slices import Slices
from duetime.model.activity import MINUTE, start_of
from duetime.store.activity_port import ActivitySums, PlannedJob
from duetime.store.schedule_port import ScheduleRow

SECONDS: Final = 5.0
MOST: Final = 20_000
"""How many jobs and instants are looked at."""
MOST_SCHEDULES: Final = 500
SHOWN: Final = 20
LEFT_OUT: Final = 500
"""How many instants in a row a calendar or a window may leave out before a schedule is given up."""


class PlannedRun(NamedTuple):
    """A run that is planned. Without a job, its schedule will mint one."""

    at: datetime
    user_id: int
    job_id: int | None
    schedule_id: int | None
    schedule: str | None


class PlannedRuns(Struct, frozen=True):
    """How many runs are planned for each step of a time, and the first of them."""

    start: datetime
    counts: list[int]
    known_until: datetime | None
    """From this instant on there may be more runs, which were not looked at; None if these are all."""
    first: list[PlannedRun]


class Planned:
    """Reads what is planned. Callers that ask for the same within a few seconds share it."""

    def __init__(self, store: ActivitySums, timetables: Timetables, clock: Clock) -> None:
        self._store, self._timetables, self._clock = store, timetables, clock
        self._known = BriefCache(self._read, clock, seconds=SECONDS, most=200)

    async def minutes(self, user_id: int | None, number: int) -> PlannedRuns:
        """Returns what is planned for the next minutes, of a user or of all."""
        start = start_of(self._clock.now(), MINUTE)
        return await self.steps(user_id, start, start + timedelta(minutes=number), MINUTE)

    async def steps(self, user_id: int | None, start: datetime, until: datetime, span: int) -> PlannedRuns:
        """Returns what is planned from now on, by steps that are counted from `start`."""
        return await self._known.of((user_id, start, until, span))

    async def _read(self, key: tuple[int | None, datetime, datetime, int]) -> PlannedRuns:
        user_id, start, until, span = key
        now = self._clock.now()
        counts = [0] * (int((until - start).total_seconds()) // span)
        if until <= now:
            return PlannedRuns(start, counts, None, [])
        jobs = await self._store.planned(user_id, now, until, MOST + 1)
        first_of = {job.schedule_id: job.due_at for job in reversed(jobs) if job.schedule_id is not None}
        ids = list(reversed(first_of))
        rows = {row.id: row for row in await self._store.schedules(ids[:MOST_SCHEDULES])} if ids else {}
        runs = [_of_job(job, rows) for job in jobs[:MOST]]
        cuts = [job.due_at for job in jobs[MOST:]] + [first_of[one] for one in ids[MOST_SCHEDULES:]]
        left, slices = MOST - len(runs), Slices(self._clock)
        # Those with few instants are mostly the ones whose next instant is far: what they leave is for the others.
        for number, row in enumerate(sorted(rows.values(), key=lambda row: row.pending_nominal or now, reverse=True)):
            share = max(100, left // (len(rows) - number))
            later, cut = await self._later(row, until, share, slices)
            runs += later
            left -= len(later)
            cuts += [] if cut is None else [cut]
        for run in runs:
            counts[min(max(int((run.at - start).total_seconds()) // span, 0), len(counts) - 1)] += 1
        return PlannedRuns(start, counts, min(cuts, default=None), sorted(runs, key=lambda run: run.at)[:SHOWN])

    async def _later(
        self, row: ScheduleRow, until: datetime, most: int, slices: Slices
    ) -> tuple[list[PlannedRun], datetime | None]:
        """Returns the runs of a schedule after its pending occurrence, and up to when; None if these are all."""
        found: list[PlannedRun] = []
        if row.pending_nominal is None or row.state != "active":
            return found, None
        timetable, at = self._timetables.of(row).timetable, row.pending_nominal
        limit = most
        if row.max_occurrences is not None:
            limit = min(most, max(0, row.max_occurrences - row.occurrences - 1))
        while len(found) < limit:
            await slices.pause()
            following = await slices.finish(timetable.search_after(at, LEFT_OUT))
            if following is None or following.nominal >= until:
                return found, None
            if following.run_at is None:
                return found, at
            at = following.nominal
            if following.run_at < until:
                found.append(PlannedRun(following.run_at, row.user_id, None, row.id, row.name))
        return found, None if limit < most else at


def _of_job(job: PlannedJob, rows: dict[int, ScheduleRow]) -> PlannedRun:
    row = rows.get(job.schedule_id or 0)
    return PlannedRun(job.due_at, job.user_id, job.job_id, job.schedule_id, row and row.name)
