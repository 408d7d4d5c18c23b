"""`SubmitStore` in memory: as sql/submit.sql."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from duetime.engine.intake.submit import READY_TOGETHER
from duetime.model.ids import UserId
from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored
from simulation.memory.link import Link
from simulation.memory.tables import JobRecord, Tables, Taken


class MemorySubmit:
    """The way in."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def intern(self, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        """Ids of definitions, stored if new."""
        return await self._link.call("intern", lambda: _intern(self._tables, wanted, day))

    async def other_definitions(self, user_id: int, hashes: Sequence[bytes]) -> int:
        """How many definitions a user has beside these."""
        known = self._tables.definition_ids
        return await self._link.call(
            "other_definitions", lambda: sum(user == user_id and one not in hashes for user, one in known)
        )

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably: all or none."""
        return await self._link.call("submit", lambda: insert(self._tables, rows, now))

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that carry idempotency keys."""
        return await self._link.call("submit_once", lambda: self._once(rows, keys, now))

    def _once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        return _once(self._tables, rows, keys, now)


def _intern(tables: Tables, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
    found: dict[tuple[int, bytes], int] = {}
    for user_id, digest, body in wanted:
        key = (user_id, digest)
        if key not in tables.definition_ids:
            number = tables.number("definition")
            tables.definition_ids[key], tables.definitions[number] = number, body
        number = found[key] = tables.definition_ids[key]
        tables.definition_days[number] = max(day, tables.definition_days.get(number, day))
    return found


def insert(tables: Tables, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
    """`ready` is judged against what was there before the statement, as its snapshot is."""
    made: list[JobRecord] = []
    for row in rows:
        job_id = row.taken_id if row.taken_id is not None else tables.job_id(row.shard)
        job = JobRecord(
            id=job_id,
            user_id=row.user_id,
            definition_id=row.definition_id,
            priority=row.priority,
            ready=row.ready,
            timed=row.due_at > now,
            flow=row.flow,
            execute_at=row.execute_at,
            due_at=row.due_at,
            created_at=now,
            message=row.message,
            expires_at=row.expires_at,
            schedule_id=row.schedule_id,
            lane=row.lane,
            labels=row.labels,
        )
        if job.ready and job.lane is not None:
            before = [one for one in tables.lane(job.user_id, job.lane) if one.place < job.place]
            job.ready = len(before) < READY_TOGETHER and all(_goes_before(one, job) for one in before)
        made.append(job)
    if any(job.id in tables.jobs for job in made):
        raise Taken
    for job in made:
        tables.jobs[job.id] = job
        tables.note_job("stored", job, text=job.message)
    return [Stored(job.id, job.ready) for job in sorted(made, key=lambda job: job.id)]


def _goes_before(one: JobRecord, job: JobRecord) -> bool:
    return one.ready and one.flow == job.flow and one.priority == job.priority and one.due_at <= job.due_at


def _once(tables: Tables, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
    answers: list[Stored | None] = [None] * len(rows)
    taken: list[tuple[int, int]] = []
    for at, (row, claim) in enumerate(zip(rows, keys, strict=True)):
        job_id, key = tables.job_id(row.shard), (row.user_id, claim.key)
        if key not in tables.keys or not tables.safeguards.idempotency:
            tables.keys[key], tables.key_times[key] = (job_id, claim.fingerprint), now
            taken.append((job_id, at))
    taken.sort()
    stored = insert(tables, [rows[at]._replace(taken_id=job_id) for job_id, at in taken], now) if taken else []
    for (_, at), answer in zip(taken, stored, strict=True):
        answers[at] = answer
    for at, (row, claim) in enumerate(zip(rows, keys, strict=True)):
        if answers[at] is None:
            holder = KeyHolder(*tables.keys[row.user_id, claim.key])  # type: ignore[arg-type]
            answers[at] = Stored(holder.job_id, ready=False, holder=holder)
    return [answer for answer in answers if answer is not None]
