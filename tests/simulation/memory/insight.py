"""`InsightStore` in memory: jobs and runs as people see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from duetime.model.definition import Definition, decode_definition
from duetime.model.ids import DefinitionId, JobId, UserId
from duetime.model.job import Job, JobFilter
from duetime.model.lane import LaneHead
from duetime.model.outcome import Result
from duetime.model.run import Run
from duetime.model.schedule import decode_calendar
from duetime.model.states import OPEN, JobState
from duetime.model.user import Usage
from simulation.memory.link import Link
from simulation.memory.tables import Ended, JobRecord, Tables

_labels = msgspec.json.Decoder(dict[str, str])
_result = msgspec.json.Decoder(Result)


class MemoryInsight:
    """Reading, for people."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def job(self, user_id: int, job_id: int) -> Job | None:
        """One job, finished or not."""
        return await self._link.call("job", lambda: _job(self._tables, user_id, job_id))

    async def jobs(self, user_id: int, wanted: JobFilter) -> list[Job]:
        """Jobs, newest first, finished ones included."""
        return await self._link.call("jobs", lambda: _jobs(self._tables, user_id, wanted))

    async def search_floor(self, user_id: int, wanted: JobFilter) -> int | None:
        """Everything is searched."""
        return None

    async def count(self, user_id: int, wanted: JobFilter) -> dict[JobState, int]:
        """Counts by state."""
        return Counter(job.state for job in _jobs(self._tables, user_id, wanted))

    async def definitions(self, user_id: int, limit: int) -> dict[int, Definition]:
        """Nobody searches by target."""
        return {}

    async def open_ids(self, user_id: int, wanted: JobFilter) -> list[int]:
        """The ids of jobs that can be cancelled."""
        return await self._link.call("open_ids", lambda: _open_ids(self._tables, user_id, wanted))

    async def jobs_by_key(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """The jobs that have these keys."""
        held = self._tables.keys
        return await self._link.call(
            "jobs_by_key", lambda: {key: held[user_id, key][0] for key in keys if (user_id, key) in held}
        )

    async def lane_heads(self, user_id: int, lanes: Sequence[str]) -> dict[str, LaneHead]:
        """The jobs that the others of these lanes wait for."""
        return await self._link.call("lane_heads", lambda: _lane_heads(self._tables, user_id, lanes))

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """The last 100 attempts of a job."""
        return (await self._link.call("runs", lambda: _runs(self._tables, user_id, job_id)))[-100:]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Counts by state."""
        return await self._link.call("stats", lambda: _stats(self._tables, user_id))

    async def usage(self, user_id: int) -> Usage:
        """What a user has beside jobs."""
        return await self._link.call("usage", lambda: _usage(self._tables, user_id))

    async def message_bytes(self, user_id: int) -> int:
        """The bytes of waiting messages."""
        jobs = self._tables.jobs
        return await self._link.call(
            "message_bytes",
            lambda: sum(len(job.message.encode()) for job in jobs.values() if job.user_id == user_id),
        )


def open_state(tables: Tables, job: JobRecord) -> str:
    """The state of a job that is not finished."""
    flight = tables.in_flight.get(job.id)
    if flight is None or flight.executor == 0:
        return job.parked or "created"
    return "running" if flight.executor > 0 else "queued"


def shown(tables: Tables, job: JobRecord, ended: Ended | None) -> Job:
    flight = tables.in_flight.get(job.id)
    attempts = flight.attempt if flight is not None and flight.executor > 0 else job.attempt
    return Job(
        id=JobId(job.id),
        user_id=UserId(job.user_id),
        state=JobState(ended.state if ended else open_state(tables, job)),
        definition_id=DefinitionId(job.definition_id),
        definition=decode_definition(tables.definitions[job.definition_id]),
        message=job.message,
        execute_at=job.execute_at,
        due_at=job.due_at,
        created_at=job.created_at,
        lane=job.lane,
        priority=job.priority,
        attempts=ended.attempt if ended else attempts,
        expires_at=job.expires_at,
        labels=_labels.decode(job.labels) if job.labels else None,
        finished_at=ended.finished_at if ended else None,
        reason=ended.reason if ended else why_parked(job),
        cancel_requested=flight is not None and flight.cancel,
        schedule_id=job.schedule_id,
    )


def why_parked(job: JobRecord) -> str | None:
    """Why a dead job that holds its lane failed."""
    kept = _result.decode(job.result) if job.parked == "dead" and job.result else Result()
    return kept.failure.message if kept.failure else None


def _all(tables: Tables, user_id: int) -> list[Job]:
    open_jobs = [shown(tables, job, None) for job in tables.jobs.values() if job.user_id == user_id]
    return open_jobs + [shown(tables, one.job, one) for one in tables.history if one.job.user_id == user_id]


def _job(tables: Tables, user_id: int, job_id: int) -> Job | None:
    job = tables.job_of(user_id, job_id)
    if job is not None:
        return shown(tables, job, None)
    ended = next((one for one in tables.history if one.job.id == job_id and one.job.user_id == user_id), None)
    return None if ended is None else shown(tables, ended.job, ended)


def _jobs(tables: Tables, user_id: int, wanted: JobFilter) -> list[Job]:
    found = [job for job in _all(tables, user_id) if _is_meant(job, wanted)]
    return sorted(found, key=lambda job: -job.id)[: wanted.limit]


def _lane_heads(tables: Tables, user_id: int, lanes: Sequence[str]) -> dict[str, LaneHead]:
    found: dict[str, LaneHead] = {}
    for lane in lanes:
        jobs = tables.lane(user_id, lane)
        flight = next((tables.in_flight[job.id] for job in jobs if job.id in tables.in_flight), None)
        if flight is not None and flight.executor != 0:
            state = JobState.RUNNING if flight.executor > 0 else JobState.QUEUED
            found[lane] = LaneHead(flight.job_id, state, flight.launched_at)
        elif jobs:
            first = jobs[0]
            found[lane] = LaneHead(
                first.id, JobState(first.parked or "created"), first.due_at if first.parked else None
            )
    return found


def _open_ids(tables: Tables, user_id: int, wanted: JobFilter) -> list[int]:
    found: list[int] = [
        job.id
        for job in _all(tables, user_id)
        if _is_meant(job, wanted) and job.state in OPEN and not job.cancel_requested
    ]
    return sorted(found, reverse=True)[: wanted.limit]


def _is_meant(job: Job, wanted: JobFilter) -> bool:
    return (
        (wanted.before_id is None or job.id < wanted.before_id)
        and (not wanted.statuses or job.state in wanted.statuses)
        and (wanted.definitions is None or job.definition_id in wanted.definitions)
        and (not wanted.retrying or (job.state is JobState.CREATED and job.attempts > 0))
        and (wanted.from_ is None or job.execute_at >= wanted.from_)
        and (wanted.to is None or job.execute_at < wanted.to)
        and wanted.ordering_key in (None, job.lane)
        and (wanted.q is None or wanted.q.lower() in job.message.lower())
        and (wanted.ids is None or job.id in wanted.ids)
        and wanted.schedule_id in (None, job.schedule_id)
        and (wanted.labels or {}).items() <= (job.labels or {}).items()
    )


def _runs(tables: Tables, user_id: int, job_id: int) -> list[Run]:
    rows = [
        (one.attempt, one.state, one.due_at, one.launched_at, one.started_at, one.finished_at, one.result, one.executor)
        for one in tables.runs
        if one.job_id == job_id and one.user_id == user_id
    ]
    flight, job = tables.in_flight.get(job_id), tables.job_of(user_id, job_id)
    if flight is not None and flight.executor > 0 and job is not None:
        rows.append((flight.attempt, "running", job.due_at, flight.launched_at, None, None, None, flight.executor))
    rows += [
        (
            one.attempt,
            one.state,
            one.job.due_at,
            one.launched_at,
            one.started_at,
            one.finished_at,
            one.result,
            one.executor,
        )
        for one in tables.history
        if one.job.id == job_id and one.job.user_id == user_id and one.launched_at is not None
    ]
    answer: list[Run] = []
    for attempt, state, due, launched, started, finished, result, executor in sorted(rows, key=lambda row: row[0]):
        kept = _result.decode(result) if result else Result()
        answer.append(
            Run(
                JobId(job_id),
                attempt,
                JobState(state),
                due,
                launched,
                started,
                finished,
                tables.node_names.get(executor or 0),
                kept.failure,
                kept.answer,
            )
        )
    return answer


def _usage(tables: Tables, user_id: int) -> Usage:
    calendars = [decode_calendar(one.content) for one in tables.calendars.values() if one.user_id == user_id]
    return Usage(
        schedules=sum(one.row.user_id == user_id for one in tables.schedules.values()),
        calendars=len(calendars),
        calendar_dates=sum(len(one.dates) for one in calendars),
        definitions=sum(owner == user_id for owner, _ in tables.definition_ids),
    )


def _stats(tables: Tables, user_id: int) -> dict[JobState, int]:
    return dict(Counter(job.state for job in _all(tables, user_id)))
