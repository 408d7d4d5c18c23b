"""The runs that this node holds: launched here for itself, or taken from the bus."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from duetime.engine.due.backlog import Backlog
from duetime.model.run import LaunchedRun


class HeldRuns:
    """Knows which launches name this node. Only their holder can settle them."""

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._taken: dict[int, int] = {}
        """Runs taken from the bus and not on record yet: jobs, each with its attempt."""

    @property
    def taken(self) -> Collection[int]:
        """The jobs whose runs were taken from the bus and are not on record yet."""
        return self._taken.keys()

    def take(self, runs: Iterable[LaunchedRun]) -> None:
        """Hold runs that were taken from the bus."""
        self._taken.update((run.job_id, run.attempt) for run in runs)

    def release(self, job_ids: Iterable[int]) -> list[int]:
        """Drop runs that are on record. Returns those that had been taken from the bus."""
        taken = self._taken
        if not taken:
            return []
        released = [job_id for job_id in job_ids if job_id in taken]
        for job_id in released:
            del taken[job_id]
        return released

    def __contains__(self, job_id: int) -> bool:
        """Whether a run of this job is held here."""
        return job_id in self._backlog.launched or job_id in self._taken

    def later_than(self, job_id: int, attempt: int) -> bool:
        """Whether a later attempt of this job runs here: a node without a lease for a while succeeds itself."""
        return max(self._taken.get(job_id, 0), self._backlog.attempt(job_id) or 0) > attempt
