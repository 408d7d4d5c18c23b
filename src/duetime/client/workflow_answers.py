"""The server's answers about workflows. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct


class Workflow(Struct, frozen=True):
    """A workflow without its steps."""

    id: int
    name: str
    status: str
    step_count: int
    open: int
    failed: int
    cancelled: int
    created_at: datetime
    finished_at: datetime | None
    deadline_at: datetime | None
    on_deadline: str


class StepDependency(Struct, frozen=True):
    """A step that another one waits for, and which end of it counts."""

    ref: str
    on: str = "success"


class WorkflowStep(Struct, frozen=True):
    """A step of a workflow."""

    ref: str
    job_id: int
    status: str
    depends_on: list[StepDependency]
    join: str
    attempts: int
    due_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    reason: str | None
    wait_for: dict[str, Any] | None = None


class WorkflowOutline(Workflow, frozen=True, kw_only=True):
    """A workflow with its steps. `created` is false where a repeated call found it."""

    steps: list[WorkflowStep]
    created: bool | None = None


class SignalSent(Struct, frozen=True):
    """A signal that was sent, and the jobs of the steps that it started. Not `sent`: its key was used before."""

    name: str
    sent: bool
    released: list[int]
