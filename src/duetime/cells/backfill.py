"""Jobs of schedules beside their occurrences, stored in the cell that the schedule lives in."""

from __future__ import annotations

from datetime import datetime, timedelta

from duetime.cells.schedules import CellsSchedules
from duetime.engine.recurring.backfill import Backfilled


class CellsBackfill:
    """Routes what the engine's `Backfill` does."""

    def __init__(self, schedules: CellsSchedules) -> None:
        self._schedules = schedules

    async def run_now(self, user_id: int, schedule_id: int, actor: int) -> int:
        """Store one job of a schedule that is due now, beside its occurrences. Returns its id."""
        return await self._schedules.in_its_cell(
            user_id, schedule_id, lambda at: at.backfill.run_now(user_id, schedule_id, actor), change=True
        )

    async def fill(
        self,
        user_id: int,
        schedule_id: int,
        start: datetime,
        end: datetime,
        actor: int,
        *,
        pace: timedelta = timedelta(0),
        dry_run: bool = False,
    ) -> Backfilled:
        """Store jobs for the instants of a stretch of the past; as `Backfill.fill`."""
        return await self._schedules.in_its_cell(
            user_id,
            schedule_id,
            lambda at: at.backfill.fill(user_id, schedule_id, start, end, actor, pace=pace, dry_run=dry_run),
            change=True,
        )
