"""Settle: the policy turns an outcome into a verdict, and exactly one verb of the store records it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import structlog
from msgspec import UNSET

from duetime.engine.batch import NaturalBatch
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.pick import Pick
from duetime.engine.intake.wake import Wake
from duetime.engine.lanes.in_memory import Lane
from duetime.engine.lanes.order import LaneOrder
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.settling.opening_hours import ClosedDates
from duetime.engine.settling.reports import EndReports
from duetime.engine.settling.verdict import Verdict, verdict
from duetime.engine.signal import Signal
from duetime.model.errors import StoreAway
from duetime.model.events import AttemptFailed, JobEnded
from duetime.model.flow import PART
from duetime.model.ids import run_id
from duetime.model.outcome import SUCCEEDED, Outcome, Result
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.store.port import Again, Ending, JobRef, SettleStore

log = structlog.get_logger()
LIMIT, SMALL_LIMIT = 1000, 100
WIDTH, DEEP, SMALL_WIDTH = 2, 3, 1
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
_encode = msgspec.json.Encoder().encode


class Settle:
    """Records outcomes in batches, and tries again while the store is away: an outcome is never dropped."""

    def __init__(
        self,
        store: SettleStore,
        ends: Ends,
        lanes: LaneOrder,
        pick: Pick,
        reports: EndReports,
        node: NodeContext,
        wake: Wake,
        batch_size: BatchSize,
        freed: Signal,
        more: Signal,
        closed_dates: ClosedDates,
        *,
        chance: Callable[[], float],
    ) -> None:
        """`freed` is raised when a slot becomes free. It and `more` are raised when outcomes are on record."""
        self._store, self._lanes, self._pick, self._clock, self._wake = store, lanes, pick, node.clock, wake
        self._ends, self._reports, self._events, self._freed, self._chance = ends, reports, node.events, freed, chance
        self._counts, self._activity, self._traces = node.counts, node.activity, node.traces
        self._more, self._closed_dates = more, closed_dates
        self._batch = NaturalBatch(
            self._flush,
            limit=lambda: SMALL_LIMIT if batch_size.small else LIMIT,
            width=lambda: SMALL_WIDTH if batch_size.small else WIDTH,
            deep=lambda: SMALL_WIDTH if batch_size.small else DEEP,
        )
        self._open = 0

    def put(self, *settlements: Settlement) -> None:
        """Settle runs that ended, in the next batch."""
        self._open += len(settlements)
        self._pick.free_slots(one.run.job_id for one in settlements if one.run.flow & PART)
        self._batch.put(*settlements)
        self._freed()

    def expire(self, run: LaunchedRun, outcome: Outcome) -> None:
        """Settle a launched run that is too late to start."""
        self.put(Settlement(run, outcome, None, self._clock.now()))

    async def record(self, settlements: Sequence[Settlement]) -> set[int]:
        """Settle these runs at once, without waiting for the batches before them. Returns the jobs not settled here."""
        if not settlements:
            return set()
        self._open += len(settlements)
        return await self._record(settlements)

    def __len__(self) -> int:
        """How many runs ended and are not settled yet."""
        return self._open

    async def drain(self) -> None:
        """Wait until every run is settled and the next jobs of their lanes are promoted."""
        await self._batch.drain()
        await self._lanes.drain()

    async def _flush(self, settlements: list[Settlement]) -> None:
        await self._record(settlements)

    async def _record(self, settlements: Sequence[Settlement]) -> set[int]:
        """Settle runs. Returns the jobs of those that are not settled, because another holder settled them."""
        try:
            refused = await self._store_all(settlements)
        except Exception:
            log.exception("could not record outcomes together, recording each by itself", outcomes=len(settlements))
            refused = set[int]()
            for one in settlements:
                refused |= await self._store_alone(one)
        self._open -= len(settlements)
        if self._traces is not None:
            self._traces.ended([one for one in settlements if one.run.job_id not in refused])
        self._freed()
        self._more()
        return refused

    async def _store_alone(self, one: Settlement) -> set[int]:
        """Record one outcome. If that fails, the run stays in flight, where people see it, until the lease ends."""
        try:
            return await self._store_all([one])
        except Exception:
            run = one.run
            identity = run_id(run.job_id, run.attempt)
            log.exception("could not record an outcome", user=run.user_id, job=run.job_id, run=identity)
            return {run.job_id}

    async def _store_all(self, settlements: Sequence[Settlement]) -> set[int]:
        endings: list[Ending] = []
        agains: list[Again] = []
        lanes: list[Lane] = []
        for one in settlements:
            run, outcome = one.run, one.outcome
            if run.lane is not None:
                lanes.append((run.user_id, run.lane))
            if run.flow & PART:
                self._reports.attempt_ended(one)
            decided = SUCCESS if outcome.state is JobState.SUCCEEDED else await self._decide(one)
            if decided.next_at is None and not decided.park:
                endings.append(_ending(one, decided))
            else:
                agains.append(_again(one, decided))
        waiting_behind, refused = await self._store_with_retries(endings, agains, settlements)
        if waiting_behind:
            await self._lanes.retrying(waiting_behind)
        self._lanes.ended(self._pick.idle_lanes(lanes))
        self._counts.attempts(settlements)
        return refused

    async def _decide(self, one: Settlement) -> Verdict:
        if one.outcome.state is JobState.SKIPPED:
            failure = one.outcome.failure
            return EXPIRED if failure is None else Verdict(JobState.SKIPPED, reason=failure.message)
        policy = one.run.definition.policy
        closed = None if policy.closed is UNSET else await self._closed_dates.of(one.run.user_id, policy)
        return verdict(
            one.outcome,
            policy,
            attempt=one.run.attempt - one.run.base_attempt,
            now=one.finished_at,
            first_due=one.run.execute_at,
            in_lane=one.run.lane is not None,
            cancelled=one.cancelled,
            chance=self._chance(),
            closed=closed,
        )

    async def _store_with_retries(
        self, endings: list[Ending], agains: list[Again], settlements: Sequence[Settlement]
    ) -> tuple[list[JobRef], set[int]]:
        """Store until the store answers.

        Returns the jobs that waited in lanes behind those that are tried again, and the jobs whose end was refused.
        """
        pause, lost, refused = FIRST_PAUSE, False, set[int]()
        waiting_behind: list[JobRef] = []
        while True:
            try:
                if agains:
                    cancelled, waiting_behind = await self._retry(agains)
                    endings, agains = endings + cancelled, []
                if endings:
                    refused = await self._ends.by_outcome(endings, settlements)
                break
            except StoreAway:
                lost = lost or bool(agains)
                log.warning("cannot record outcomes while the database is away", outcomes=len(endings) + len(agains))
                await self._clock.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        if lost:
            self._wake.lost()
        return waiting_behind, refused

    async def _retry(self, agains: list[Again]) -> tuple[list[Ending], list[JobRef]]:
        """Store retries and parked jobs.

        Returns endings for the jobs that have a request to cancel, and the jobs that waited in lanes behind the others.
        """
        refs = await self._store.retry(agains)
        stored = {ref.id for ref in refs}
        parked = {again.job_id for again in agains if again.park}
        waiting_behind = self._pick.release_blocking(stored)
        self._reports.recorded(stored, final=False)
        self._wake.stored([ref for ref in refs if ref.id not in parked and ref.due_at <= self._wake.horizon])
        self._counts.retries += len(stored) - len(parked & stored)
        self._activity.again(ref.user_id for ref in refs if ref.id not in parked)
        if parked or self._events.wanted(AttemptFailed):
            self._publish([one for one in agains if one.job_id in stored], refs)
        return [one.stopped() for one in agains if one.job_id not in stored], waiting_behind

    def _publish(self, agains: Sequence[Again], refs: Sequence[JobRef]) -> None:
        """Publish failed attempts, and the ends of jobs that are dead and block their lanes."""
        jobs = {ref.id: ref for ref in refs}
        failed = [
            AttemptFailed(
                one.job_id, jobs[one.job_id].user_id, one.attempt, one.started_at, one.finished_at, one.next_at
            )
            for one in agains
            if not one.park
        ]
        blocking = [
            JobEnded(
                one.job_id,
                jobs[one.job_id].user_id,
                one.state,
                one.attempt,
                one.started_at,
                one.finished_at,
                schedule_id=jobs[one.job_id].schedule_id,
                lane=jobs[one.job_id].lane,
                blocks_lane=True,
            )
            for one in agains
            if one.park
        ]
        self._events.publish(AttemptFailed, failed)
        self._ends.parked(blocking)


SUCCESS = Verdict(JobState.SUCCEEDED)
EXPIRED = Verdict(JobState.SKIPPED, reason="expired: expires_at passed before it could start")


def _result(outcome: Outcome) -> str | None:
    if outcome.failure is None and outcome.answer is None:
        return None
    return _encode(Result(outcome.failure, outcome.answer)).decode()


def _ending(one: Settlement, decided: Verdict) -> Ending:
    run, outcome, started_at, finished_at, _ = one
    result = None if outcome is SUCCEEDED else _result(outcome)
    return Ending(run.job_id, run.executor, run.attempt, decided.state, started_at, finished_at, decided.reason, result)


def _again(one: Settlement, decided: Verdict) -> Again:
    run = one.run
    return Again(
        run.job_id,
        run.executor,
        run.attempt,
        JobState.DEAD if decided.park else JobState.SUSPENDED if decided.spared else JobState.FAILED,
        one.started_at,
        one.finished_at,
        _result(one.outcome),
        decided.next_at or one.finished_at,
        decided.park,
        decided.spared,
    )
