"""Leave: a worker hands everything back and ends its lease."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.runs import as_runs
from duetime.engine.settling.rescue import CRASHED
from duetime.engine.workers.desk import Desk
from duetime.engine.workers.registry import Registry
from duetime.engine.workers.settling import WorkerSettle
from duetime.model.ids import NodeId
from duetime.model.outcome import Failure, Outcome
from duetime.model.run import Settlement
from duetime.model.states import JobState
from duetime.store.worker_port import WorkerStore

GIVEN_BACK = Outcome(JobState.SUSPENDED, Failure("released", "The worker left."))


class Leaving:
    """Settles what a leaving worker has: at-least-once jobs are due again at once, at-most-once jobs are lost."""

    def __init__(
        self,
        store: WorkerStore,
        registry: Registry,
        settle: WorkerSettle,
        definitions: Definitions,
        desk: Desk,
        clock: Clock,
    ) -> None:
        self._store, self._registry, self._settle = store, registry, settle
        self._definitions, self._desk, self._clock = definitions, desk, clock

    async def leave(self, user_id: int, worker_id: int) -> int:
        """Hand back the runs of a worker, and end its lease. Returns how many runs."""
        await self._registry.living(user_id, worker_id)
        waiting = self._desk.current(worker_id)
        if waiting is not None and self._desk.remove(waiting):
            waiting.give([])
        worker, now = NodeId(worker_id), self._clock.now()
        held = await self._store.held(worker)
        runs = await as_runs([one.row for one in held], worker, self._definitions)
        outcomes = [CRASHED if run.definition.policy.delivery == "at_most_once" else GIVEN_BACK for run in runs]
        await self._settle.record(
            [
                Settlement(run, outcome, one.since, now, one.cancel)
                for run, outcome, one in zip(runs, outcomes, held, strict=True)
            ]
        )
        await self._store.leave(worker)
        self._desk.forget(worker_id)
        return len(runs)
