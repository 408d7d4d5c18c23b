"""Workflows for people: accepted as a whole, listed, shown, cancelled, and ended when their deadline has passed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from duetime.engine.intake.quota import Quota
from duetime.engine.intake.submit import Submit
from duetime.engine.intake.wake import Wake
from duetime.engine.node.context import NodeContext
from duetime.engine.settling.ends import Ends
from duetime.engine.slices import RequestSlices
from duetime.model.errors import Conflict, Invalid, NotFound
from duetime.model.graph import graph_checks
from duetime.model.ids import JobId, shard_of_key
from duetime.model.job import NewJob
from duetime.model.states import JobState
from duetime.model.workflow import NewStep, NewWorkflow, Outline, Workflow, WorkflowState, WorkflowStep
from duetime.store.port import JobRow, KeyHolder, Stored
from duetime.store.workflow_port import StoredWorkflow, WorkflowStore

DEADLINES_AT_ONCE = 100
BY_PERSON, BY_DEADLINE = "the workflow was cancelled", "the deadline of the workflow has passed"


class CreatedWorkflow(NamedTuple):
    """An accepted workflow. `repeated`: the idempotency key belongs to an earlier call, and this is its workflow."""

    outline: Outline
    repeated: bool = False


class SentSignal(NamedTuple):
    """A signal that was sent: the jobs of the steps that it released. `repeated`: its key was used before."""

    released: list[int]
    repeated: bool


class _Repeated(Exception):
    def __init__(self, holder: KeyHolder) -> None:
        self.holder = holder


class Workflows:
    """Accepts workflows through `Submit`, as all jobs are, and carries out what people request for them."""

    def __init__(
        self,
        store: WorkflowStore,
        submit: Submit,
        ends: Ends,
        quota: Quota,
        node: NodeContext,
        wake: Wake,
        stop_run: Callable[[int], bool],
    ) -> None:
        self._wake = wake
        self._store, self._submit, self._ends, self._quota, self._stop_run = store, submit, ends, quota, stop_run
        self._ownership, self._hints, self._clock = node.ownership, node.hints, node.clock

    async def create(self, workflow: NewWorkflow) -> CreatedWorkflow:
        """Accept a workflow: all of it is stored, or nothing."""
        await RequestSlices(self._clock).finish(workflow_checks(workflow))
        shard = key_shard(workflow, await self._quota.read_pins(workflow.user_id))
        made: list[Outline] = []

        async def write(rows: Sequence[JobRow], now: datetime) -> list[Stored]:
            at = rows[0].shard if shard is None else shard
            steps = zip(rows, workflow.steps, strict=True)
            placed = [row._replace(shard=at, ready=not step.waits) for row, step in steps]
            stored = await self._store.create(workflow, placed, now)
            if stored.holder is not None:
                raise _Repeated(stored.holder)
            made.append(_outline(workflow, stored, placed, now))
            return stored.jobs

        try:
            await self._submit.through([_as_step(step) for step in workflow.steps], write)
        except _Repeated as repeated:
            holder = repeated.holder
            if holder.fingerprint != workflow.fingerprint:
                raise Conflict("This idempotency key was used for something else: use a new key.") from None
            return CreatedWorkflow(await self.show(workflow.user_id, holder.job_id), repeated=True)
        return CreatedWorkflow(made[0])

    async def list(
        self, user_id: int, before_id: int | None, limit: int, state: WorkflowState | None, name: str | None
    ) -> list[Workflow]:
        """Returns workflows, newest first."""
        return await self._store.list(user_id, before_id, limit, state, name)

    async def show(self, user_id: int, workflow_id: int) -> Outline:
        """Returns a workflow with its steps."""
        found = await self._store.show(user_id, workflow_id)
        if found is None:
            raise NotFound(f"There is no workflow {workflow_id}.")
        return found

    async def cancel(self, user_id: int, workflow_id: int, actor: int) -> Outline:
        """Cancel a workflow: its steps that wait end as cancelled, and those that run are asked to stop."""
        if not await self._stop(user_id, workflow_id, WorkflowState.CANCELLED, BY_PERSON, actor):
            found = await self.show(user_id, workflow_id)
            state = found.workflow.state
            raise Conflict(f"Workflow {workflow_id} has ended as {state}: it can no longer be cancelled.")
        return await self.show(user_id, workflow_id)

    async def signal(self, user_id: int, workflow_id: int, name: str, key: str, payload: str, actor: int) -> SentSignal:
        """Send a signal to a workflow. It is kept until the workflow ends, also for steps that wait for it later."""
        sent = await self._store.signal(user_id, workflow_id, name, key, payload, self._clock.now(), actor)
        if sent is None:
            state = (await self.show(user_id, workflow_id)).workflow.state
            raise Conflict(f"Workflow {workflow_id} has ended as {state}: it takes no signals.")
        self._wake.stored(sent.released)
        return SentSignal([one.id for one in sent.released], sent.repeated)

    async def run_once(self) -> int:
        """End what is overdue in this node's shards: workflows past their deadline, and waits for signals.

        Returns how many of both.
        """
        held = self._ownership.held
        overdue = await self._store.overdue(held, self._clock.now(), DEADLINES_AT_ONCE)
        for one in overdue:
            await self._stop(one.user_id, one.id, one.state, BY_DEADLINE, None)
        late = await self._store.timed_out(held, self._clock.now(), DEADLINES_AT_ONCE)
        for step in late:
            reason = f"the signal '{step.signal}' did not come in time"
            done = await self._store.time_out(step, reason, self._clock.now())
            self._ends.by_workflow(done.ended)
            self._wake.stored(done.released)
        return len(overdue) + len(late)

    async def _stop(self, user_id: int, workflow_id: int, state: WorkflowState, reason: str, actor: int | None) -> bool:
        stopped = await self._store.stop(user_id, workflow_id, state, reason, self._clock.now(), actor)
        if stopped is None:
            return False
        self._ends.by_workflow(stopped.ended)
        for job_id, executor in stopped.asked.items():
            if executor != self._ownership.node or not self._stop_run(job_id):
                self._hints.send("cancel", str(job_id))
        return True


def workflow_checks(workflow: NewWorkflow) -> Generator[None, None, None]:
    """Raise `Invalid`, with the field, if a workflow cannot be stored in one shard, or its graph is not allowed.

    In slices, as `graph_checks`.
    """
    yield from graph_checks(workflow.steps)
    for at, step in enumerate(workflow.steps):
        policy, where = step.job.definition.policy, f"steps[{at}]"
        if step.job.lane is not None:
            raise Invalid(
                "A step cannot have an 'ordering_key': its lane would live in another shard than its workflow. "
                "Let steps wait for each other with 'depends_on'.",
                field=f"{where}.ordering_key",
            )
        if policy.limit is not None:
            raise Invalid(
                "A step cannot have a 'limit': its jobs would have to live in one shard with all others under the "
                "limit. Limit the user, or the slots of the workers of its queue.",
                field=f"{where}.limit",
            )
        if policy.hours is not None:
            raise Invalid(
                "A step cannot have 'hours': the steps before it decide when it starts.", field=f"{where}.hours"
            )


def key_shard(workflow: NewWorkflow, pins: Sequence[int] | None) -> int | None:
    """Returns the shard of a workflow with an idempotency key, the same for every call; None without a key."""
    if workflow.idempotency_key is None:
        return None
    shard = shard_of_key(workflow.user_id, workflow.idempotency_key)
    return shard if not pins else pins[shard % len(pins)]


def _outline(workflow: NewWorkflow, stored: StoredWorkflow, rows: Sequence[JobRow], now: datetime) -> Outline:
    """Returns a workflow as it has just been stored."""
    steps = tuple(
        WorkflowStep(
            step.ref,
            JobId(job.job_id),
            JobState.CREATED if job.ready else JobState.SUSPENDED,
            step.join,
            step.depends_on,
            due_at=row.due_at if job.ready else None,
            wait_for=step.wait_for,
        )
        for step, job, row in zip(workflow.steps, stored.jobs, rows, strict=True)
    )
    number = len(steps)
    shown = Workflow(
        stored.id,
        workflow.user_id,
        workflow.name,
        WorkflowState.RUNNING,
        number,
        number,
        0,
        0,
        now,
        None,
        workflow.deadline_at,
        workflow.on_deadline,
    )
    return Outline(shown, steps)


def _as_step(step: NewStep) -> NewJob:
    return structs.replace(step.job, definition=structs.replace(step.job.definition, step=True))
