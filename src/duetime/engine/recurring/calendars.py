"""Calendars: named dates that schedules share. A change applies at once to every occurrence that has not launched."""

from __future__ import annotations

import msgspec

from duetime.clock.port import Clock
from duetime.engine.intake.quota import Quota
from duetime.engine.recurring.repair import ScheduleRepair
from duetime.model.errors import NotFound
from duetime.model.schedule import StoredCalendar
from duetime.store.schedule_port import CalendarStore
from duetime.timing.calendars import Calendar

_encode = msgspec.json.Encoder(order="deterministic").encode


class Calendars:
    """Carries out what people request for calendars."""

    def __init__(self, store: CalendarStore, repair: ScheduleRepair, clock: Clock, quota: Quota) -> None:
        self._store, self._repair, self._clock, self._quota = store, repair, clock, quota

    async def create(self, user_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Create a calendar. `Conflict` when the name is in use."""
        await self._quota.check_calendar(user_id, len(calendar.dates))
        content = _encode(calendar).decode()
        return await self._store.create(user_id, calendar.name, content, self._clock.now(), actor)

    async def show(self, user_id: int, calendar_id: int) -> StoredCalendar:
        """Returns one calendar."""
        found = await self._store.calendar(user_id, calendar_id)
        if found is None:
            raise NotFound(f"There is no calendar {calendar_id}.")
        return found

    async def list(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns calendars in order of their ids."""
        return await self._store.calendars(user_id, after_id, limit)

    async def edit(self, user_id: int, calendar_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Replace the dates of a calendar; the name stays. On return no pending occurrence follows the former dates."""
        before = await self.show(user_id, calendar_id)
        await self._quota.check_calendar(user_id, len(calendar.dates), len(before.calendar.dates))
        content = _encode(calendar).decode()
        edited = await self._store.edit(user_id, calendar_id, content, self._clock.now(), actor)
        if edited is None:
            raise NotFound(f"There is no calendar {calendar_id}.")
        await self._repair.calendar_changed(calendar_id)
        return edited

    async def delete(self, user_id: int, calendar_id: int, actor: int) -> StoredCalendar:
        """Delete a calendar that no schedule uses. Returns the deleted calendar."""
        found = await self.show(user_id, calendar_id)
        if not await self._store.delete(user_id, calendar_id, self._clock.now(), actor):
            raise NotFound(f"There is no calendar {calendar_id}.")
        return found
