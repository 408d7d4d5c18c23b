"""Settle: a worker reports how its runs ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from duetime.engine.intake.definitions import Definitions
from duetime.engine.launching.held import HeldRuns
from duetime.engine.launching.runs import as_runs
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.settle import Settle
from duetime.engine.workers.desk import PulledRun
from duetime.model.ids import NodeId, shard_of
from duetime.model.outcome import Failure, Outcome
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.states import JobState
from duetime.store.worker_port import SettledRun, WorkerStore

REMEMBERED = 200_000
"""How many runs are remembered until they are settled. Those beyond are read when they are."""
MOST_SPARED = 30_000
"""A run with a higher number cannot be given back: the number would not fit."""
NOT_HELD = "The run is not this worker's: its time or the worker's lease had ended, or it was given back."
Key = tuple[int, int, int]
"""A worker, a job and an attempt."""


class RunOutcome(NamedTuple):
    """How a run of a worker ended."""

    job_id: int
    attempt: int
    outcome: Outcome


class WorkerRuns:
    """The runs that this node handed to workers, so that settling a success need not read them again."""

    def __init__(self) -> None:
        self._runs: dict[Key, tuple[LaunchedRun, datetime]] = {}

    def remember(self, runs: Sequence[PulledRun]) -> None:
        """Keep runs that became a worker's."""
        if len(self._runs) > REMEMBERED:
            self._runs.clear()
        for one in runs:
            run = one.run
            self._runs[run.executor, run.job_id, run.attempt] = (run, one.since)

    def pop(self, key: Key) -> tuple[LaunchedRun, datetime] | None:
        """Returns a run, and forgets it."""
        return self._runs.pop(key, None)


class WorkerSettle:
    """Settles runs in the names of workers. One that is not the worker's any more fails none of the others."""

    def __init__(
        self,
        store: WorkerStore,
        settle: Settle,
        definitions: Definitions,
        runs: WorkerRuns,
        held: HeldRuns,
        node: NodeContext,
        ended: Callable[[int], None],
    ) -> None:
        """`ended` is called with each job that was settled here."""
        self._store, self._settle, self._definitions = store, settle, definitions
        self._runs, self._held, self._ownership, self._clock, self._ended = (
            runs,
            held,
            node.ownership,
            node.clock,
            ended,
        )
        self._counts = node.counts

    async def settle(self, user_id: int, worker: int, outcomes: Sequence[RunOutcome]) -> list[str | None]:
        """Record outcomes. Returns for each why it is not recorded; None where it is."""
        found = await self._found(worker, outcomes)
        settlements = dict[tuple[int, int], Settlement]()
        now = self._clock.now()
        for one in outcomes:
            key = (one.job_id, one.attempt)
            if key in found and key not in settlements:
                run, since, cancel = found[key]
                settlements[key] = Settlement(run, _possible(one.outcome, one.attempt), since, now, cancel)
        refused = await self.record(list(settlements.values()))
        missing = {key for key in ((one.job_id, one.attempt) for one in outcomes) if key not in settlements}
        missing |= {key for key in settlements if key[0] in refused}
        done = dict[tuple[int, int], SettledRun]()
        if missing:
            jobs = sorted({job_id for job_id, _ in missing})
            done = {(one.job_id, one.attempt): one for one in await self._store.settled(NodeId(worker), user_id, jobs)}
        return [
            None
            if (key := (one.job_id, one.attempt)) not in missing or _is_repeat(one.outcome, done.get(key))
            else NOT_HELD
            for one in outcomes
        ]

    async def record(self, settlements: Sequence[Settlement]) -> set[int]:
        """Settle runs of workers. Returns the jobs of those that were not the workers' any more."""
        # The owner of another shard is told by a hint, as an executor tells it.
        owned = self._ownership.held
        self._held.take(one.run for one in settlements if not owned[shard_of(one.run.job_id)])
        refused = await self._settle.record(settlements)
        self._counts.settled_by_workers(settlements, refused)
        for one in settlements:
            self._runs.pop((one.run.executor, one.run.job_id, one.run.attempt))
            self._ended(one.run.job_id)
        return refused

    async def _found(
        self, worker: int, outcomes: Sequence[RunOutcome]
    ) -> dict[tuple[int, int], tuple[LaunchedRun, datetime, bool]]:
        """Returns the runs of these outcomes that the worker holds, since when, and whether they are to stop.

        A success needs no look at the store: its statement checks the holder.
        """
        found = dict[tuple[int, int], tuple[LaunchedRun, datetime, bool]]()
        unknown = set[int]()
        for one in outcomes:
            plain = one.outcome.state is JobState.SUCCEEDED
            known = self._runs.pop((worker, one.job_id, one.attempt)) if plain else None
            if known is None:
                unknown.add(one.job_id)
            else:
                found[one.job_id, one.attempt] = (*known, False)
        if unknown:
            held = await self._store.held(NodeId(worker), sorted(unknown))
            runs = await as_runs([one.row for one in held], NodeId(worker), self._definitions)
            for run, one in zip(runs, held, strict=True):
                found[run.job_id, run.attempt] = (run, one.since, one.cancel)
        return found


def _is_repeat(outcome: Outcome, on_record: SettledRun | None) -> bool:
    """Whether an outcome is the one on record: then an earlier call recorded it, and its answer was lost."""
    if on_record is None:
        return False
    if outcome.state is JobState.SUCCEEDED:
        return on_record.state is JobState.SUCCEEDED
    return outcome.failure is not None and outcome.failure.kind == on_record.kind


def _possible(outcome: Outcome, attempt: int) -> Outcome:
    if outcome.state is JobState.SUSPENDED and attempt >= MOST_SPARED:
        return TOO_OFTEN
    return outcome


TOO_OFTEN = Outcome(
    JobState.FAILED, Failure("given_back", f"The job was given back more than {MOST_SPARED} times."), final=True
)
