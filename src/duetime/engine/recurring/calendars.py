"""Calendars: named dates that schedules share. A change counts at once for everything that has not launched."""

from __future__ import annotations

import msgspec

from duetime.clock.port import Clock
from duetime.engine.recurring.repair import ScheduleRepair
from duetime.model.errors import NotFound
from duetime.model.schedule import StoredCalendar
from duetime.store.schedule_port import CalendarStore
from duetime.timing.calendars import Calendar

_encode = msgspec.json.Encoder(order="deterministic").encode


class Calendars:
    """What people do to calendars."""

    def __init__(self, store: CalendarStore, upkeep: ScheduleRepair, clock: Clock) -> None:
        self._store, self._upkeep, self._clock = store, upkeep, clock

    async def create(self, user_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """A new calendar; `Conflict` when the name is taken."""
        content = _encode(calendar).decode()
        return await self._store.create(user_id, calendar.name, content, self._clock.now(), actor)

    async def show(self, user_id: int, calendar_id: int) -> StoredCalendar:
        """One calendar."""
        found = await self._store.calendar(user_id, calendar_id)
        if found is None:
            raise NotFound(f"There is no calendar {calendar_id}.")
        return found

    async def list(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Calendars by id."""
        return await self._store.calendars(user_id, after_id, limit)

    async def edit(self, user_id: int, calendar_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Other dates. On return nothing is minted by the former ones; the name stays."""
        content = _encode(calendar).decode()
        edited = await self._store.edit(user_id, calendar_id, content, self._clock.now(), actor)
        if edited is None:
            raise NotFound(f"There is no calendar {calendar_id}.")
        await self._upkeep.calendar_changed(calendar_id)
        return edited

    async def delete(self, user_id: int, calendar_id: int, actor: int) -> StoredCalendar:
        """Remove one that nothing goes by; as it was."""
        found = await self.show(user_id, calendar_id)
        if not await self._store.delete(user_id, calendar_id, self._clock.now(), actor):
            raise NotFound(f"There is no calendar {calendar_id}.")
        return found
