"""A workflow: jobs of one user, its steps, that wait for each other. Plain data, stored as a whole."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from msgspec import Struct

from duetime.model.ids import JobId, UserId
from duetime.model.job import NewJob
from duetime.model.states import JobState

On = Literal["success", "failure", "done"]
Join = Literal["all", "any"]
OnDeadline = Literal["cancel", "fail"]
OnTimeout = Literal["fail", "run"]

MAX_STEPS: Final = 10_000
MAX_EDGES: Final = 50_000
"""How many dependencies the steps of one workflow may have together."""
MAX_INPUTS: Final = 262_144
"""How many bytes of results the parents of one step may hand to it together."""


class WorkflowState(StrEnum):
    """The states of a workflow. It is running until its last step has ended."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Dependency(Struct, frozen=True):
    """A step that another one waits for, and which ends of it count."""

    ref: str
    on: On = "success"


class WaitFor(Struct, frozen=True):
    """A signal that a step waits for, once its edges are met."""

    signal: str
    timeout: float | None = None
    """Seconds from then on; None: for ever."""
    on_timeout: OnTimeout = "fail"
    """Whether the step is dead then, or runs without the signal."""


class NewStep(Struct, frozen=True):
    """A step that is to be stored."""

    ref: str
    job: NewJob
    depends_on: tuple[Dependency, ...] = ()
    join: Join = "all"
    delay: float = 0.0
    """Seconds from its release until it is due."""
    pass_inputs: bool = True
    """Whether a target that knows nothing of workflows gets the results of the step's parents with its message."""
    wait_for: WaitFor | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for anything but its instant."""
        return bool(self.depends_on) or self.wait_for is not None


class NewWorkflow(Struct, frozen=True):
    """A submitted workflow, checked, before it has an id."""

    user_id: UserId
    name: str
    steps: tuple[NewStep, ...]
    deadline_at: datetime | None = None
    on_deadline: OnDeadline = "cancel"
    idempotency_key: str | None = None
    fingerprint: bytes | None = None


class Workflow(Struct, frozen=True):
    """A workflow as the store holds it."""

    id: int
    user_id: UserId
    name: str
    state: WorkflowState
    steps: int
    open: int
    """Steps that have not ended."""
    failed: int
    cancelled: int
    created_at: datetime
    finished_at: datetime | None = None
    deadline_at: datetime | None = None
    on_deadline: OnDeadline = "cancel"


class WorkflowStep(Struct, frozen=True):
    """A step as people see it. A step that waits for others is `suspended`."""

    ref: str
    job_id: JobId
    state: JobState
    join: Join
    depends_on: tuple[Dependency, ...]
    attempts: int = 0
    due_at: datetime | None = None
    """When it is or was due; None while it waits for other steps."""
    started_at: datetime | None = None
    finished_at: datetime | None = None
    reason: str | None = None
    wait_for: WaitFor | None = None


class Outline(Struct, frozen=True):
    """A workflow with all its steps, in the order in which they were given."""

    workflow: Workflow
    steps: tuple[WorkflowStep, ...]
