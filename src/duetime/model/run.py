"""A run: one attempt of one job."""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from msgspec import Struct

from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import Failure, Outcome
from duetime.model.states import JobState
from duetime.model.targets import Answer

MAX_LOG_BYTES: Final = 262_144
"""How much of an attempt's log is kept."""


class LaunchedRun(Struct, frozen=True, gc=False):
    """A committed launch, with everything that an executor needs to carry it out."""

    job_id: JobId
    user_id: UserId
    attempt: int
    definition_id: DefinitionId
    definition: Definition
    message: str
    execute_at: datetime
    """The nominal instant: what the client asked for. Retries do not change it."""
    due_at: datetime
    executor: NodeId
    """The holder of the run: only it can settle the run."""
    lane: str | None = None
    base_attempt: int = 0
    """The attempts made before the job was redriven. They do not count towards its retries."""
    flow: int = 0
    schedule_id: int | None = None
    inputs: str | None = None
    """Of a step of a workflow: the results of its parents by ref, as a JSON object. Empty: they are too large."""


class Settlement(NamedTuple):
    """A run that ended, on its way to the record."""

    run: LaunchedRun
    outcome: Outcome
    started_at: datetime | None
    finished_at: datetime
    cancelled: bool = False
    """Whether a client asked the run to stop."""


class Run(Struct, frozen=True):
    """One attempt as it is shown afterwards."""

    job_id: JobId
    attempt: int
    state: JobState
    due_at: datetime
    launched_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    executor: str | None
    failure: Failure | None = None
    answer: Answer | None = None
    log: str | None = None
