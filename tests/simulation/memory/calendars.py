"""`CalendarStore` in memory. Without the link: calendars take no part in the simulated faults."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.errors import Conflict
from duetime.model.ids import UserId
from duetime.model.schedule import StoredCalendar, decode_calendar
from simulation.memory.tables import CalendarRecord, Tables


class MemoryCalendars:
    """Calendars, each change with its audit."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """A new calendar."""
        if await self.named(user_id, [name]):
            raise Conflict(f"There is a calendar with the name '{name}' already: change it, or choose another.")
        made = CalendarRecord(self._tables.number("calendar"), user_id, name, content, 1, now, now)
        self._tables.calendars[made.id] = made
        self._tables.record(now, actor, "calendar.created", f"calendar:{made.id}", user_id)
        return _shown(made)

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """One calendar."""
        found = self._find(user_id, calendar_id)
        return None if found is None else _shown(found)

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Calendars by name."""
        return [_shown(one) for one in self._of(user_id) if one.name in names]

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Calendars by id."""
        return [_shown(one) for one in self._of(user_id) if one.id > after_id][:limit]

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Other dates."""
        found = self._find(user_id, calendar_id)
        if found is None:
            return None
        found.content, found.version, found.updated_at = content, found.version + 1, now
        self._tables.record(now, actor, "calendar.edited", f"calendar:{calendar_id}", user_id)
        return _shown(found)

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Remove one."""
        if self._find(user_id, calendar_id) is None:
            return False
        if any(one.calendar_id == calendar_id for one in self._tables.schedules.values()):
            raise Conflict("Schedules use this calendar: change or delete them first.")
        del self._tables.calendars[calendar_id]
        self._tables.record(now, actor, "calendar.deleted", f"calendar:{calendar_id}", user_id)
        return True

    def _of(self, user_id: int) -> list[CalendarRecord]:
        return [one for _, one in sorted(self._tables.calendars.items()) if one.user_id == user_id]

    def _find(self, user_id: int, calendar_id: int) -> CalendarRecord | None:
        found = self._tables.calendars.get(calendar_id)
        return found if found is not None and found.user_id == user_id else None


def _shown(one: CalendarRecord) -> StoredCalendar:
    return StoredCalendar(
        one.id, UserId(one.user_id), decode_calendar(one.content), one.version, one.created_at, one.updated_at
    )
