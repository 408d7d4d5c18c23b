"""Dead letters and lanes of several cells. Dead letters move with their shards, so that they can be redriven there."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from duetime.cells.cell import CellServices
from duetime.cells.cells import Cells
from duetime.cells.insight import newest
from duetime.model.ids import shard_of, shard_of_lane
from duetime.model.job import DeadFilter, DeadGroup, Job, JobEdit
from duetime.model.lane import LaneState

T = TypeVar("T")


class CellsDeadLetters:
    """Routes what the engine's `DeadLetters` does."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def list(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Returns dead jobs, newest first."""
        pages = await self._cells.each(lambda at: at.dead_letters.list(user_id, wanted))
        return newest(self._cells, pages, wanted.limit)

    async def groups(self, user_id: int, wanted: DeadFilter) -> Sequence[DeadGroup]:
        """Returns dead jobs by the class of their last failure, of all cells together."""
        found: dict[str | None, list[DeadGroup]] = {}
        for groups in await self._cells.everyone(lambda at: at.dead_letters.groups(user_id, wanted)):
            for one in groups:
                found.setdefault(one.kind, []).append(one)
        return sorted((_merged(some) for some in found.values()), key=lambda one: (-one.count, one.kind or ""))

    async def redrive(self, user_id: int, job_ids: Sequence[int], per_second: float | None, actor: int) -> list[int]:
        """Give dead jobs another life, each cell at its part of the rate. Returns the ids of those that were dead."""
        self._cells.refuse_closed(map(shard_of, job_ids))
        redriven: list[int] = []
        for cell, some in self._cells.by_cell(job_ids, shard_of).items():
            rate = None if per_second is None else per_second * len(some) / len(job_ids)
            redriven += await cell.ask(lambda at, ids=some, r=rate: at.dead_letters.redrive(user_id, ids, r, actor))
        return redriven

    async def redrive_edited(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Give one dead job another life with other content."""
        self._cells.refuse_closed([shard_of(job_id)])
        cell = self._cells.of_job(job_id)
        return await cell.ask(lambda at: at.dead_letters.redrive_edited(user_id, job_id, edit, actor))

    async def discard(self, user_id: int, job_ids: Sequence[int], actor: int) -> list[int]:
        """Give dead jobs up for good. Returns the ids of those that were dead."""
        self._cells.refuse_closed(map(shard_of, job_ids))
        discarded: list[int] = []
        for cell, some in self._cells.by_cell(job_ids, shard_of).items():
            discarded += await cell.ask(lambda at, ids=some: at.dead_letters.discard(user_id, ids, actor))
        return discarded

    async def lanes(self, user_id: int, *, blocked: bool, limit: int) -> list[LaneState]:
        """Returns lanes with waiting jobs, by name, or only those that wait for a person."""
        pages = await self._cells.everyone(lambda at: at.dead_letters.lanes(user_id, blocked=blocked, limit=limit))
        found = {one.lane: one for page in pages for one in page}
        return [found[name] for name in sorted(found)][:limit]

    async def blocked_lanes(self, user_id: int) -> int:
        """Returns how many lanes wait for a person."""
        return sum(await self._cells.everyone(lambda at: at.dead_letters.blocked_lanes(user_id)))

    async def lane(self, user_id: int, lane: str) -> LaneState:
        """Returns one lane."""
        return await self._cells.of_lane(user_id, lane).ask(lambda at: at.dead_letters.lane(user_id, lane))

    async def retry_head(self, user_id: int, lane: str, actor: int) -> int:
        """Give the dead job at a lane's head another life. Returns its id."""
        return await self._in_lane(user_id, lane, lambda at: at.dead_letters.retry_head(user_id, lane, actor))

    async def skip_head(self, user_id: int, lane: str, actor: int) -> int:
        """Move the dead job at a lane's head to the dead letters, so that the lane continues. Returns its id."""
        return await self._in_lane(user_id, lane, lambda at: at.dead_letters.skip_head(user_id, lane, actor))

    async def clear(self, user_id: int, lane: str, actor: int) -> list[int]:
        """Cancel the jobs of a lane that are not in flight. Returns their ids."""
        return await self._in_lane(user_id, lane, lambda at: at.dead_letters.clear(user_id, lane, actor))

    async def _in_lane(self, user_id: int, lane: str, call: Callable[[CellServices], Coroutine[Any, Any, T]]) -> T:
        self._cells.refuse_closed([shard_of_lane(user_id, lane)])
        return await self._cells.of_lane(user_id, lane).ask(call)


def _merged(groups: Sequence[DeadGroup]) -> DeadGroup:
    """Returns groups of one class as one."""
    newest = max(groups, key=lambda one: one.latest_id)
    return DeadGroup(
        newest.kind,
        newest.reason,
        sum(one.count for one in groups),
        min(one.first_at for one in groups),
        max(one.last_at for one in groups),
        newest.latest_id,
        tuple(sorted({host for one in groups for host in one.hosts})),
    )
