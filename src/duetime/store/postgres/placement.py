"""What a database knows about its cluster."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from duetime.model.errors import Conflict
from duetime.postgres.pool import Pool
from duetime.store.cell_port import CalendarCopy, Placement
from duetime.store.postgres.queries import sql


class PostgresPlacement:
    """`PlacementStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def placement(self) -> Placement:
        """Returns the placement as it is now."""
        (row,) = await self._pool.rows(sql("placement.read"))
        homes = row["homes"]
        return Placement(
            row["cluster"],
            row["number"],
            row["databases"],
            row["version"],
            frozenset(row["away"]),
            None if homes is None else tuple(homes),
        )

    async def reserve_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> set[str]:
        """Reserve names for schedules. Returns the names reserved."""
        rows = await self._pool.rows(sql("placement.reserve_names"), user_id, names, ids)
        return {row["name"] for row in rows}

    async def names(self, user_id: int, names: Sequence[str]) -> dict[str, int]:
        """Returns which schedule has each of these names."""
        rows = await self._pool.rows(sql("placement.names"), user_id, names)
        return {row["name"]: row["schedule_id"] for row in rows}

    async def free_names(self, user_id: int, names: Sequence[str], ids: Sequence[int]) -> None:
        """Release the names of schedules."""
        await self._pool.run(sql("placement.free_names"), user_id, names, ids)

    async def calendar_copies(self, ids: Sequence[int] | None) -> list[CalendarCopy]:
        """Returns calendars, to be copied."""
        return [CalendarCopy(*row) for row in await self._pool.rows(sql("placement.calendars"), ids)]

    async def copy_calendars(self, copies: Sequence[CalendarCopy]) -> None:
        """Store copies of calendars of the home database."""
        await self._pool.run(sql("placement.copy_calendars"), *zip(*copies, strict=True))

    async def drop_calendar(self, calendar_id: int) -> None:
        """Delete the copy of a calendar that is not needed any more."""
        try:
            await self._pool.run(sql("placement.drop_calendar"), calendar_id)
        except asyncpg.ForeignKeyViolationError:
            raise Conflict("Schedules use this calendar: change or delete them first.") from None
