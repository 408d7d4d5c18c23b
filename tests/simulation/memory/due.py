"""`DueStore` in memory: as due.sql, backlog.sql, due_flows.sql, lanes/sweep.sql and promote.sql."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

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
        """The heads of lanes, made ready."""
        return await self._link.call("promote", lambda: _promote(self._tables, sorted(lanes)))


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


def _heads(tables: Tables) -> dict[tuple[int, str], JobRecord]:
    heads: dict[tuple[int, str], JobRecord] = {}
    for job in tables.jobs.values():
        if job.lane is not None:
            known = heads.get((job.user_id, job.lane))
            if known is None or job.place < known.place:
                heads[job.user_id, job.lane] = job
    return heads


def _sweep(tables: Tables, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
    heads = _heads(tables)
    lanes = sorted(lane for lane in heads if lane > after)[:limit]
    return [(*lane, None if heads[lane].ready or heads[lane].parked else heads[lane].id) for lane in lanes]


def _promote(tables: Tables, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
    heads = _heads(tables)
    answer: list[JobRef] = []
    for lane in lanes:
        head = heads.get(lane)
        if head is not None and head.parked is None:
            head.ready = True
            answer.append(head.ref())
    return answer
