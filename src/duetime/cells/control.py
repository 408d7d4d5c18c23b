"""Changes of jobs, each in the cell that the job lives in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from duetime.cells.cell import CellServices
from duetime.cells.cells import Cells
from duetime.cells.insight import CellsInsight
from duetime.engine.asking.control import Cancelling
from duetime.model.errors import Conflict, Elsewhere, NotFound
from duetime.model.ids import shard_of
from duetime.model.job import Job, JobEdit

T = TypeVar("T")
TRIES = 3
"""A job can move between two statements. Each try looks for its cell again."""


class CellsControl:
    """Routes what the engine's `Control` does."""

    def __init__(self, cells: Cells, insight: CellsInsight) -> None:
        self._cells, self._insight = cells, insight

    async def cancel(self, user_id: int, job_id: int, actor: int) -> Job:
        """Cancel a job. A job that runs is asked to stop."""
        return await self._where_it_lives(user_id, job_id, lambda at: at.control.cancel(user_id, job_id, actor))

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], actor: int) -> Cancelling:
        """Cancel jobs, in one transaction for each cell. A job that is just being moved is left for the next call."""
        done = Cancelling([], [])
        for cell, some in self._cells.by_cell(job_ids, shard_of).items():
            cancelled, asked = await cell.ask(lambda at, ids=some: at.control.cancel_many(user_id, ids, actor))
            done.cancelled.extend(cancelled)
            done.asked.extend(asked)
        return done

    async def edit(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Change a job that has not started."""
        return await self._where_it_lives(user_id, job_id, lambda at: at.control.edit(user_id, job_id, edit, actor))

    async def run_now(self, user_id: int, job_id: int, actor: int) -> Job:
        """Make a job due now."""
        return await self._where_it_lives(user_id, job_id, lambda at: at.control.run_now(user_id, job_id, actor))

    async def _where_it_lives(
        self, user_id: int, job_id: int, call: Callable[[CellServices], Coroutine[Any, Any, T]]
    ) -> T:
        """Change a job in its cell. A job that is not there may have moved meanwhile, or have ended before a move."""
        for _ in range(TRIES):
            self._cells.refuse_closed([shard_of(job_id)])
            cell = self._cells.of_job(job_id)
            try:
                return await cell.ask(call)
            except (NotFound, Elsewhere):
                await self._cells.look_again()
                self._cells.refuse_closed([shard_of(job_id)])
                if self._cells.of_job(job_id) is cell:
                    break
        job = await self._insight.job(user_id, job_id)
        raise Conflict(f"Job {job_id} is {job.state}: it can no longer be changed.")
