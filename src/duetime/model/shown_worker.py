"""Workers and their runs, as people see them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from duetime.model.pull import Worker


class ShownWorker(NamedTuple):
    """A living worker, for people."""

    worker: Worker
    draining: bool
    joined_at: datetime
    lease_left: float
    running: int


class WorkerRun(NamedTuple):
    """A run that a worker holds, with what it last reported."""

    job_id: int
    attempt: int
    worker: int
    name: str
    """Of the worker."""
    queue: str
    task: str
    since: datetime
    cancel: bool
    """Whether it was asked to stop."""
    progress: str | None
    """As JSON, of this attempt."""
    reported_at: datetime | None
    checkpoint: bool
    """Whether this attempt or an earlier one saved a checkpoint."""
