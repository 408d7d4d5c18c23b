"""Insight: one read service for the API, the command line and the page."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from duetime.engine.asking.waiting import WaitingJobs
from duetime.model.errors import NotFound
from duetime.model.job import Job, JobFilter
from duetime.model.message import message_sent
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.store.port import InsightStore

SHOWN_RUNS = 100
"""The store has the same number. A job can have thousands of attempts, and each an answer of 64 KiB."""


class Insight:
    """Reads jobs, runs and counts. A user sees only its own."""

    def __init__(self, store: InsightStore, waiting: WaitingJobs) -> None:
        self._store, self._waiting = store, waiting

    async def job(self, user_id: int, job_id: int) -> Job:
        """Returns one job, finished or not."""
        job = await self._store.job(user_id, job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id}.")
        return (await self._waiting.shown([job]))[0]

    async def jobs(self, user_id: int, filter: JobFilter) -> list[Job]:  # noqa: A002
        """Returns jobs, newest first."""
        return await self._waiting.shown(await self._store.jobs(user_id, filter))

    async def cancellable(self, user_id: int, filter: JobFilter) -> list[int]:  # noqa: A002
        """Returns the ids of jobs that can be cancelled, newest first."""
        return await self._store.open_ids(user_id, filter)

    async def job_of_key(self, user_id: int, key: str) -> int:
        """Returns the id of the job that was created with an idempotency key."""
        found = await self._store.jobs_by_key(user_id, [key])
        if key not in found:
            raise NotFound(f"None of your jobs was created with the idempotency key '{key}', or it is long finished.")
        return found[key]

    async def jobs_of_keys(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """Returns the ids of the jobs that were created with these idempotency keys."""
        return await self._store.jobs_by_key(user_id, keys)

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns the last attempts of a job. The log of a `log` target is the job's message, stored once, there."""
        return await self.runs_of(await self.job(user_id, job_id))

    async def runs_of(self, job: Job) -> list[Run]:
        """Returns the last attempts of a job that are on record here."""
        return [_with_log(run, job) for run in (await self._store.runs(job.user_id, job.id))[-SHOWN_RUNS:]]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns counts of jobs by state."""
        return await self._store.stats(user_id)


def _with_log(run: Run, job: Job) -> Run:
    if job.definition.target.message_is_log and run.state is JobState.SUCCEEDED:
        return msgspec.structs.replace(run, log=message_sent(job.message)[0])
    return run
