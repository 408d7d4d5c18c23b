"""Waiting jobs with what holds them back: reads what the store and the jobs' schedulers know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from msgspec.structs import replace

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.engine.asking.reasons import Surroundings, reasons
from duetime.engine.asking.unmet_labels import UnmetLabels
from duetime.engine.asking.unmet_workers import UnmetWorkers
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import StoreAway
from duetime.model.ids import shard_of
from duetime.model.job import Job
from duetime.model.lane import LaneHead
from duetime.model.states import JobState
from duetime.model.user import User
from duetime.model.waiting import Waiting
from duetime.store.port import GateStore, InsightStore
from duetime.store.workflow_port import StepWait, WorkflowStore

REMEMBERED_SECONDS = 1.0
LAUNCHING = timedelta(milliseconds=250)
"""A job that has been due for less than this is about to run, and nothing is looked up for it."""
_WAITS = (JobState.CREATED, JobState.QUEUED)


class WaitingJobs:
    """Finds what holds waiting jobs back. A listing costs a few look-ups, whatever its length."""

    def __init__(
        self,
        store: InsightStore,
        gates: GateStore,
        unmet: UnmetLabels | None,
        census: Census | None,
        user: Callable[[int], Awaitable[User | None]],
        clock: Clock,
        workers: UnmetWorkers | None = None,
        workflows: WorkflowStore | None = None,
    ) -> None:
        """Without a census, the owners of shards are not known."""
        self._workflows = workflows
        self._workers = workers
        self._store, self._gates, self._unmet, self._census = store, gates, unmet, census
        self._user, self._clock = user, clock
        self._cluster = BriefCache(self._read_cluster, clock, seconds=REMEMBERED_SECONDS)

    async def shown(self, jobs: Sequence[Job]) -> list[Job]:
        """Returns the jobs, with `waiting_for` set for those that wait. All are of one user."""
        now = self._clock.now()
        waiting = [job for job in jobs if job.state in _WAITS]
        late = [job for job in waiting if now - job.due_at >= LAUNCHING]
        found = {job.id: reasons(job, Surroundings(now)) for job in waiting if job.due_at > now}
        if late:
            try:
                found |= await self._of_late(late)
            except StoreAway:
                unknown = Waiting("not_known", "The database did not answer: what holds it back is not known here.")
                found |= {job.id: (unknown,) for job in late}
        steps = [job for job in jobs if job.state is JobState.SUSPENDED]
        if steps and self._workflows is not None:
            waits = await self._workflows.waits(steps[0].user_id, [job.id for job in steps])
            found |= {job_id: (_upstream(one),) for job_id, one in waits.items()}
        return [replace(job, waiting_for=found[job.id]) if found.get(job.id) else job for job in jobs]

    async def _of_late(self, jobs: Sequence[Job]) -> dict[int, tuple[Waiting, ...]]:
        user_id, now = jobs[0].user_id, self._clock.now()
        user = await self._user(user_id)
        requires = (user and user.requires) or {}
        lanes = {job.lane for job in jobs if job.lane is not None}
        heads: dict[str, LaneHead] = await self._store.lane_heads(user_id, sorted(lanes)) if lanes else {}
        closed = await self._gates.closed_gates(user_id)
        owners, names, draining = await self._cluster.of(0)
        found: dict[int, tuple[Waiting, ...]] = {}
        for job in jobs:
            owner = owners[shard_of(job.id)] if owners else None
            own = job.definition.policy.requires or {}
            pulled = job.definition.target.pulled()
            no_worker = None
            if pulled is not None and self._workers is not None:
                no_worker = await self._workers.of(user_id, pulled, own)
            around = Surroundings(
                now=now,
                head=None if job.lane is None else heads.get(job.lane),
                gates=[one.gate for one in closed if owner in (None, one.node)],
                owner="" if owner is None else names.get(owner),
                draining=draining,
                unmet=None if self._unmet is None or pulled is not None else await self._unmet.of(own, requires),
                no_worker=no_worker,
                user_limit=user and user.limits,
                user_requires=requires,
            )
            found[job.id] = reasons(job, around)
        return found

    async def _read_cluster(self, _: int) -> tuple[list[int], dict[int, str], tuple[str, ...]]:
        """Returns the owner of each shard, the names of the living nodes, and which of them are being drained."""
        if self._census is None:
            return [], {}, ()
        nodes = await self._census.nodes()
        draining = tuple(node.name for node in nodes if node.draining)
        return await self._census.owners(), {node.id: node.name for node in nodes}, draining


def _upstream(wait: StepWait) -> Waiting:
    """Returns what a step waits for as a reason: a signal, or steps, with the names of a few."""
    if wait.signal is not None:
        message = f"It waits for the signal '{wait.signal}' of workflow {wait.workflow_id}."
        return Waiting("signal", message, until=wait.until, workflow_id=wait.workflow_id)
    names = ", ".join(wait.refs) + (f" and {wait.number - len(wait.refs)} more" if wait.number > len(wait.refs) else "")
    which = "one of the steps" if wait.any else "the steps"
    message = f"It waits for {which} {names} of workflow {wait.workflow_id}."
    return Waiting("upstream", message, workflow_id=wait.workflow_id)
