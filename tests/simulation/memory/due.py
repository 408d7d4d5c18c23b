"""`DueStore` in memory: as sql/due.sql and sql/lanes.sql."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.engine.intake.submit import READY_TOGETHER
from duetime.model.ids import shard_of
from duetime.store.port import JobRef, Wanted
from simulation.memory.link import Link
from simulation.memory.tables import JobRecord, Tables


class MemoryDue:
    """What is due."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """The look-ahead."""
        held = list(held)
        return await self._link.call("due", lambda: _due(self._tables, after, until, held, limit))

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """What is next in queues."""
        held = list(held)
        return await self._link.call("backlog", lambda: _backlog(self._tables, wanted, now, held))

    async def due_flows(self, now: datetime) -> list[int]:
        """Queues with something due."""
        jobs = self._tables.jobs
        return await self._link.call(
            "due_flows", lambda: sorted({job.flow for job in jobs.values() if job.ready and job.due_at <= now})
        )

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """The next lanes, each with its head if that was left behind."""
        return await self._link.call("sweep_lanes", lambda: _sweep(self._tables, after, limit))

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes, made ready."""
        return await self._link.call("promote", lambda: _promote(self._tables, sorted(lanes)))

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes that somebody waits in."""
        return await self._link.call("promote_waiting", lambda: _go_on(self._tables, sorted(set(lanes))))

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Ready no longer."""
        await self._link.call("hold_back", lambda: _hold_back(self._tables, [ref.id for ref in refs]))


def _due(
    tables: Tables, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int
) -> list[JobRef]:
    found = [
        job
        for job in tables.jobs.values()
        if job.ready and job.timed and after < (job.due_at, job.id) and job.due_at <= until and held[shard_of(job.id)]
    ]
    found.sort(key=lambda job: (job.due_at, job.id))
    return [job.ref() for job in found[:limit]]


def _backlog(tables: Tables, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
    answer: list[JobRef] = []
    for flow, limit, after in wanted:
        found = [
            job
            for job in tables.jobs.values()
            if job.ready
            and job.flow == flow
            and job.due_at <= now
            and held[shard_of(job.id)]
            and job.id not in tables.in_flight
            and (after is None or (-job.priority, job.due_at, job.id) > after)
        ]
        found.sort(key=lambda job: (-job.priority, job.due_at, job.id))
        answer += [job.ref() for job in found[:limit]]
    return answer


def _in_flight(tables: Tables, lane: tuple[int, str]) -> list[int]:
    return [one.job_id for one in tables.in_flight.values() if (one.user_id, one.lane) == lane]


def _sweep(tables: Tables, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
    waiting = {(job.user_id, job.lane) for job in tables.jobs.values() if job.lane is not None and not job.ready}
    found: list[tuple[int, str, int | None]] = []
    for lane in sorted(lane for lane in waiting if lane > after)[:limit]:
        head = tables.lane(*lane)[0]
        left_behind = not head.ready and not head.parked and not _in_flight(tables, lane)
        found.append((*lane, head.id if left_behind else None))
    return found


def _go_on(tables: Tables, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
    return _promote(tables, [lane for lane in lanes if not all(job.ready for job in tables.lane(*lane))])


def _promote(tables: Tables, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
    answer: list[JobRef] = []
    for lane in lanes:
        head, *behind = tables.lane(*lane) or [None]
        if head is None or head.parked is not None or _in_flight(tables, lane):
            continue
        following = [] if head.ready else [job for job in behind[: READY_TOGETHER - 1] if _follows(job, head)]
        for job in (head, *following):
            job.ready = True
            answer.append(job.ref())
    return answer


def _follows(job: JobRecord, head: JobRecord) -> bool:
    alike = job.parked is None and job.flow == head.flow and job.priority == head.priority
    return alike and job.due_at == job.execute_at and job.due_at >= head.due_at


def _hold_back(tables: Tables, job_ids: Sequence[int]) -> None:
    jobs = [tables.jobs[job_id] for job_id in job_ids if job_id in tables.jobs]
    for job in jobs:
        lane = (job.user_id, job.lane or "")
        if job.lane is not None and (
            tables.lane(*lane)[0] is not job or _in_flight(tables, lane) not in ([], [job.id])
        ):
            job.ready = False
