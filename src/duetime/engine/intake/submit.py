"""The one way in: the jobs of every request are submitted here. They are stored durably, then acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.asking.reasons import not_due
from duetime.engine.batch import NaturalBatch
from duetime.engine.events import Events
from duetime.engine.intake.definitions import Definitions, InternedDefinition
from duetime.engine.intake.quota import Quota
from duetime.engine.intake.wake import Wake
from duetime.engine.settling.opening_hours import within
from duetime.engine.slices import RequestSlices
from duetime.metrics.counts import Counts
from duetime.model.errors import Conflict, DuetimeError, Elsewhere, OverLimit, Stopping, StoreAway
from duetime.model.events import JobSubmitted
from duetime.model.ids import Flow, JobId, shard_of, shard_of_lane
from duetime.model.job import Job, NewJob
from duetime.model.states import JobState
from duetime.store.cell_port import PlacedStore
from duetime.store.placement import Picker, Placement
from duetime.store.port import DueStore, JobRef, JobRow, KeyClaim, Stored, SubmitStore

log = structlog.get_logger()
MAX_ROWS = 5000
WIDTH = 2
SLICE = 250
"""Rows that are made without a look at the time: about half a millisecond."""
READY_TOGETHER = 4
"""How many jobs of a lane are ready at a time. The statements that promote jobs have the same number."""
TRIES = 3
"""A shard can close while jobs are being stored in it. Each try chooses the shards again."""


class Submitted(Struct, frozen=True):
    """An accepted job. `repeated`: the idempotency key belongs to an earlier call, and this is that call's job."""

    job: Job
    repeated: bool = False


class _Answer(NamedTuple):
    stored: list[Stored]
    rows: list[JobRow]
    at: datetime


