"""`ControlStore` in memory: as sql/control.sql."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import UNSET

from duetime.model.errors import Conflict
from duetime.model.events import JobEnded
from duetime.model.ids import NodeId
from duetime.model.states import JobState
from duetime.store.offer_port import OFFERED
from duetime.store.port import Cancelled, ColumnChange, Edited, Withdrawn
from simulation.memory.link import Link
from simulation.memory.tables import Ended, Flight, JobRecord, Tables


class MemoryControl:
    """Edits, each under the launch lock."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def withdraw(
        self, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
    ) -> Withdrawn | None:
        """End a job that is not in flight."""
        return await self._link.call(
            "withdraw", lambda: _withdraw(self._tables, user_id, job_id, state, reason, now, actor)
        )

    async def edit(self, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
        """Change a job that is not in flight."""
        return await self._link.call("edit", lambda: _edit(self._tables, user_id, job_id, change, now, actor))

    async def request_cancel(self, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
        """Ask a run to stop."""
        return await self._link.call(
            "request_cancel", lambda: _request_cancel(self._tables, user_id, job_id, now, actor)
        )

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
        """Cancel what waits, and ask what runs to stop."""
        return await self._link.call("cancel_many", lambda: _cancel_many(self._tables, user_id, job_ids, now, actor))

    async def cancel_requests(self, node: NodeId) -> list[int]:
        """The runs of an executor that were asked to stop."""
        flights = self._tables.in_flight
        return await self._link.call(
            "cancel_requests", lambda: [one.job_id for one in flights.values() if one.executor == node and one.cancel]
        )


def lockable(tables: Tables, user_id: int, job_id: int) -> JobRecord | None:
    """The job, if its launch lock can be had: it is not in flight, or only on offer."""
    flight = tables.in_flight.get(job_id)
    if flight is not None and flight.executor != OFFERED and tables.safeguards.edit_lock:
        return None
    return tables.job_of(user_id, job_id)


def take_offer_back(tables: Tables, job_id: int) -> None:
    """What an edit that succeeds does with a launch on offer: the offer becomes its lock, and ends with it."""
    flight = tables.in_flight.get(job_id)
    if flight is not None and flight.executor == OFFERED:
        del tables.in_flight[job_id]


def _withdraw(
    tables: Tables, user_id: int, job_id: int, state: JobState, reason: str, now: datetime, actor: int
) -> Withdrawn | None:
    job = lockable(tables, user_id, job_id)
    if job is None:
        return None
    tables.record(now, actor, f"job.{state}", f"job:{job_id}", user_id)
    return Withdrawn([_end(tables, job, state, reason, now)])


def _end(tables: Tables, job: JobRecord, state: JobState, reason: str, now: datetime) -> JobEnded:
    take_offer_back(tables, job.id)
    tables.note_job("withdrawn", job, state=state.value)
    tables.end(Ended(job, state.value, job.attempt, now, reason=reason, result=job.result))
    schedule = tables.schedules.get(job.schedule_id or 0)
    if schedule is not None and schedule.row.pending_job == job.id:
        schedule.row, schedule.needs_repair = schedule.row._replace(pending_job=None), True
    return JobEnded(job.id, job.user_id, state, job.attempt, None, now, reason, job.schedule_id, job.lane)


def _cancel_many(tables: Tables, user_id: int, job_ids: Sequence[int], now: datetime, actor: int) -> Cancelled:
    done = Cancelled([], {})
    for job_id in dict.fromkeys(job_ids):
        job = lockable(tables, user_id, job_id)
        if job is not None and job.parked != "dead":
            done.ended.append(_end(tables, job, JobState.CANCELLED, "cancelled", now))
            continue
        flight = tables.in_flight.get(job_id)
        if flight is not None and flight.user_id == user_id and flight.executor > 0 and not flight.cancel:
            done.asked[job_id] = _ask_to_stop(tables, flight)
    if done.ended or done.asked:
        tables.record(now, actor, "jobs.cancelled", f"user:{user_id}", user_id)
    return done


def taken_nominal(tables: Tables, schedule_id: int, nominal: datetime, but: int = 0) -> bool:
    """Whether an occurrence of the schedule has this nominal instant already."""
    return tables.safeguards.unique_nominal and any(
        job.schedule_id == schedule_id and job.execute_at == nominal and job.occurrence is not None and job.id != but
        for job in tables.jobs.values()
    )


def _edit(tables: Tables, user_id: int, job_id: int, change: ColumnChange, now: datetime, actor: int) -> Edited | None:
    job = lockable(tables, user_id, job_id)
    if job is None:
        return None
    execute_at = change.execute_at or job.execute_at
    if (
        job.schedule_id is not None
        and job.occurrence is not None
        and taken_nominal(tables, job.schedule_id, execute_at, job_id)
    ):
        raise Conflict("Another occurrence of the schedule has this instant: choose another instant.")
    take_offer_back(tables, job_id)
    tables.record(now, actor, change.action, f"job:{job_id}", user_id)
    job.execute_at = execute_at
    job.due_at = change.due_at or change.execute_at or job.due_at
    job.message = job.message if change.message is None else change.message
    job.definition_id = change.definition_id or job.definition_id
    job.flow = job.flow if change.flow is None else change.flow
    job.priority = job.priority if change.priority is None else change.priority
    job.expires_at = job.expires_at if change.expires_at is UNSET else change.expires_at
    job.timed = True
    tables.note_job("edited", job, text=job.message)
    return Edited(job.ref(), job.ready)


def _request_cancel(tables: Tables, user_id: int, job_id: int, now: datetime, actor: int) -> NodeId | None:
    flight = tables.in_flight.get(job_id)
    if flight is None or flight.user_id != user_id or flight.executor <= 0:
        return None
    tables.record(now, actor, "job.cancel_requested", f"job:{job_id}", user_id)
    return _ask_to_stop(tables, flight)


def _ask_to_stop(tables: Tables, flight: Flight) -> NodeId:
    flight.cancel = True
    tables.note("asked_to_stop", job=flight.job_id, attempt=flight.attempt, node=flight.executor)
    return NodeId(flight.executor)
