"""Insight: one read service for the API, the command line and the page."""

from __future__ import annotations

import msgspec

from duetime.engine.asking.unmet_labels import UnmetLabels
from duetime.model.broken_host import BrokenHost
from duetime.model.errors import NotFound
from duetime.model.job import Job, JobFilter
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.store.port import BreakerStore, InsightStore


class Insight:
    """Reads jobs, runs and counts. A user sees only its own."""

    def __init__(self, store: InsightStore, breakers: BreakerStore, unmet: UnmetLabels | None = None) -> None:
        self._store, self._breakers, self._unmet = store, breakers, unmet

    async def job(self, user_id: int, job_id: int) -> Job:
        """Returns one job, finished or not."""
        job = await self._store.job(user_id, job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id}.")
        return job if self._unmet is None else (await self._unmet.shown([job]))[0]

    async def jobs(self, user_id: int, filter: JobFilter) -> list[Job]:  # noqa: A002
        """Returns jobs, newest first."""
        jobs = await self._store.jobs(user_id, filter)
        return jobs if self._unmet is None else await self._unmet.shown(jobs)

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns every attempt of a job. The log of a `log` target is the job's message, stored once, with the job."""
        job = await self.job(user_id, job_id)
        runs = await self._store.runs(user_id, job_id)
        return [_with_log(run, job) for run in runs]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns counts of jobs by state."""
        return await self._store.stats(user_id)

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """Returns the hosts whose circuit breaker a living scheduler keeps open for a user."""
        return await self._breakers.broken_hosts(user_id)


def _with_log(run: Run, job: Job) -> Run:
    if job.definition.target.message_is_log and run.state is JobState.SUCCEEDED:
        return msgspec.structs.replace(run, log=job.message)
    return run
