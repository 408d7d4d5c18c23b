"""`DeadStore` in memory: dead letters and lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from duetime.model.definition import decode_definition
from duetime.model.events import JobEnded
from duetime.model.flow import flow_of_job
from duetime.model.job import DeadFilter, DeadGroup, Job
from duetime.model.outcome import Result
from duetime.model.states import JobState
from duetime.store.port import JobRef, LaneState
from simulation.memory.control import lockable, take_offer_back
from simulation.memory.insight import open_state, shown, why_parked
from simulation.memory.link import Link
from simulation.memory.tables import Ended, JobRecord, RunRecord, Tables

_result = msgspec.json.Decoder(Result)
MOST = 10_000
"""Up to which a lane's length is counted."""


class MemoryDead:
    """What waits for a person."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def dead(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Dead jobs, newest first."""
        return await self._link.call("dead", lambda: _dead(self._tables, user_id, wanted))

    async def groups(self, user_id: int, wanted: DeadFilter) -> list[DeadGroup]:
        """Nobody groups what a simulation leaves."""
        return []

    async def redrive(
        self, user_id: int, job_ids: Sequence[int], first_at: datetime, spacing: float, now: datetime, actor: int
    ) -> list[JobRef]:
        """Give dead jobs another life."""
        return await self._link.call(
            "redrive", lambda: _redrive(self._tables, user_id, job_ids, first_at, spacing, now, actor)
        )

    async def discard(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
        """Give dead jobs up for good."""
        return await self._link.call("discard", lambda: _discard(self._tables, user_id, job_ids, now, actor))

    async def lanes(self, user_id: int, *, lane: str | None, blocked: bool, limit: int) -> list[LaneState]:
        """Lanes, or one, or those that wait for a person."""
        return await self._link.call("lanes", lambda: _lanes(self._tables, user_id, lane, blocked=blocked)[:limit])

    async def blocked_lanes(self, user_id: int) -> int:
        """How many lanes wait for a person."""
        return await self._link.call(
            "blocked_lanes", lambda: sum(one.blocked for one in _lanes(self._tables, user_id, None, blocked=True))
        )

    async def clear_lane(self, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
        """Cancel everything in a lane that is not in flight."""
        return await self._link.call("clear_lane", lambda: _clear(self._tables, user_id, lane, now, actor))


def _finished(tables: Tables, user_id: int) -> dict[int, Ended]:
    found = [one for one in tables.history if one.job.user_id == user_id and one.state == "dead"]
    return {one.job.id: one for one in found}


def _parked(tables: Tables, user_id: int) -> dict[int, JobRecord]:
    return {job.id: job for job in tables.jobs.values() if job.user_id == user_id and job.parked == "dead"}


def _dead(tables: Tables, user_id: int, wanted: DeadFilter) -> list[Job]:
    dead = [
        (shown(tables, job, None), job.due_at, job.result, why_parked(job)) for job in _parked(tables, user_id).values()
    ]
    dead += [
        (shown(tables, one.job, one), one.finished_at, one.result, one.reason)
        for one in _finished(tables, user_id).values()
    ]
    found = [job for job, at, result, reason in dead if _is_meant(job, at, result, reason or "", wanted)]
    return sorted(found, key=lambda job: -job.id)[: wanted.limit]


def _is_meant(job: Job, at: datetime, result: str | None, reason: str, wanted: DeadFilter) -> bool:
    if wanted.ids is not None:
        return job.id in wanted.ids
    failure = _result.decode(result).failure if result else None
    error = wanted.error.lower() if wanted.error else None
    return (
        (wanted.before_id is None or job.id < wanted.before_id)
        and (error is None or error in reason.lower() or (failure is not None and failure.kind == error))
        and (wanted.kind is None or (failure is not None and failure.kind == wanted.kind))
        and wanted.definition_id in (None, job.definition_id)
        and (wanted.from_ is None or at >= wanted.from_)
        and (wanted.to is None or at < wanted.to)
        and wanted.ordering_key in (None, job.lane)
    )


def _redrive(
    tables: Tables,
    user_id: int,
    job_ids: Sequence[int],
    first_at: datetime,
    spacing: float,
    now: datetime,
    actor: int,
) -> list[JobRef]:
    finished, parked = _finished(tables, user_id), _parked(tables, user_id)
    chosen = [job_id for job_id in dict.fromkeys(job_ids) if job_id in finished or job_id in parked]
    back: list[JobRef] = []
    for number, job_id in enumerate(chosen):
        job = parked[job_id] if job_id in parked else _revive(tables, finished[job_id])
        job.due_at = first_at + number * timedelta(seconds=spacing)
        job.base_attempt, job.timed = job.attempt, True
        job.parked, job.ready = None, job_id in parked or job.lane is None
        job.expires_at = job.expires_at if job.expires_at is not None and job.expires_at > now else None
        tables.note_job("redriven", job, attempt=job.attempt)
        back.append(job.ref())
    if back:
        tables.record(now, actor, "dead_letters.redriven", f"user:{user_id}", user_id)
    return back


def _revive(tables: Tables, ended: Ended) -> JobRecord:
    """A dead job of history as an open one; its last run goes to the runs, and its number as an occurrence goes."""
    tables.history.remove(ended)
    definition = decode_definition(tables.definitions[ended.job.definition_id])
    flow = flow_of_job(ended.job.user_id, ended.job.definition_id, definition)
    job = replace(ended.job, attempt=ended.attempt, flow=flow, result=ended.result, occurrence=None)
    tables.jobs[job.id] = job
    if ended.launched_at is not None:
        tables.runs.append(
            RunRecord(
                job.id,
                job.user_id,
                ended.attempt,
                "dead",
                ended.executor,
                ended.job.due_at,
                ended.launched_at,
                ended.started_at,
                ended.finished_at,
                ended.result,
            )
        )
    return job


def _discard(tables: Tables, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> list[JobEnded]:
    finished = _finished(tables, user_id)
    gone: list[JobEnded] = []
    for ended in [finished[job_id] for job_id in dict.fromkeys(job_ids) if job_id in finished]:
        ended.state, ended.reason = "cancelled", f"discarded: {ended.reason or ''}"
        gone.append(ended.event()._replace(finished_at=now))
        tables.announce(gone[-1])
    if gone:
        tables.record(now, actor, "dead_letters.discarded", f"user:{user_id}", user_id)
    return gone


def _lanes(tables: Tables, user_id: int, lane: str | None, *, blocked: bool) -> list[LaneState]:
    names = {job.lane for job in tables.jobs.values() if job.user_id == user_id and job.lane is not None}
    if lane is not None:
        names &= {lane}
    if blocked:
        names &= {job.lane for job in _parked(tables, user_id).values()}
    found: list[LaneState] = []
    for name in sorted(name for name in names if name is not None):
        jobs = tables.lane(user_id, name)
        state = JobState(open_state(tables, jobs[0]))
        dead = state is JobState.DEAD
        found.append(
            LaneState(
                name,
                jobs[0].id,
                state,
                min(len(jobs), MOST),
                dead,
                why_parked(jobs[0]),
                jobs[0].due_at if dead else None,
            )
        )
    return found


def _clear(tables: Tables, user_id: int, lane: str, now: datetime, actor: int) -> list[JobEnded]:
    gone: list[JobEnded] = []
    for job in [one for one in tables.lane(user_id, lane) if lockable(tables, user_id, one.id) is not None]:
        take_offer_back(tables, job.id)
        tables.note_job("withdrawn", job, state="cancelled")
        ended = Ended(job, "cancelled", job.attempt, now, reason="the lane was cleared", result=job.result)
        tables.end(ended)
        gone.append(ended.event())
    if gone:
        tables.record(now, actor, "lane.cleared", f"lane:{lane}", user_id)
    return gone
