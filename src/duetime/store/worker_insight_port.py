"""The contract of the store for looking at workers: the runs that they hold, and what waits in queues.

These reads decide nothing. Each has a bound, whatever the backlog is.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.shown_worker import WorkerRun


class FlowWaiting(NamedTuple):
    """The due jobs of a flow that are not in flight."""

    flow: int
    oldest: datetime
    waiting: int
    capped: bool
    """Whether counting ended before the last one."""


class WorkerInsightStore(Protocol):
    """Runs of workers and jobs of queues, for people."""

    async def runs(self, worker: int, limit: int) -> list[WorkerRun]:
        """Returns the runs that a worker holds, longest held first."""
        ...

    async def run(self, user_id: int, job_id: int) -> WorkerRun | None:
        """Returns the run of a user's job that a worker holds."""
        ...

    async def waiting(self, user_id: int, now: datetime, most: int) -> list[FlowWaiting]:
        """Returns what is due in the flows of a user that are for one definition each. Counts about `most` jobs."""
        ...

    async def running(self, user_id: int) -> dict[str, int]:
        """Returns how many runs the workers of a user hold, by queue."""
        ...
