"""A run: one attempt of one job."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from duetime.model.definition import Definition
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.outcome import Failure, HttpResponse, Outcome
from duetime.model.states import JobState


class LaunchedRun(Struct, frozen=True, gc=False):
    """A committed launch with all that an executor needs to carry it out."""

    job_id: JobId
    user_id: UserId
    attempt: int
    definition_id: DefinitionId
    definition: Definition
    message: str
    execute_at: datetime
    """The nominal instant: what the job was asked for, whatever retries made of it."""
    due_at: datetime
    executor: NodeId
    """Who holds the run: only it can settle it."""
    lane: str | None = None
    base_attempt: int = 0
    """Attempts that an earlier life used up, before the job was sent again by a person."""
    flow: int = 0


class Settlement(NamedTuple):
    """A run that ended, on its way to the record."""

    run: LaunchedRun
    outcome: Outcome
    started_at: datetime | None
    finished_at: datetime
    cancelled: bool = False
    """Whether it was asked to stop."""


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
    response: HttpResponse | None = None
    log: str | None = None
