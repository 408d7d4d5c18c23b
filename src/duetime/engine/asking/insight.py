"""Insight: one read service for the API, the command line and the page."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from duetime.clock.port import Clock
from duetime.engine.asking.waiting import WaitingJobs
from duetime.engine.brief_cache import BriefCache
from duetime.model.definition import Definition
from duetime.model.errors import NotFound
from duetime.model.job import Job, JobFilter
from duetime.model.message import message_sent
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.store.port import InsightStore

SHOWN_RUNS = 100
"""The store has the same number. A job can have thousands of attempts, and each an answer of 64 KiB."""
REMEMBERED_SECONDS = 5.0
MOST_DEFINITIONS = 5000
"""How many definitions of a user a search by target knows: the newest."""


class Insight:
    """Reads jobs, runs and counts. A user sees only its own."""

    def __init__(self, store: InsightStore, waiting: WaitingJobs, clock: Clock) -> None:
        self._store, self._waiting = store, waiting
        self._definitions = BriefCache(self._read_definitions, clock, seconds=REMEMBERED_SECONDS, most=100)

    async def job(self, user_id: int, job_id: int) -> Job:
        """Returns one job, finished or not."""
        job = await self._store.job(user_id, job_id)
        if job is None:
            raise NotFound(f"There is no job {job_id}.")
        return (await self._waiting.shown([job]))[0]

    async def jobs(self, user_id: int, filter: JobFilter) -> list[Job]:  # noqa: A002
        """Returns jobs, newest first."""
        return await self._waiting.shown(await self._store.jobs(user_id, filter))

    async def search(self, user_id: int, filter: JobFilter) -> tuple[list[Job], int | None]:  # noqa: A002
        """Returns jobs, newest first, and the id down to which was searched; None if that was to the end."""
        filter = await self._resolved(user_id, filter)  # noqa: A001
        floor = await self._store.search_floor(user_id, filter)
        found = await self.jobs(user_id, msgspec.structs.replace(filter, floor_id=floor))
        return found, floor

    async def count(self, user_id: int, filter: JobFilter) -> tuple[dict[JobState, int], bool]:  # noqa: A002
        """Counts jobs by state, and returns whether these are all: a bounded number is counted and searched.

        What is asked for by states alone is known without counting.
        """
        if filter == JobFilter(filter.statuses, limit=filter.limit):
            known = await self.stats(user_id)
            return {state: n for state, n in known.items() if n > 0 and state in (filter.statuses or known)}, True
        filter = await self._resolved(user_id, filter)  # noqa: A001
        floor = await self._store.search_floor(user_id, filter)
        counts = await self._store.count(user_id, msgspec.structs.replace(filter, floor_id=floor))
        return counts, floor is None and sum(counts.values()) < filter.limit

    async def cancellable(self, user_id: int, filter: JobFilter) -> list[int]:  # noqa: A002
        """Returns the ids of jobs that can be cancelled, newest first."""
        return await self._store.open_ids(user_id, await self._resolved(user_id, filter))

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

    async def _resolved(self, user_id: int, wanted: JobFilter) -> JobFilter:
        """Returns a filter by target or host as one by definitions, which are stored with jobs."""
        if wanted.target is None and wanted.host is None:
            return wanted
        known = await self._definitions.of(user_id)
        found = tuple(
            number
            for number, one in known.items()
            if wanted.target in (None, one.target.kind) and wanted.host in (None, one.target.breaker_key())
        )
        return msgspec.structs.replace(wanted, definitions=found, target=None, host=None)

    async def _read_definitions(self, user_id: int) -> dict[int, Definition]:
        return await self._store.definitions(user_id, MOST_DEFINITIONS)

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns counts of jobs by state."""
        return await self._store.stats(user_id)


def _with_log(run: Run, job: Job) -> Run:
    if job.definition.target.message_is_log and run.state is JobState.SUCCEEDED:
        return msgspec.structs.replace(run, log=message_sent(job.message)[0])
    return run
