"""`SettleStore` in memory: as sql/settle.sql."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.ids import NodeId, shard_of
from duetime.model.states import JobState
from duetime.store.port import Again, Ending, JobRef, Orphan
from simulation.memory.insight import why_parked
from simulation.memory.link import Link
from simulation.memory.tables import Ended, Flight, RunRecord, Tables


class MemorySettle:
    """Settling."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def finish(self, endings: Sequence[Ending]) -> set[int]:
        """Move jobs to history."""
        return await self._link.call("finish", lambda: _finish(self._tables, endings))

    async def retry(self, again: Sequence[Again]) -> list[JobRef]:
        """Record runs and let their jobs wait for the next attempt."""
        return await self._link.call("retry", lambda: _retry(self._tables, again))

    async def launched_before(self, node: NodeId, before: datetime, limit: int) -> list[Orphan]:
        """Launches of an executor that are older than an instant."""
        return await self._link.call("launched_before", lambda: _launched_before(self._tables, node, before, limit))

    async def orphans(self, held: Sequence[bool], limit: int) -> list[Orphan]:
        """Runs whose executor has no lease."""
        held = list(held)
        return await self._link.call("orphans", lambda: _orphans(self._tables, held, limit))


def _held(tables: Tables, one: Ending | Again) -> Flight | None:
    """The launch, if the caller is who holds it."""
    flight = tables.in_flight.get(one.job_id)
    if flight is None:
        return None
    mine = flight.attempt == one.attempt and flight.executor == one.executor
    if mine or not tables.safeguards.holder:
        return flight
    tables.refused += 1
    return None


def _finish(tables: Tables, endings: Sequence[Ending]) -> set[int]:
    settled: set[int] = set()
    for one in endings:
        flight = _held(tables, one)
        if flight is None:
            continue
        del tables.in_flight[one.job_id]
        settled.add(one.job_id)
        job = tables.job_of(flight.user_id, one.job_id)
        if job is not None:
            tables.note_job("finished", job, attempt=one.attempt, node=one.executor, state=one.state.value)
            tables.end(
                Ended(
                    job,
                    one.state.value,
                    one.attempt,
                    one.finished_at,
                    one.executor,
                    flight.launched_at,
                    one.started_at,
                    one.reason,
                    one.result,
                )
            )
    return settled


def _retry(tables: Tables, agains: Sequence[Again]) -> list[JobRef]:
    back: list[JobRef] = []
    for one in agains:
        flight = _held(tables, one)
        job = None if flight is None else tables.job_of(flight.user_id, one.job_id)
        if flight is None or job is None or flight.cancel:
            continue
        del tables.in_flight[one.job_id]
        tables.runs.append(
            RunRecord(
                one.job_id,
                flight.user_id,
                one.attempt,
                one.state.value,
                one.executor,
                job.due_at,
                flight.launched_at,
                one.started_at,
                one.finished_at,
                one.result,
            )
        )
        counted = tables.safeguards.counted_before_start or one.started_at is not None
        job.attempt = one.attempt if counted else one.attempt - 1
        job.base_attempt += one.spared
        job.due_at, job.timed, job.ready = one.next_at, True, not one.park
        job.parked = JobState.DEAD.value if one.park else None
        job.result = one.result
        state = "parked" if one.park else one.state.value
        tables.note_job("retried", job, attempt=one.attempt, node=one.executor, state=state)
        if one.park:
            held = Ended(job, "dead", one.attempt, one.finished_at, started_at=one.started_at, reason=why_parked(job))
            tables.announce(held.event()._replace(blocks_lane=True))
        back.append(job.ref())
    return back


def _launched_before(tables: Tables, node: int, before: datetime, limit: int) -> list[Orphan]:
    found = [one for one in tables.in_flight.values() if one.executor == node and one.held_since < before]
    return [
        Orphan(
            one.job_id, one.user_id, one.executor, one.attempt, one.held_since, one.cancel, one.lane, None, None, 0, 0
        )
        for one in found[:limit]
    ]


def _orphans(tables: Tables, held: Sequence[bool], limit: int) -> list[Orphan]:
    answer: list[Orphan] = []
    for job_id in sorted(tables.in_flight):
        one = tables.in_flight[job_id]
        if one.executor <= 0 or one.executor in tables.leases or not held[shard_of(job_id)]:
            continue
        job = tables.job_of(one.user_id, job_id)
        about = (None, None, None, None)
        if job is not None and job.attempt == one.attempt - 1:
            about = (job.definition_id, job.execute_at, job.base_attempt, job.flow)
        answer.append(
            Orphan(job_id, one.user_id, one.executor, one.attempt, one.held_since, one.cancel, one.lane, *about)
        )
    return answer[:limit]