class _Request(Struct):
    jobs: Sequence[NewJob]
    answer: asyncio.Future[_Answer]
    known: Sequence[InternedDefinition] = ()
    rows: Sequence[JobRow] = ()

    @property
    def keyed(self) -> bool:
        return self.jobs[0].idempotency_key is not None

    def fail(self, error: DuetimeError) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Submit:
    """Gathers the requests that arrive while a batch is being written, and stores their jobs in one statement."""

    def __init__(
        self,
        store: SubmitStore,
        lanes: DueStore,
        definitions: Definitions,
        clock: Clock,
        wake: Wake,
        look: Callable[[int, int], Awaitable[Job]],
        quota: Quota,
        placement: Placement,
        events: Events,
        counts: Counts,
    ) -> None:
        self._store, self._lanes, self._definitions, self._clock, self._wake = store, lanes, definitions, clock, wake
        self._look, self._quota, self._events, self._counts = look, quota, events, counts
        self._batch = NaturalBatch(
            self._flush, limit=lambda: MAX_ROWS, width=lambda: WIDTH, size=lambda request: len(request.jobs)
        )
        self._placement = placement
        self._stopping = self._answer_lost = False

    async def one(
        self, job: NewJob, *, checked: bool = False, look: Callable[[int, int], Awaitable[Job]] | None = None
    ) -> Submitted:
        """Accept one job. `checked`: its quotas are checked already. `look` finds the job of a repeated key."""
        (stored,), (row,), created_at = await self._stored([job], checked=checked)
        if stored.holder is None:
            return Submitted(_as_job(job, row, JobId(stored.job_id), created_at))
        if stored.holder.fingerprint != job.fingerprint:
            raise Conflict("This idempotency key was used for a different job: use a new key for a new job.")
        return Submitted(await (look or self._look)(job.user_id, stored.job_id), repeated=True)

    async def many(self, jobs: Sequence[NewJob], *, checked: bool = False) -> list[int]:
        """Accept many jobs, all or none. Returns their ids in order. `checked`: their quotas are checked already."""
        if not jobs:
            return []
        answer = await self._stored(jobs, checked=checked)
        return [one.job_id for one in answer.stored]

    async def absent(self, store: PlacedStore, job: NewJob, job_id: int) -> Job | None:
        """Store a job under an id that an idempotency key of another cell names. Returns None if it is here already."""
        now = self._clock.now()
        (known,) = await self._definitions.intern([(job.user_id, job.definition)], now.date())
        row = self._row(job, known, {id(job)}, self._placement.picker())
        row = row._replace(taken_id=job_id, shard=shard_of(job_id))
        (stored,) = await store.submit_absent([row], now)
        if stored is None:
            return None
        await self._wake_owners([row], [stored])
        if self._events.wanted(JobSubmitted):
            self._publish([row], [stored])
        return _as_job(job, row, JobId(job_id), now)

    async def through(
        self, jobs: Sequence[NewJob], write: Callable[[Sequence[JobRow], datetime], Awaitable[list[Stored]]]
    ) -> None:
        """Accept jobs that `write` stores together with something else: all of it or nothing.

        It has to pass on what is raised by `write`, which is called once. There may be no jobs.
        """
        if self._stopping:
            raise Stopping
        if jobs:
            await self._quota.check(jobs)
        now = self._clock.now()
        known = await self._definitions.intern([(job.user_id, job.definition) for job in jobs], now.date())
        request = _Request(jobs, asyncio.get_running_loop().create_future(), known)
        await self._choose_rows([request], _first_of_lanes(jobs, known))
        try:
            stored = await write(request.rows, now)
        except StoreAway:
            # It may be stored all the same, and no owner has heard of it.
            self._wake.lost()
            raise
        await self._wake_owners(list(request.rows), stored)
        if self._events.wanted(JobSubmitted):
            self._publish(request.rows, stored)

    async def stop(self) -> None:
        """Refuse new requests, and finish those that were accepted."""
        self._stopping = True
        await self._batch.drain()

    async def _stored(self, jobs: Sequence[NewJob], *, checked: bool) -> _Answer:
        if self._stopping:
            raise Stopping
        if not checked:
            await self._quota.check(jobs)
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._batch.put(_Request(jobs, answer))
        return await answer

    async def _flush(self, requests: list[_Request]) -> None:
        """Store a batch: jobs with idempotency keys in one statement, all others in another."""
        for keyed in (False, True):
            group = [request for request in requests if request.keyed is keyed]
            if group:
                await self._flush_group(group, keyed=keyed)

    async def _flush_group(self, group: list[_Request], *, keyed: bool) -> None:
        now = self._clock.now()
        jobs = [job for request in group for job in request.jobs]
        try:
            known = await self._definitions.intern([(job.user_id, job.definition) for job in jobs], now.date())
        except OverLimit as error:
            if len(group) == 1:
                _fail(group, error)
            else:  # One request is over a quota: the others are not to fail with it.
                for request in group:
                    await self._flush_group([request], keyed=keyed)
            return
        except Exception as error:
            _fail(group, error)
            return
        at = 0
        for request in group:
            request.known, at = known[at : at + len(request.jobs)], at + len(request.jobs)
        first_of_lanes = _first_of_lanes(jobs, known)
        for tried in range(TRIES):
            await self._choose_rows(group, first_of_lanes)
            if tried:
                group = self._with_open_shards(group)
            if not group or await self._store_group(group, now, keyed=keyed):
                return
            await self._placement.look_again()
        _fail(group, Elsewhere())

    def _with_open_shards(self, group: list[_Request]) -> list[_Request]:
        """Fail the requests with a job whose one shard is closed here. Returns the others."""
        closed = [one for one in group if any(self._placement.closed(row.shard) for row in one.rows)]
        _fail(closed, Elsewhere())
        return [one for one in group if one not in closed] if closed else group

    async def _store_group(self, group: list[_Request], now: datetime, *, keyed: bool) -> bool:
        """Store requests and answer them. Returns false when nothing is stored, because a shard is closed."""
        rows = [row for request in group for row in request.rows]
        try:
            if keyed:
                jobs = [request.jobs[0] for request in group]
                keys = [KeyClaim(job.idempotency_key or "", job.fingerprint or b"") for job in jobs]
                stored = await self._store.submit_once(rows, keys, now)
            else:
                stored = await self._store.submit(rows, now)
            await self._wake_owners(rows, stored)
        except Elsewhere:
            return False
        except Exception as error:
            self._answer_lost = self._answer_lost or isinstance(error, StoreAway)
            _fail(group, error)
            return True
        if self._answer_lost:
            self._answer_lost = False
            self._wake.lost()
        self._counts.submitted += sum(one.holder is None for one in stored) if keyed else len(stored)
        if self._events.wanted(JobSubmitted):
            self._publish(rows, stored)
        at = 0
        for request in group:
            end = at + len(request.rows)
            if not request.answer.done():
                request.answer.set_result(_Answer(stored[at:end], list(request.rows), now))
            at = end
        return True

    def _publish(self, rows: Sequence[JobRow], stored: Sequence[Stored]) -> None:
        new = [
            JobSubmitted(one.job_id, row.user_id, row.execute_at)
            for row, one in zip(rows, stored, strict=True)
            if one.holder is None
        ]
        self._events.publish(JobSubmitted, new)

    async def _choose_rows(self, group: list[_Request], first_of_lanes: set[int]) -> None:
        """Choose shards and make rows. In a long request, launches and settlements get the event loop in between."""
        slices: RequestSlices | None = None
        for request in group:
            pick, rows = self._placement.picker(), list[JobRow]()
            if len(request.jobs) == 1:
                request.rows = [self._row(request.jobs[0], request.known[0], first_of_lanes, pick)]
                continue
            for at in range(0, len(request.jobs), SLICE):
                if at:
                    slices = slices or RequestSlices(self._clock)
                    await slices.pause()
                some = zip(request.jobs[at : at + SLICE], request.known[at : at + SLICE], strict=True)
                rows += [self._row(job, one, first_of_lanes, pick) for job, one in some]
            request.rows = rows

    async def _wake_owners(self, rows: list[JobRow], stored: list[Stored]) -> None:
        """Wake the owners of the jobs that are ready and due soon, and promote lanes whose new jobs are not ready."""
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

    def _shard(self, job: NewJob, known: InternedDefinition, pick: Picker) -> int:
        """Returns a job's shard. A lane has one shard, and so have jobs under a limit: one scheduler sees them all."""
        if job.lane is not None:
            return shard_of_lane(job.user_id, job.lane)
        if known.shard is not None:
            return known.shard
        return pick(job.user_id, job.idempotency_key, self._quota.pins(job.user_id))

    def _row(self, job: NewJob, known: InternedDefinition, first_of_lanes: set[int], pick: Picker) -> JobRow:
        hours, lane = job.definition.policy.hours, job.lane
        return JobRow(
            None,
            self._shard(job, known, pick),
            job.user_id,
            known.id,
            known.flow,
            job.priority,
            lane is None or id(job) in first_of_lanes,
            job.execute_at,
            job.execute_at if hours is None else within(hours, job.execute_at),
            job.expires_at,
            job.schedule_id,
            lane,
            msgspec.json.encode(job.labels).decode() if job.labels else None,
            job.message,
        )


