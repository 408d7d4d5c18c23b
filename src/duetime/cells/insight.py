"""Reads across cells, merged into one answer in the same order and with the same cursors as of one database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from duetime.cells.cell import Cell, CellServices
from duetime.cells.cells import Cells
from duetime.model.errors import NotFound
from duetime.model.job import Job, JobFilter
from duetime.model.run import Run
from duetime.model.states import JobState


class CellsInsight:
    """Routes what the engine's `Insight` does.

    Pages are in the order of ids. Each cell gives its first page after the cursor, and the first of them together is
    the page of all: nothing is skipped and nothing is returned twice, whatever the cells hold.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def job(self, user_id: int, job_id: int) -> Job:
        """Returns one job: from the cell of its shard, or from a cell that its shard has left."""

        async def look(cell: Cell) -> Job | None:
            try:
                return await cell.services.insight.job(user_id, job_id)
            except NotFound:
                return None

        found = await self._cells.first(look, self._cells.of_job(job_id))
        if found is None:
            raise NotFound(f"There is no job {job_id}.")
        return found

    async def jobs(self, user_id: int, filter: JobFilter) -> list[Job]:  # noqa: A002
        """Returns jobs, newest first."""
        pages = await self._cells.each(lambda at: at.insight.jobs(user_id, filter))
        return newest(self._cells, pages, filter.limit)

    async def search(self, user_id: int, filter: JobFilter) -> tuple[list[Job], int | None]:  # noqa: A002
        """Returns jobs, newest first, down to the highest of the ids that the cells have searched down to."""
        pages = await self._cells.each(lambda at: at.insight.search(user_id, filter))
        floor = max((floor for _, (_, floor) in pages if floor is not None), default=None)
        found = newest(self._cells, [(cell, jobs) for cell, (jobs, _) in pages], filter.limit)
        return [job for job in found if floor is None or job.id >= floor], floor

    async def count(self, user_id: int, filter: JobFilter) -> tuple[dict[JobState, int], bool]:  # noqa: A002
        """Counts jobs by state, and returns whether these are all."""
        total, whole = Counter[JobState](), True
        for counts, all_of_them in await self._cells.everyone(lambda at: at.insight.count(user_id, filter)):
            total.update(counts)
            whole = whole and all_of_them
        return total, whole

    async def cancellable(self, user_id: int, filter: JobFilter) -> list[int]:  # noqa: A002
        """Returns the ids of jobs that can be cancelled, newest first."""
        pages = await self._cells.everyone(lambda at: at.insight.cancellable(user_id, filter))
        return sorted({job_id for page in pages for job_id in page}, reverse=True)[: filter.limit]

    async def job_of_key(self, user_id: int, key: str) -> int:
        """Returns the id of the job that was created with an idempotency key."""
        found = await self.jobs_of_keys(user_id, [key])
        if key not in found:
            raise NotFound(f"None of your jobs was created with the idempotency key '{key}', or it is long finished.")
        return found[key]

    async def jobs_of_keys(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """Returns the ids of the jobs that were created with these idempotency keys."""
        found: dict[str, int] = {}
        for some in await self._cells.everyone(lambda at: at.insight.jobs_of_keys(user_id, keys)):
            found |= some
        return found

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns every attempt of a job. Attempts from before a move are on record in the cell that it left."""
        job = await self.job(user_id, job_id)
        pages = await self._cells.each(lambda at: at.insight.runs_of(job))
        lives = self._cells.of_job(job_id)
        found: dict[int, Run] = {}
        for _, runs in sorted(pages, key=lambda page: page[0] is lives):
            found |= {run.attempt: run for run in runs}
        return [found[attempt] for attempt in sorted(found)]

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns counts of jobs by state."""
        total: Counter[JobState] = Counter()
        for counts in await self._cells.everyone(lambda at: _stats(at, user_id)):
            total.update(counts)
        return {state: count for state, count in total.items() if count}


async def _stats(at: CellServices, user_id: int) -> dict[JobState, int]:
    return await at.insight.stats(user_id)


def newest(cells: Cells, pages: Iterable[tuple[Cell, list[Job]]], limit: int) -> list[Job]:
    """Returns the newest jobs of several pages. A job that is just being moved is taken from the cell it lives in."""
    found: dict[int, Job] = {}
    for cell, page in pages:
        for job in page:
            if job.id not in found or cells.of_job(job.id) is cell:
                found[job.id] = job
    return [found[job_id] for job_id in sorted(found, reverse=True)[:limit]]
