"""`CalendarStore` on PostgreSQL: calendars, with every change audited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import asyncpg

from duetime.model.audit import difference, shortened
from duetime.model.errors import Conflict
from duetime.model.schedule import StoredCalendar, decode_calendar
from duetime.postgres.pool import Pool
from duetime.store.postgres.audit import record
from duetime.store.postgres.queries import sql


class PostgresCalendars:
    """`CalendarStore` on PostgreSQL."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """Create a calendar."""
        try:
            async with self._pool.transaction() as connection:
                row = await connection.fetchrow(sql("calendars.create"), user_id, name, content, now)
                await record(
                    connection, now, actor, "calendar.created", f"calendar:{row['id']}", {"name": name}, owner=user_id
                )
        except asyncpg.UniqueViolationError:
            raise Conflict(
                f"There is already a calendar with the name '{name}': change it, or choose another name."
            ) from None
        return _calendar(row)

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """Returns one calendar."""
        row = await self._pool.row(sql("calendars.by_id"), user_id, calendar_id)
        return None if row is None else _calendar(row)

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Returns calendars by name."""
        return [_calendar(row) for row in await self._pool.rows(sql("calendars.by_names"), user_id, names)]

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns calendars in the order of ids."""
        return [_calendar(row) for row in await self._pool.rows(sql("calendars.list"), user_id, after_id, limit)]

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Replace the dates of a calendar."""
        async with self._pool.transaction() as connection:
            before = await connection.fetchrow(sql("calendars.lock"), user_id, calendar_id)
            row = await connection.fetchrow(sql("calendars.edit"), user_id, calendar_id, content, now)
            if row is None:
                return None
            details = _change(_calendar(before), _calendar(row))
            await record(connection, now, actor, "calendar.edited", f"calendar:{calendar_id}", details, owner=user_id)
            return _calendar(row)

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Delete a calendar."""
        try:
            async with self._pool.transaction() as connection:
                if await connection.fetchval(sql("calendars.delete"), user_id, calendar_id) is None:
                    return False
                await record(connection, now, actor, "calendar.deleted", f"calendar:{calendar_id}", owner=user_id)
                return True
        except asyncpg.ForeignKeyViolationError:
            raise Conflict("Schedules use this calendar: change or delete them first.") from None


def _change(before: StoredCalendar, after: StoredCalendar) -> dict[str, Any]:
    """Returns what an edit changed: the dates that came and went, and the mode."""
    was, is_ = before.calendar, after.calendar
    gone, new = set(was.dates) - set(is_.dates), set(is_.dates) - set(was.dates)
    dates = {"removed": shortened(sorted(gone)), "added": shortened(sorted(new))}
    return {**difference({"mode": was.mode}, {"mode": is_.mode}), **({"dates": dates} if gone or new else {})}


def _calendar(row: Any) -> StoredCalendar:
    return StoredCalendar(
        row["id"],
        row["user_id"],
        decode_calendar(row["content"]),
        row["version"],
        row["created_at"],
        row["updated_at"],
    )
