"""The one way in: every request, file, topic and schedule ends here. Stored durably, then acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from secrets import randbelow

import msgspec
import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.batch import NaturalBatch
from duetime.engine.definitions import Definitions
from duetime.engine.hours import within
from duetime.engine.quota import Quota
from duetime.engine.wake import Wake
from duetime.model.errors import Conflict, DuetimeError, Stopping
from duetime.model.flow import flow_of_job
from duetime.model.ids import SHARDS, DefinitionId, JobId, shard_of_definition, shard_of_lane
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


class _Request(Struct):
    jobs: Sequence[NewJob]
    answer: asyncio.Future[tuple[list[Stored], datetime]]
    """What was stored, and when."""


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
        (stored,), created_at = await self._stored([job])
        if stored.holder is None:
            definition_id = self._definitions.known(job.user_id, job.definition)
            return Submitted(_as_job(job, JobId(stored.job_id), definition_id, created_at))
        if stored.holder.fingerprint != job.fingerprint:
            raise Conflict("This idempotency key was used for a different job: use a new key for a new job.")
        return Submitted(await self._look(job.user_id, stored.job_id), repeated=True)

    async def many(self, jobs: Sequence[NewJob]) -> list[int]:
        """Accept many jobs, all or none; their ids in order."""
        if not jobs:
            return []
        stored, _ = await self._stored(jobs)
        return [one.job_id for one in stored]

    async def stop(self) -> None:
        """Refuse what comes from now on, and finish what was taken."""
        self._stopping = True
        await self._batch.drain()

    async def _stored(self, jobs: Sequence[NewJob]) -> tuple[list[Stored], datetime]:
        if self._stopping:
            raise Stopping
        await self._quota.check(jobs)
        answer: asyncio.Future[tuple[list[Stored], datetime]] = asyncio.get_running_loop().create_future()
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
            stored = await self._store_group([job for request in group for job in request.jobs], now, keyed=keyed)
        except Exception as error:
            if not isinstance(error, DuetimeError):
                log.exception("jobs could not be stored")
            for request in group:
                if not request.answer.done():
                    request.answer.set_exception(error if isinstance(error, DuetimeError) else DuetimeError())
            return
        at = 0
        for request in group:
            if not request.answer.done():
                request.answer.set_result((stored[at : at + len(request.jobs)], now))
            at += len(request.jobs)

    async def _store_group(self, jobs: list[NewJob], now: datetime, *, keyed: bool) -> list[Stored]:
        await self._definitions.intern(jobs, now.date())
        first_of_lane = _first_of_lanes(jobs)
        rows = [self._row(job, first_of_lane) for job in jobs]
        if keyed:
            keys = [KeyClaim(job.idempotency_key or "", job.fingerprint or b"") for job in jobs]
            stored = await self._store.submit_once(rows, keys, now)
        else:
            stored = await self._store.submit(rows, now)
        await self._tell(rows, stored)
        return stored

    async def _tell(self, rows: list[JobRow], stored: list[Stored]) -> None:
        horizon = self._wake.horizon
        refs = [
            JobRef(
                new.job_id,
                row.user_id,
                row.flow,
                row.priority,
                row.due_at,
                0,
                row.lane,
                row.execute_at,
                row.schedule_id,
            )
            for row, new in zip(rows, stored, strict=True)
            if new.ready and row.due_at <= horizon
        ]
        behind = {
            (row.user_id, row.lane)
            for row, new in zip(rows, stored, strict=True)
            if row.lane is not None and not new.ready and new.holder is None
        }
        if behind:
            refs += await self._lanes.promote(list(behind))
        self._wake.stored(refs)

    def _shard(self, job: NewJob, definition_id: int) -> int:
        """A lane lives in one shard, and so do the jobs under one limit: one scheduler sees them all."""
        if job.lane is not None:
            return shard_of_lane(job.user_id, job.lane)
        if job.definition.policy.limit is not None:
            return shard_of_definition(definition_id)
        self._next_shard = (self._next_shard + 1) % SHARDS
        return self._quota.shard(job.user_id, self._next_shard)

    def _row(self, job: NewJob, first_of_lane: dict[tuple[int, str], NewJob]) -> JobRow:
        definition_id = self._definitions.known(job.user_id, job.definition)
        policy = job.definition.policy
        return JobRow(
            taken_id=None,
            shard=self._shard(job, definition_id),
            user_id=job.user_id,
            definition_id=definition_id,
            flow=flow_of_job(job.user_id, definition_id, job.definition),
            priority=job.priority,
            ready=job.lane is None or first_of_lane[job.user_id, job.lane] is job,
            execute_at=job.execute_at,
            due_at=job.execute_at if policy.hours is None else within(policy.hours, job.execute_at),
            expires_at=job.expires_at,
            schedule_id=job.schedule_id,
            lane=job.lane,
            labels=msgspec.json.encode(job.labels).decode() if job.labels else None,
            message=job.message,
        )


def _first_of_lanes(jobs: Sequence[NewJob]) -> dict[tuple[int, str], NewJob]:
    first: dict[tuple[int, str], NewJob] = {}
    for job in jobs:
        if job.lane is not None:
            lane = (job.user_id, job.lane)
            if lane not in first or job.execute_at < first[lane].execute_at:
                first[lane] = job
    return first


def _as_job(job: NewJob, job_id: JobId, definition_id: DefinitionId, now: datetime) -> Job:
    hours = job.definition.policy.hours
    return Job(
        id=job_id,
        user_id=job.user_id,
        state=JobState.CREATED,
        definition_id=definition_id,
        definition=job.definition,
        message=job.message,
        execute_at=job.execute_at,
        due_at=job.execute_at if hours is None else within(hours, job.execute_at),
        created_at=now,
        lane=job.lane,
        priority=job.priority,
        attempts=0,
        expires_at=job.expires_at,
        labels=job.labels,
    )
