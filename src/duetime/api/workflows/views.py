"""What clients see of workflows."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

from duetime.api.workflows.bodies import DependencyBody, WaitForBody
from duetime.model.states import JobState
from duetime.model.workflow import Join, OnDeadline, Outline, Workflow, WorkflowState, WorkflowStep


class WorkflowView(Struct, frozen=True):
    """A workflow."""

    id: int
    name: str
    status: Annotated[
        WorkflowState,
        Meta(
            description="`running` until the last step has ended; then `failed` if a step failed, else `cancelled` if "
            "one was cancelled, else `succeeded`."
        ),
    ]
    step_count: int
    open: Annotated[int, Meta(description="Steps that have not ended.")]
    failed: Annotated[int, Meta(description="Steps that are dead, lost or expired.")]
    cancelled: Annotated[int, Meta(description="Steps that were cancelled.")]
    created_at: datetime
    finished_at: datetime | None
    deadline_at: datetime | None
    on_deadline: OnDeadline


class StepView(Struct, frozen=True):
    """A step of a workflow."""

    ref: str
    job_id: int
    status: Annotated[JobState, Meta(description="`suspended` while it waits for other steps.")]
    depends_on: list[DependencyBody]
    join: Join
    attempts: int
    due_at: Annotated[datetime, Meta(description="When it is or was due; null while it waits.")] | None
    started_at: datetime | None
    finished_at: datetime | None
    reason: Annotated[str, Meta(description="Why it ended as it did; `upstream: …` if earlier steps decided.")] | None
    wait_for: Annotated[WaitForBody, Meta(description="The signal that it waits for.")] | None


class OutlineView(WorkflowView, frozen=True):
    """A workflow with its steps."""

    steps: Annotated[list[StepView], Meta(description="In the order in which they were given.")]


class CreatedWorkflowView(OutlineView, frozen=True):
    """The workflow of a call that creates one, and whether the call did."""

    created: Annotated[
        bool, Meta(description="False when the idempotency key had a workflow before: this is that workflow.")
    ]


class SignalView(Struct, frozen=True):
    """A signal that was sent."""

    name: str
    sent: Annotated[bool, Meta(description="False when the key was used before: then nothing happened.")]
    released: Annotated[list[int], Meta(description="The jobs of the steps that start now.")]


def workflow_view(one: Workflow) -> WorkflowView:
    """A workflow as shown."""
    return WorkflowView(*_fields(one))


def outline_view(one: Outline) -> OutlineView:
    """A workflow with its steps as shown."""
    return OutlineView(*_fields(one.workflow), steps=[_step_view(step) for step in one.steps])


def created_view(one: Outline, *, created: bool) -> CreatedWorkflowView:
    """A workflow as the call that creates it shows it."""
    steps = [_step_view(step) for step in one.steps]
    return CreatedWorkflowView(*_fields(one.workflow), steps=steps, created=created)


def _fields(one: Workflow) -> tuple[Any, ...]:
    return (
        one.id,
        one.name,
        one.state,
        one.steps,
        one.open,
        one.failed,
        one.cancelled,
        one.created_at,
        one.finished_at,
        one.deadline_at,
        one.on_deadline,
    )


def _step_view(one: WorkflowStep) -> StepView:
    wait = one.wait_for
    return StepView(
        one.ref,
        one.job_id,
        one.state,
        [DependencyBody(parent.ref, parent.on) for parent in one.depends_on],
        one.join,
        one.attempts,
        one.due_at,
        one.started_at,
        one.finished_at,
        one.reason,
        None if wait is None else WaitForBody(wait.signal, wait.timeout, wait.on_timeout),
    )
