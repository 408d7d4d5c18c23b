"""The contract of the store for workflows. What every port promises (`duetime.store.port`) holds here as well."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.events import JobEnded
from duetime.model.ids import NodeId, UserId
from duetime.model.workflow import NewWorkflow, Outline, Workflow, WorkflowState
from duetime.store.port import Ending, JobRef, JobRow, KeyHolder, Stored, Withdrawn


class StoredWorkflow(NamedTuple):
    """A stored workflow and its jobs in order; or the workflow that already has its idempotency key, and no jobs."""

    id: int
    jobs: list[Stored]
    holder: KeyHolder | None = None


class SettledSteps(NamedTuple):
    """What ends of steps led to: the runs that this call settled, the steps it released, and the steps it skipped."""

    settled: set[int]
    released: list[JobRef]
    skipped: list[JobEnded]


class Input(NamedTuple):
    """What one parent hands to a step: its result as on record, if it succeeded and all results fit."""

    job_id: int
    pass_inputs: bool
    ref: str
    succeeded: bool
    bytes: int | None
    """Of the results of all parents."""
    result: str | None


class Overdue(NamedTuple):
    """A workflow whose deadline has passed, and the state that it is to end in."""

    id: int
    user_id: UserId
    state: WorkflowState


class StoppedWorkflow(NamedTuple):
    """What ending a workflow did: the ends of its steps that waited, and the executors of those that run."""

    ended: list[JobEnded]
    asked: dict[int, NodeId]


class StepWait(NamedTuple):
    """What a waiting step waits for: some of the steps whose ends are not decided, and how many these are."""

    workflow_id: int
    any: bool
    refs: tuple[str, ...]
    number: int
    signal: str | None = None
    """The signal that alone is missing."""
    until: datetime | None = None
    """When the wait for it ends."""


class SignalSent(NamedTuple):
    """What a signal led to: the steps that it released. `repeated`: its key was used before, and nothing happened."""

    released: list[JobRef]
    repeated: bool = False


class TimedOut(NamedTuple):
    """A step whose signal did not come in time, and whether it runs without it."""

    job_id: int
    user_id: UserId
    workflow_id: int
    signal: str
    runs: bool


class WorkflowStore(Protocol):
    """Stores workflows, and ends their steps. All of a workflow is in one shard.

    The transaction that ends a step, by whichever verb of whichever port, also releases and skips the steps that its
    end decides about, as `duetime.model.graph` says. `DeadStore.redrive` opens the steps again that were skipped
    because of a job that it redrives.
    """

    async def create(self, workflow: NewWorkflow, rows: Sequence[JobRow], now: datetime) -> StoredWorkflow:
        """Store a workflow and the jobs of its steps, all or nothing, in the shard of the first row.

        With an idempotency key that belongs to a workflow already, nothing is stored. So a repeat stores nothing.
        """
        ...

    async def finish(self, endings: Sequence[Ending]) -> SettledSteps:
        """As `SettleStore.finish`, for runs of steps: each run is settled with what follows in its workflow, or not."""
        ...

    async def inputs(self, job_ids: Sequence[int], most: int) -> list[Input]:
        """Returns what the parents of steps hand to them, in the order of the edges.

        A step whose results have more than `most` bytes together gets no result.
        """
        ...

    async def list(
        self, user_id: int, before_id: int | None, limit: int, state: WorkflowState | None, name: str | None
    ) -> list[Workflow]:
        """Returns workflows, newest first."""
        ...

    async def show(self, user_id: int, workflow_id: int) -> Outline | None:
        """Returns a workflow with its steps. None: it does not exist, or belongs to another user."""
        ...

    async def stop(
        self, user_id: int, workflow_id: int, state: WorkflowState, reason: str, now: datetime, actor: int | None
    ) -> StoppedWorkflow | None:
        """End a running workflow in a state: cancel the steps that are not in flight, and request it of the others.

        After it, no step of the workflow starts. Returns None when the workflow has ended or does not exist. A repeat
        requests the same of the steps that still run, and the state of the first call stays. The change is audited.
        """
        ...

    async def overdue(self, held: Sequence[bool], now: datetime, limit: int) -> list[Overdue]:
        """Returns running workflows of the held shards whose deadline has passed, except those that were stopped."""
        ...

    async def signal(
        self, user_id: int, workflow_id: int, name: str, key: str, payload: str, now: datetime, actor: int
    ) -> SignalSent | None:
        """Keep a signal for a workflow, and release the steps that only it is missing for.

        Returns None when the workflow has ended or does not exist. A repeat with the same name and key does nothing.
        The signal is kept for steps that wait for it later. Sending one is audited.
        """
        ...

    async def timed_out(self, held: Sequence[bool], now: datetime, limit: int) -> list[TimedOut]:
        """Returns steps of the held shards whose signal did not come in time."""
        ...

    async def time_out(self, step: TimedOut, reason: str, now: datetime) -> Withdrawn:
        """End such a step as dead, or release it. Nothing happens if it waits no more: so a repeat does nothing."""
        ...

    async def waits(self, user_id: int, job_ids: Sequence[int]) -> dict[int, StepWait]:
        """Returns for those of the jobs that are waiting steps what they wait for."""
        ...

    async def drop(self, before: datetime, limit: int) -> int:
        """Delete workflows that ended before an instant. Returns how many."""
        ...
