"""The runs that this node holds: those it launched for itself, and those it took as offers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from duetime.engine.due.backlog import Backlog
from duetime.model.run import LaunchedRun


class HeldRuns:
    """Knows which launches name this node. Only their holder can settle them."""

    def __init__(self, backlog: Backlog) -> None:
        self._backlog = backlog
        self._taken: dict[int, int] = {}
        """The job and attempt of each run that was taken as an offer and is not settled yet."""

    @property
    def taken(self) -> Collection[int]:
        """The jobs whose runs were taken as offers and are not settled yet."""
        return self._taken.keys()

    def take(self, runs: Iterable[LaunchedRun]) -> None:
        """Hold runs that were taken as offers."""
        self._taken.update((run.job_id, run.attempt) for run in runs)

    def release(self, job_ids: Iterable[int]) -> list[int]:
        """Drop runs that are settled. Returns the jobs of those that were taken as offers."""
        taken = self._taken
        if not taken:
            return []
        released = [job_id for job_id in job_ids if job_id in taken]
        for job_id in released:
            del taken[job_id]
        return released

    def __contains__(self, job_id: int) -> bool:
        """Whether this node holds a run of the job."""
        return job_id in self._backlog.launched or job_id in self._taken

    def later_than(self, job_id: int, attempt: int) -> bool:
        """Whether this node holds a later attempt of the job: a node that lost its lease can get its own job again."""
        return max(self._taken.get(job_id, 0), self._backlog.attempt(job_id) or 0) > attempt
