"""`LaunchStore` in memory: as the function `launch` and sql/launch.sql, wall by wall."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.definition import Definition, decode_definition
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId, shard_of
from duetime.model.states import JobState
from duetime.store.port import Launched, LaunchedRow, LaunchIntent
from simulation.memory.link import Link
from simulation.memory.tables import Ended, Flight, Tables


class MemoryLaunch:
    """Launching."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def launch(self, node: NodeId, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
        """Commit launches and read what they are to do."""
        return await self._link.call("launch", lambda: _launch(self._tables, node, now, launches))

    async def unlaunch(self, node: NodeId, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
        """Take back launches that were never sent."""
        return await self._link.call("unlaunch", lambda: unlaunch(self._tables, node, sorted(job_ids), until))

    async def left_behind(self, node: NodeId, instants: Sequence[datetime]) -> list[int]:
        """Launches that became this node's at exactly one of these instants."""
        return await self._link.call("left_behind", lambda: _left_behind(self._tables, node, instants))

    async def definitions(self, ids: Sequence[int]) -> dict[int, Definition]:
        """Definitions by id."""
        known = self._tables.definitions
        return await self._link.call(
            "definitions", lambda: {one: decode_definition(known[one]) for one in sorted(ids) if one in known}
        )


def may_launch(tables: Tables, node: int, job_id: int, term: int) -> bool:
    """The lease row and the shard's term: what fences an owner."""
    if tables.safeguards.fence and node not in tables.leases:
        return False
    shard = tables.shards[shard_of(job_id)]
    return not tables.safeguards.term or (shard.term == term and shard.owner == node)


def lane_is_taken(tables: Tables, user_id: int, lane: str) -> bool:
    """Whether the unique index over lanes in flight forbids another."""
    return tables.safeguards.lane_index and any(
        flight.lane == lane and flight.user_id == user_id for flight in tables.in_flight.values()
    )


def is_not_its_turn(tables: Tables, user_id: int, lane: str, place: tuple[datetime, int]) -> bool:
    """Whether the lane holds a job before this place."""
    if not tables.safeguards.lane_order:
        return False
    jobs = tables.lane(user_id, lane)
    return bool(jobs) and jobs[0].place < place


def put_in_flight(tables: Tables, flight: Flight) -> None:
    """The insert: the run's identity and the lock on its job."""
    tables.in_flight[flight.job_id] = flight
    job = tables.jobs.get(flight.job_id)
    run = {"attempt": flight.attempt, "node": flight.executor, "term": flight.term, "shard": shard_of(flight.job_id)}
    if job is None or job.attempt != flight.attempt - 1:
        tables.note("launched", job=flight.job_id, **run)
    else:
        tables.note_job("launched", job, **run)


def commit(tables: Tables, node: int, now: datetime, launches: Sequence[LaunchIntent]) -> set[int]:
    """Put those in flight that pass every wall. Returns their ids."""
    chosen: list[Flight] = []
    for ref, term in launches:
        lane = ref.lane
        if (
            not may_launch(tables, node, ref.id, term)
            or (tables.safeguards.unique_launch and ref.id in tables.in_flight)
            or (lane is not None and lane_is_taken(tables, ref.user_id, lane))
            or (lane is not None and is_not_its_turn(tables, ref.user_id, lane, (ref.execute_at, ref.id)))
        ):
            tables.refused += 1
            continue
        chosen.append(Flight(ref.id, ref.user_id, node, term, ref.attempt + 1, now, lane))
    if _collides(tables, chosen):
        return set()
    for flight in chosen:
        put_in_flight(tables, flight)
    return {flight.job_id for flight in chosen}


def _launch(tables: Tables, node: int, now: datetime, launches: Sequence[LaunchIntent]) -> Launched:
    launched = commit(tables, node, now, launches)
    refs = {ref.id: ref for ref, _ in launches if ref.id in launched}
    rows = launched_rows(tables, [(ref.id, ref.user_id, ref.attempt + 1) for ref in refs.values()], now)
    rows = [row for row in rows if refs[row.id].lane is None or refs[row.id].execute_at == row.execute_at]
    return Launched(rows, sorted(launched.difference(row.id for row in rows)))


def _collides(tables: Tables, chosen: list[Flight]) -> bool:
    """Two of one batch that exclude each other: the unique indexes refuse the statement as a whole."""
    jobs = [flight.job_id for flight in chosen]
    lanes = [(flight.user_id, flight.lane) for flight in chosen if flight.lane is not None]
    twice = len(set(jobs)) < len(jobs) and tables.safeguards.unique_launch
    return twice or (len(set(lanes)) < len(lanes) and tables.safeguards.lane_index)


def launched_rows(tables: Tables, launched: Sequence[tuple[int, int, int]], now: datetime) -> list[LaunchedRow]:
    """What launches are to do; of jobs that are gone or moved, nothing."""
    rows: list[LaunchedRow] = []
    for job_id, user_id, attempt in launched:
        job = tables.job_of(user_id, job_id)
        if job is None or job.attempt != attempt - 1 or job.due_at > now or job.parked is not None:
            continue
        rows.append(
            LaunchedRow(
                job.id,
                job.user_id,
                job.definition_id,
                job.message,
                job.execute_at,
                job.due_at,
                job.expires_at,
                job.lane,
                job.attempt,
                job.base_attempt,
                job.flow,
                job.schedule_id,
            )
        )
    return rows


def _left_behind(tables: Tables, node: int, instants: Sequence[datetime]) -> list[int]:
    return sorted(
        one.job_id for one in tables.in_flight.values() if one.executor == node and one.held_since in instants
    )


def unlaunch(tables: Tables, node: int, job_ids: Sequence[int], until: datetime) -> list[JobEnded]:
    """Delete the launches of one executor. A job that was asked to stop meanwhile ends as cancelled."""
    ended: list[JobEnded] = []
    for job_id in job_ids:
        flight = tables.in_flight.get(job_id)
        if flight is None or flight.executor != node or flight.held_since > until:
            continue
        del tables.in_flight[job_id]
        job = tables.job_of(flight.user_id, job_id)
        if job is None or job.attempt != flight.attempt - 1:
            tables.note("unlaunched", job=job_id, attempt=flight.attempt, node=node)
        else:
            tables.note_job("unlaunched", job, attempt=flight.attempt, node=node)
        if job is not None and flight.cancel and tables.safeguards.kept_cancel:
            tables.note_job("withdrawn", job, state="cancelled")
            at, state = flight.launched_at, JobState.CANCELLED
            tables.end(Ended(job, state.value, job.attempt, at, reason="cancelled", result=job.result))
            ended.append(
                JobEnded(job_id, job.user_id, state, job.attempt, None, at, "cancelled", job.schedule_id, job.lane)
            )
    return ended
