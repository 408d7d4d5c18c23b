"""Control: cancels, changes and hurries jobs. After the answer, no run starts with the job's former content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import UNSET

from duetime.bus.port import Ended, ExecutorEnd
from duetime.engine.asking.insight import Insight
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.wake import Wake
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.settling.opening_hours import ClosedDates, next_open
from duetime.model.errors import Conflict
from duetime.model.job import Job, JobEdit, JobFilter
from duetime.model.states import FINAL, JobState
from duetime.store.port import ColumnChange, ControlStore, DueStore

TRIES = 3
"""A job can be launched or settled between two statements. Each try starts again with the job's new state."""


class Cancelling(NamedTuple):
    """The ids of the jobs that a call cancelled, and of those that run and were asked to stop."""

    cancelled: list[int]
    asked: list[int]


class Control:
    """Carries out what people request for jobs."""

    def __init__(
        self,
        store: ControlStore,
        ends: Ends,
        lanes: DueStore,
        insight: Insight,
        definitions: Definitions,
        node: NodeContext,
        wake: Wake,
        bus: ExecutorEnd,
        stop_run: Callable[[int], bool],
        closed_dates: ClosedDates,
    ) -> None:
        self._store, self._lanes, self._insight, self._definitions = store, lanes, insight, definitions
        self._ownership, self._hints, self._wake, self._clock = node.ownership, node.hints, wake, node.clock
        self._ends, self._bus, self._stop_run, self._closed_dates = ends, bus, stop_run, closed_dates
        node.hints.listen("cancel", self._heard_cancel)

    async def cancel(self, user_id: int, job_id: int, actor: int) -> Job:
        """Cancel a job. A job that runs is asked to stop."""
        for _ in range(TRIES):
            now = self._clock.now()
            if await self._ends.by_order(user_id, job_id, JobState.CANCELLED, "cancelled", now, actor):
                return await self._insight.job(user_id, job_id)
            executor = await self._store.request_cancel(user_id, job_id, now, actor)
            if executor is not None:
                if executor != self._ownership.node or not self._stop_run(job_id):
                    self._hints.send("cancel", str(job_id))
                return await self._insight.job(user_id, job_id)
            job = await self._insight.job(user_id, job_id)
            if job.state in FINAL:
                raise Conflict(f"Job {job_id} has ended as {job.state}: it can no longer be cancelled.")
        raise Conflict(f"Job {job_id} is being changed by another call: try again.")

    async def replace(self, user_id: int, job_id: int, actor: int) -> bool:
        """End a job that waits, because another one takes its place. A job that runs or has ended is left alone."""
        ended = await self._ends.by_order(
            user_id, job_id, JobState.CANCELLED, "replaced by another job", self._clock.now(), actor
        )
        return ended is not None

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], actor: int) -> Cancelling:
        """Cancel jobs in one transaction. Those that run are asked to stop, those that have ended are left alone."""
        done, left = Cancelling([], []), list(job_ids)
        for _ in range(TRIES):
            ended, asked, _ = await self._ends.by_orders(user_id, left, self._clock.now(), actor)
            done.cancelled.extend(one.job_id for one in ended if one.state is JobState.CANCELLED)
            done.asked.extend(asked)
            for job_id, executor in asked.items():
                if executor != self._ownership.node or not self._stop_run(job_id):
                    self._hints.send("cancel", str(job_id))
            # A job that was being launched is in neither list. It is in flight now, or waits again.
            left = list({*left}.difference(done.cancelled, done.asked))
            if left:
                left = await self._insight.cancellable(user_id, JobFilter(ids=tuple(left), limit=len(left)))
            if not left:
                break
        return done

    async def edit(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Change a job that has not started."""
        definition_id = flow = None
        if edit.definition is not None:
            now = self._clock.now()
            (known,) = await self._definitions.intern([(user_id, edit.definition)], now.date())
            definition_id, flow = known.id, known.flow
        change = ColumnChange(
            action="job.edited",
            execute_at=edit.execute_at,
            due_at=await self._due(user_id, job_id, edit),
            message=edit.message,
            definition_id=definition_id,
            flow=flow,
            priority=edit.priority,
            expires_at=edit.expires_at,
        )
        return await self._change(user_id, job_id, change, actor)

    async def _due(self, user_id: int, job_id: int, edit: JobEdit) -> datetime | None:
        """Returns the due instant of an edited job, within its new hours. None: the nominal instant decides.

        A job whose calendar never opens again is due at its instant, because a person decides about it.
        """
        if edit.execute_at is None and edit.definition is None:
            return None
        job = await self._insight.job(user_id, job_id)
        before, after = job.definition.policy, (edit.definition or job.definition).policy
        at = edit.execute_at or (job.due_at if job.attempts else job.execute_at)
        if after.hours is not None or after.closed is not UNSET:
            return next_open(after, at, await self._closed_dates.of(user_id, after)) or at
        return None if before.hours is None and before.closed is UNSET else at

    async def run_now(self, user_id: int, job_id: int, actor: int) -> Job:
        """Make a job due now, whatever its nominal instant and its hours. Its position in its lane stays."""
        job = await self._insight.job(user_id, job_id)
        if job.state is JobState.SUSPENDED:
            raise Conflict(f"Job {job_id} is suspended: it is due when the steps that it waits for have ended.")
        return await self._change(user_id, job_id, ColumnChange("job.run_now", due_at=self._clock.now()), actor)

    async def _change(self, user_id: int, job_id: int, change: ColumnChange, actor: int) -> Job:
        edited = await self._store.edit(user_id, job_id, change, self._clock.now(), actor)
        job = await self._insight.job(user_id, job_id)
        if edited is None:
            raise Conflict(f"Job {job_id} is {job.state}: only a job that has not started can be changed.")
        self._bus.report([Ended(job_id)])
        ref, ready = edited
        if ready:
            self._wake.stored([ref])
        if ref.lane is not None:
            self._wake.stored(await self._lanes.promote([(user_id, ref.lane)]))
        return job

    def _heard_cancel(self, text: str) -> None:
        for job_id in text.split(","):
            if job_id.isdigit():
                self._stop_run(int(job_id))
