"""Activity of several cells: each has the sums of what happened in it, and a reader adds them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.model.activity import ActivityRow, UserLaunches, plus
from duetime.store.activity_port import DueNow, InFlight, PlannedJob
from duetime.store.schedule_port import ScheduleRow

T = TypeVar("T")


class CellsActivity:
    """Reads as `ActivityStore` does, across cells. The engine of each cell adds to the sums of its own."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def read(self, user_id: int, span: int, first: datetime, until: datetime) -> list[ActivityRow]:
        """Returns the sums of a user, added up."""
        pages = await self._each(lambda cell: cell.stores.activity.read(user_id, span, first, until))
        found: dict[datetime, list[ActivityRow]] = {}
        for row in (row for page in pages for row in page):
            found.setdefault(row.at, []).append(row)
        return [plus(found[at], user_id, span, at) for at in sorted(found)]

    async def launches(self, first: datetime, limit: int) -> list[UserLaunches]:
        """Returns the users with the most launches."""
        total: Counter[int] = Counter()
        for page in await self._each(lambda cell: cell.stores.activity.launches(first, limit)):
            total.update({one.user_id: one.launched for one in page})
        return [UserLaunches(*one) for one in total.most_common(limit)]

    async def due(self, user_id: int, before: datetime, most: int) -> DueNow:
        """Returns what a user has that is due and not launched. The engine of each cell knows what holds jobs back."""
        parts = await self._each(lambda cell: cell.services.due_jobs.of(user_id, before, most))
        return DueNow(
            min(most, sum(one.overdue for one in parts)),
            min((one.oldest_due for one in parts if one.oldest_due), default=None),
            min(most, sum(one.held for one in parts)),
            min((one.oldest_held for one in parts if one.oldest_held), default=None),
        )

    async def in_flight(self, user_id: int | None) -> InFlight:
        """Returns what is in flight."""
        parts = await self._each(lambda cell: cell.stores.activity.in_flight(user_id))
        return InFlight(sum(one.running for one in parts), sum(one.queued for one in parts))

    async def totals(self) -> dict[str, int]:
        """Returns how many jobs of all users are in each state."""
        totals: dict[str, int] = {}
        for part in await self._each(lambda cell: cell.stores.activity.totals()):
            for state, count in part.items():
                totals[state] = totals.get(state, 0) + count
        return totals

    async def blocked_lanes(self, most: int) -> int:
        """Returns how many lanes of all users wait for a person."""
        return min(most, sum(await self._each(lambda cell: cell.stores.activity.blocked_lanes(most))))

    async def schedules(self, ids: Sequence[int]) -> list[ScheduleRow]:
        """Returns schedules of any user."""
        pages = await self._each(lambda cell: cell.stores.activity.schedules(ids))
        return [row for page in pages for row in page]

    async def planned(self, user_id: int | None, first: datetime, until: datetime, most: int) -> list[PlannedJob]:
        """Returns jobs that come due within a time."""
        pages = await self._each(lambda cell: cell.stores.activity.planned(user_id, first, until, most))
        return sorted((job for page in pages for job in page), key=lambda job: (job.due_at, job.job_id))[:most]

    async def _each(self, call: Callable[[Cell], Coroutine[Any, Any, T]]) -> list[T]:
        return [answer for _, answer in await self._cells.each_of(call)]
