"""The one way in: every request, file, topic and schedule ends here. Stored durably, then acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from secrets import randbelow
from typing import NamedTuple

import msgspec
import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.batch import NaturalBatch
from duetime.engine.definitions import Definitions, Known
from duetime.engine.hours import within
from duetime.engine.quota import Quota
from duetime.engine.wake import Wake
from duetime.model.errors import Conflict, DuetimeError, Stopping
from duetime.model.ids import SHARDS, JobId, shard_of_lane
from duetime.model.job import Job, NewJob
from duetime.model.states import JobState
from duetime.store.port import DueStore, JobRef, JobRow, KeyClaim, Stored, SubmitStore

log = structlog.get_logger()
MAX_ROWS = 5000
WIDTH = 2


class Submitted(Struct, frozen=True):
    """An accepted job; `repeated` when the idempotency key found the job of an earlier call."""

    job: Job
    repeated: bool = False


class _Answer(NamedTuple):
    stored: list[Stored]
    rows: list[JobRow]
    at: datetime


class _Request(Struct):
    jobs: Sequence[NewJob]
    answer: asyncio.Future[_Answer]


class Submit:
    """Gathers what comes in at the same time and stores it in one statement."""

    def __init__(
        self,
        store: SubmitStore,
        lanes: DueStore,
        definitions: Definitions,
        clock: Clock,
        wake: Wake,
        look: Callable[[int, int], Awaitable[Job]],
        quota: Quota,
    ) -> None:
        self._store, self._lanes, self._definitions, self._clock, self._wake = store, lanes, definitions, clock, wake
        self._look, self._quota = look, quota
        self._batch = NaturalBatch(self._flush, limit=MAX_ROWS, width=WIDTH, size=lambda request: len(request.jobs))
        self._next_shard = randbelow(SHARDS)
        self._stopping = False

    async def one(self, job: NewJob) -> Submitted:
        """Accept one job."""
        (stored,), (row,), created_at = await self._stored([job])
        if stored.holder is None:
            return Submitted(_as_job(job, row, JobId(stored.job_id), created_at))
        if stored.holder.fingerprint != job.fingerprint:
            raise Conflict("This idempotency key was used for a different job: use a new key for a new job.")
        return Submitted(await self._look(job.user_id, stored.job_id), repeated=True)

    async def many(self, jobs: Sequence[NewJob]) -> list[int]:
        """Accept many jobs, all or none; their ids in order."""
        if not jobs:
            return []
        answer = await self._stored(jobs)
        return [one.job_id for one in answer.stored]

    async def stop(self) -> None:
        """Refuse what comes from now on, and finish what was taken."""
        self._stopping = True
        await self._batch.drain()

    async def _stored(self, jobs: Sequence[NewJob]) -> _Answer:
        if self._stopping:
            raise Stopping
        await self._quota.check(jobs)
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._batch.put(_Request(jobs, answer))
        return await answer

    async def _flush(self, requests: list[_Request]) -> None:
        """Store a batch: jobs with idempotency keys in one statement, all others in another."""
        keyed = [request for request in requests if request.jobs[0].idempotency_key is not None]
        plain = [request for request in requests if request.jobs[0].idempotency_key is None]
        for group in (plain, keyed):
            if group:
                await self._flush_group(group, keyed=group is keyed)

    async def _flush_group(self, group: list[_Request], *, keyed: bool) -> None:
        now = self._clock.now()
        try:
            rows, stored = await self._store_group([job for request in group for job in request.jobs], now, keyed=keyed)
        except Exception as error:
            if not isinstance(error, DuetimeError):
                log.exception("jobs could not be stored")
            for request in group:
                if not request.answer.done():
                    request.answer.set_exception(error if isinstance(error, DuetimeError) else DuetimeError())
            return
        at = 0
        for request in group:
            end = at + len(request.jobs)
            if not request.answer.done():
                request.answer.set_result(_Answer(stored[at:end], rows[at:end], now))
            at = end

    async def _store_group(
        self, jobs: list[NewJob], now: datetime, *, keyed: bool
    ) -> tuple[list[JobRow], list[Stored]]:
        known = await self._definitions.intern([(job.user_id, job.definition) for job in jobs], now.date())
        first_of_lane = _first_of_lanes(jobs)
        rows = [self._row(job, one, first_of_lane) for job, one in zip(jobs, known, strict=True)]
        if keyed:
            keys = [KeyClaim(job.idempotency_key or "", job.fingerprint or b"") for job in jobs]
            stored = await self._store.submit_once(rows, keys, now)
        else:
            stored = await self._store.submit(rows, now)
        await self._tell(rows, stored)
        return rows, stored

    async def _tell(self, rows: list[JobRow], stored: list[Stored]) -> None:
        horizon = self._wake.horizon
        refs: list[JobRef] = []
        behind: set[tuple[int, str]] = set()
        for row, new in zip(rows, stored, strict=True):
            if new.ready:
                if row.due_at <= horizon:
                    refs.append(_ref(row, new.job_id))
            elif row.lane is not None and new.holder is None:
                behind.add((row.user_id, row.lane))
        if behind:
            refs += await self._lanes.promote(list(behind))
        self._wake.stored(refs)

    def _shard(self, job: NewJob, known: Known) -> int:
        """A lane lives in one shard, and so do the jobs under one limit: one scheduler sees them all."""
        if job.lane is not None:
            return shard_of_lane(job.user_id, job.lane)
        if known.shard is not None:
            return known.shard
        self._next_shard = (self._next_shard + 1) % SHARDS
        return self._quota.shard(job.user_id, self._next_shard)

    def _row(self, job: NewJob, known: Known, first_of_lane: dict[tuple[int, str], NewJob]) -> JobRow:
        hours, lane = job.definition.policy.hours, job.lane
        return JobRow(
            None,
            self._shard(job, known),
            job.user_id,
            known.id,
            known.flow,
            job.priority,
            lane is None or first_of_lane[job.user_id, lane] is job,
            job.execute_at,
            job.execute_at if hours is None else within(hours, job.execute_at),
            job.expires_at,
            job.schedule_id,
            lane,
            msgspec.json.encode(job.labels).decode() if job.labels else None,
            job.message,
        )


def _ref(row: JobRow, job_id: int) -> JobRef:
    return JobRef(job_id, row.user_id, row.flow, row.priority, row.due_at, 0, row.lane, row.execute_at, row.schedule_id)


def _first_of_lanes(jobs: Sequence[NewJob]) -> dict[tuple[int, str], NewJob]:
    first: dict[tuple[int, str], NewJob] = {}
    for job in jobs:
        if job.lane is not None:
            lane = (job.user_id, job.lane)
            if lane not in first or job.execute_at < first[lane].execute_at:
                first[lane] = job
    return first


def _as_job(job: NewJob, row: JobRow, job_id: JobId, now: datetime) -> Job:
    return Job(
        id=job_id,
        user_id=job.user_id,
        state=JobState.CREATED,
        definition_id=row.definition_id,
        definition=job.definition,
        message=job.message,
        execute_at=job.execute_at,
        due_at=row.due_at,
        created_at=now,
        lane=job.lane,
        priority=job.priority,
        attempts=0,
        expires_at=job.expires_at,
        labels=job.labels,
    )