def _fail(group: Sequence[_Request], error: Exception) -> None:
    if not isinstance(error, DuetimeError):
        users = sorted({request.jobs[0].user_id for request in group})
        log.error("jobs could not be stored", users=users[:20], exc_info=error)
    for request in group:
        request.fail(error if isinstance(error, DuetimeError) else DuetimeError())


def _ref(row: JobRow, job_id: int) -> JobRef:
    return JobRef(job_id, row.user_id, row.flow, row.priority, row.due_at, 0, row.lane, row.execute_at, row.schedule_id)


def _first_of_lanes(jobs: Sequence[NewJob], known: Sequence[InternedDefinition]) -> set[int]:
    """Returns the `id()` of the jobs to store as ready.

    These are the first job of each lane, and those right behind it that also follow it in its flow.
    """
    lanes: dict[tuple[int, str], list[tuple[NewJob, Flow]]] = {}
    for job, one in zip(jobs, known, strict=True):
        if job.lane is not None:
            lanes.setdefault((job.user_id, job.lane), []).append((job, one.flow))
    first: set[int] = set()
    for lane in lanes.values():
        lane.sort(key=lambda one: one[0].execute_at)
        head, flow = lane[0]
        first.add(id(head))
        for job, its_flow in lane[1:READY_TOGETHER]:
            alike = its_flow == flow and job.priority == head.priority
            if not alike or job.definition.policy.hours or head.definition.policy.hours:
                break
            first.add(id(job))
    return first


def _as_job(job: NewJob, row: JobRow, job_id: JobId, now: datetime) -> Job:
    """Returns the stored job. One that is not due yet has what it waits for, as every look at it shows it."""
    waits = row.due_at > now
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
        waiting_for=(not_due(job.definition.policy.hours, 0, job.execute_at, row.due_at, now),) if waits else (),
    )
