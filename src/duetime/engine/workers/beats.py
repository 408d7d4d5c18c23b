"""Beat: a worker renews its lease, reports its runs, and learns which of them are to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from duetime.clock.port import Clock
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs
from duetime.engine.settling.ends import Ends
from duetime.engine.workers.registry import Registry, not_living
from duetime.engine.workers.settling import WorkerSettle
from duetime.model.definition import Definition
from duetime.model.ids import NodeId
from duetime.model.outcome import Outcome, failed
from duetime.model.run import Settlement
from duetime.store.worker_port import BeatRun, WorkerStore
from duetime.store.worker_port import Note as RunNote

UNHEARD_OF = timedelta(seconds=60)
"""A run that its worker does not list for so long was never received: longer than any answer can take."""
SLACK = timedelta(seconds=1)
"""How much longer than its time a run may take before the server ends it: the worker should end it first."""


class BeatAnswer(NamedTuple):
    """Runs (job, attempt) that are to stop, runs that are not the worker's any more, and whether it is drained."""

    cancel: list[tuple[int, int]]
    stale: list[tuple[int, int]]
    draining: bool


class Beats:
    """Answers beats. The lease is renewed by one write, whatever the number of runs."""

    def __init__(
        self,
        store: WorkerStore,
        registry: Registry,
        settle: WorkerSettle,
        ends: Ends,
        definitions: Definitions,
        clock: Clock,
    ) -> None:
        self._store, self._registry, self._settle, self._ends = store, registry, settle, ends
        self._definitions, self._clock = definitions, clock
        self._owners: dict[int, int] = {}
        """The users of workers. A worker's user never changes."""

    async def beat(self, user_id: int, worker_id: int, free: int | None, notes: Sequence[RunNote]) -> BeatAnswer:
        """Renew a worker's lease. `notes` has every run that the worker has."""
        await self._check(user_id, worker_id)
        worker, now = NodeId(worker_id), self._clock.now()
        reported = [one for one in notes if one.progress is not None or one.checkpoint is not None]
        beaten = await self._store.beat(worker, self._registry.lease, free, reported, now)
        if beaten is None:
            raise not_living()
        listed = {(one.job_id, one.attempt) for one in notes}
        fresh = {(one.job_id, one.attempt) for one in reported}
        runs = {(one.job_id, one.attempt): one for one in beaten.runs}
        definitions = await self._definitions.by_ids({one.definition_id for one in beaten.runs if one.definition_id})
        over = {key: why for key, one in runs.items() if (why := _too_long(one, definitions, now, key in fresh))}
        if over:
            await self._end(worker, over)
        unheard = [key for key, one in runs.items() if key not in listed and one.since < now - UNHEARD_OF]
        if unheard:
            await self._ends.by_taking_back(worker, [job_id for job_id, _ in unheard], now - UNHEARD_OF)
        stale = [key for key in listed if key not in runs or key in over]
        cancel = [key for key, one in runs.items() if one.cancel and key in listed and key not in over]
        return BeatAnswer(cancel, stale, beaten.draining)

    async def _check(self, user_id: int, worker_id: int) -> None:
        owner = self._owners.get(worker_id)
        if owner is None:
            owner = (await self._registry.living(user_id, worker_id)).worker.user_id
            if len(self._owners) > 100_000:
                self._owners.clear()
            self._owners[worker_id] = owner
        if owner != user_id:
            raise not_living()

    async def _end(self, worker: NodeId, late: Mapping[tuple[int, int], Outcome]) -> None:
        """Settle runs of a living worker that took too long."""
        held = await self._store.held(worker, [job_id for job_id, _ in late])
        runs = await as_runs([one.row for one in held], worker, self._definitions)
        now = self._clock.now()
        await self._settle.record(
            [
                Settlement(run, late[run.job_id, run.attempt], one.since, now, one.cancel)
                for run, one in zip(runs, held, strict=True)
                if (run.job_id, run.attempt) in late
            ]
        )


def _too_long(run: BeatRun, definitions: Mapping[int, Definition], now: datetime, reported: bool) -> Outcome | None:
    """Returns the failure of a run that took longer than its time-out, or made no progress for too long."""
    if run.definition_id is None:
        return None
    definition = definitions[run.definition_id]
    limit = timedelta(seconds=definition.policy.timeout)
    if now - run.since > limit + SLACK:
        return failed("timeout", f"The attempt took longer than its time-out of {limit.total_seconds():g} s.")
    stall = definition.target.stalls_after()
    if stall is not None and not reported and now - (run.noted_at or run.since) > timedelta(seconds=stall):
        return failed("stalled", f"The attempt made no progress for {stall:g} s.")
    return None
