"""`ScheduleStore` in memory: as store/postgres/schedules.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from duetime.model.errors import Conflict
from duetime.model.schedule import ScheduleRecord, name_taken
from duetime.store.port import JobRef
from duetime.store.schedule_port import ExtraJob, NextJob, Replan, ScheduleColumns, ScheduleRow
from simulation.memory.control import lockable, take_offer_back
from simulation.memory.insight import open_state
from simulation.memory.link import Link
from simulation.memory.mint import lock, move_on, record_range
from simulation.memory.tables import JobRecord, Schedule, Tables


class MemorySchedules:
    """Schedules as people handle them."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def numbers(self, count: int) -> list[int]:
        """Ids for new schedules."""
        return await self._link.call("numbers", lambda: [self._tables.number("schedule") for _ in range(count)])

    async def create(
        self, user_id: int, columns: Sequence[ScheduleColumns], first: Sequence[NextJob], now: datetime, actor: int
    ) -> list[JobRef]:
        """Register all or none with their first occurrences."""
        return await self._link.call("create", lambda: _create(self._tables, user_id, columns, first, now, actor))

    async def replan(
        self,
        replans: Sequence[Replan],
        now: datetime,
        *,
        action: str | None = None,
        actor: int | None = None,
        columns: ScheduleColumns | None = None,
        delete: bool = False,
    ) -> tuple[set[int], list[JobRef]]:
        """Change schedules."""
        return await self._link.call(
            "replan", lambda: _replan(self._tables, replans, now, action, actor, columns, delete=delete)
        )

    async def schedule(self, user_id: int, schedule_id: int) -> ScheduleRow | None:
        """One schedule."""
        rows = await self._rows(lambda row: row.id == schedule_id and row.user_id == user_id)
        return rows[0] if rows else None

    async def named(self, user_id: int, names: Sequence[str]) -> list[ScheduleRow]:
        """Schedules by name."""
        return await self._rows(lambda row: row.user_id == user_id and row.name in names)

    async def schedules(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None
    ) -> list[ScheduleRow]:
        """Schedules by id."""
        found = await self._rows(
            lambda row: (
                row.user_id == user_id
                and row.id > after_id
                and state in (None, row.state)
                and (q is None or q.lower() in row.name.lower())
            )
        )
        return found[:limit]

    async def count(self, user_id: int) -> int:
        """How many schedules a user has."""
        return len(await self._rows(lambda row: row.user_id == user_id))

    async def needing_repair(self, limit: int) -> list[ScheduleRow]:
        """Active schedules without a pending occurrence."""
        known = self._tables.schedules
        return (await self._rows(lambda row: known[row.id].needs_repair))[:limit]

    async def of_calendar(self, calendar_id: int, after_id: int, limit: int) -> list[ScheduleRow]:
        """Schedules that use a calendar and are not paused."""
        known = self._tables.schedules
        rows = await self._rows(
            lambda row: row.id > after_id and row.state != "paused" and known[row.id].calendar_id == calendar_id
        )
        return rows[:limit]

    async def every(self, after_id: int, limit: int) -> list[ScheduleRow]:
        """Active schedules of everybody."""
        return (await self._rows(lambda row: row.id > after_id and row.state == "active"))[:limit]

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """What became of a schedule's instants, newest first."""
        return await self._link.call("history", lambda: _history(self._tables, user_id, schedule_id, before_id)[:limit])

    async def add_jobs(
        self, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        """Store jobs of a schedule beside its occurrences."""
        return await self._link.call("add_jobs", lambda: _add_jobs(self._tables, schedule_id, jobs, now, actor, action))

    async def fact(self, name: str) -> str | None:
        """Something remembered about all schedules."""
        return await self._link.call("fact", lambda: self._tables.facts.get(name))

    async def remember(self, name: str, value: str) -> None:
        """Remember something about all schedules."""
        return await self._link.call("remember", lambda: self._tables.facts.update({name: value}))

    async def _rows(self, wanted: Callable[[ScheduleRow], bool]) -> list[ScheduleRow]:
        tables = self._tables
        return await self._link.call(
            "schedules",
            lambda: [tables.shown(one) for _, one in sorted(tables.schedules.items()) if wanted(one.row)],
        )


def _create(
    tables: Tables,
    user_id: int,
    columns: Sequence[ScheduleColumns],
    first: Sequence[NextJob],
    now: datetime,
    actor: int,
) -> list[JobRef]:
    names = [one.name for one in columns]
    taken = {one.row.name for one in tables.schedules.values() if one.row.user_id == user_id}
    for name in names:
        if name in taken or names.count(name) > 1:
            raise name_taken(name, names)
    for one, following in zip(columns, first, strict=True):
        row = one.as_new(following.schedule_id, user_id, now)
        tables.schedules[row.id] = Schedule(row, one.flow, calendar_id=one.calendar_id)
    subject = f"schedule:{first[0].schedule_id}" if len(first) == 1 else f"schedules:{len(first)}"
    tables.record(now, actor, "schedule.created", subject, user_id)
    return move_on(tables, first, now, minted=False)


def _replan(
    tables: Tables,
    replans: Sequence[Replan],
    now: datetime,
    action: str | None,
    actor: int | None,
    columns: ScheduleColumns | None,
    *,
    delete: bool,
) -> tuple[set[int], list[JobRef]]:
    locked = {
        one.pending_job
        for one in replans
        if one.pending_job is not None and lockable(tables, one.user_id, one.pending_job) is not None
    }
    free = [one for one in replans if one.pending_job is None or one.pending_job in locked]
    good = lock(tables, ((one.next.schedule_id, one.version, one.pending_job) for one in free))
    done = [one for one in free if one.next.schedule_id in good]
    if columns and any(_has_name(tables, one, columns.name) for one in done):
        raise Conflict(f"There is another schedule with the name '{columns.name}': choose another.")
    for job_id in locked:
        take_offer_back(tables, job_id)
    for one in done:
        if action:
            tables.record(now, actor, action, f"schedule:{one.next.schedule_id}", one.user_id)
        if one.pending_job is not None:
            tables.note_job("dropped", tables.jobs.pop(one.pending_job))
        for skip in one.skips:
            record_range(tables, one.next.schedule_id, skip, now)
        if delete:
            del tables.schedules[one.next.schedule_id]
        elif columns:
            _set_columns(tables.schedules[one.next.schedule_id], columns)
    following = [] if delete else move_on(tables, [one.next for one in done], now, minted=False)
    return good, following


def _has_name(tables: Tables, replan: Replan, name: str) -> bool:
    """Whether another schedule of the same user has the name."""
    return any(
        one.row.name == name and one.row.user_id == replan.user_id and one.row.id != replan.next.schedule_id
        for one in tables.schedules.values()
    )


def _set_columns(schedule: Schedule, columns: ScheduleColumns) -> None:
    said = columns._asdict()
    schedule.flow = said.pop("flow")
    schedule.calendar_id = said.pop("calendar_id")
    schedule.row = schedule.row._replace(**said)


def _add_jobs(
    tables: Tables, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
) -> list[JobRef]:
    schedule = tables.schedules.get(schedule_id)
    made: list[JobRef] = []
    tables.record(now, actor, action, f"schedule:{schedule_id}", tables.schedules[schedule_id].row.user_id)
    if schedule is None:
        return made
    for one in jobs:
        row = schedule.row
        job = JobRecord(
            id=tables.job_id(row.shard),
            user_id=row.user_id,
            definition_id=row.definition_id,
            priority=row.priority,
            ready=one.lane is None,
            timed=True,
            flow=schedule.flow,
            execute_at=one.nominal,
            due_at=one.due_at,
            created_at=now,
            message=one.message,
            expires_at=one.expires_at,
            schedule_id=row.id,
            lane=one.lane,
            labels=row.labels,
        )
        tables.jobs[job.id] = job
        tables.note_job("stored", job, text=job.message)
        made.append(job.ref())
    return made


def _history(tables: Tables, user_id: int, schedule_id: int, before_id: int) -> list[ScheduleRecord]:
    found: list[ScheduleRecord] = []
    for job in tables.jobs.values():
        if (job.user_id, job.schedule_id) == (user_id, schedule_id) and job.id < before_id:
            flight = tables.in_flight.get(job.id)
            attempts = max(job.attempt, flight.attempt if flight else 0)
            found.append(
                ScheduleRecord(
                    job.id,
                    job.execute_at,
                    open_state(tables, job),
                    job.occurrence is not None,
                    attempts,
                    job.due_at,
                    flight.launched_at if flight else None,
                    None,
                    None,
                    None,
                    None,
                )
            )
    for ended in tables.history:
        job = ended.job
        if (job.user_id, job.schedule_id) == (user_id, schedule_id) and job.id < before_id:
            found.append(
                ScheduleRecord(
                    job.id,
                    job.execute_at,
                    ended.state,
                    job.occurrence is not None,
                    ended.attempt,
                    job.due_at,
                    ended.launched_at,
                    ended.finished_at,
                    ended.reason,
                    ended.covers_until,
                    ended.covers_count,
                )
            )
    return sorted(found, key=lambda one: -one.job_id)
