"""`ActivityStore` in memory. Nobody looks at a simulation: it keeps what nodes add, and plans nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.activity import ActivityRow, UserLaunches, plus
from duetime.store.activity_port import DueNow, InFlight, PlannedJob
from duetime.store.schedule_port import ScheduleRow


class MemoryActivity:
    """Sums by user, span and time."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, int, datetime], ActivityRow] = {}

    async def add(self, rows: Sequence[ActivityRow]) -> None:
        """Add sums."""
        for row in rows:
            key = row[:3]
            self._rows[key] = plus([row, *filter(None, [self._rows.get(key)])], *key)

    async def drop(self, minutes_before: datetime, hours_before: datetime) -> None:
        """Delete old sums."""
        oldest = {60: minutes_before, 3600: hours_before}
        self._rows = {key: row for key, row in self._rows.items() if row.at >= oldest[row.span]}

    async def read(self, user_id: int, span: int, first: datetime, until: datetime) -> list[ActivityRow]:
        """Returns the sums of a user."""
        found = (row for row in self._rows.values() if row[:2] == (user_id, span) and first <= row.at < until)
        return sorted(found, key=lambda row: row.at)

    async def launches(self, first: datetime, limit: int) -> list[UserLaunches]:
        """Nobody asks."""
        return []

    async def due_now(self, user_id: int, before: datetime, most: int, held: Sequence[int] = ()) -> DueNow:
        """Nobody asks."""
        return DueNow()

    async def due_flows(self, user_id: int, before: datetime) -> list[int]:
        """Nobody asks."""
        return []

    async def in_flight(self, user_id: int | None) -> InFlight:
        """Nobody asks."""
        return InFlight(0, 0)

    async def totals(self) -> dict[str, int]:
        """Nobody asks."""
        return {}

    async def blocked_lanes(self, most: int) -> int:
        """Nobody asks."""
        return 0

    async def schedules(self, ids: Sequence[int]) -> list[ScheduleRow]:
        """Nobody asks."""
        return []

    async def planned(self, user_id: int | None, first: datetime, until: datetime, most: int) -> list[PlannedJob]:
        """Nobody asks."""
        return []
