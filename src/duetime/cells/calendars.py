"""Calendars live in the home cell, with a copy in every cell where a schedule uses them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Any, TypeVar

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.engine.recurring.calendars import Calendars
from duetime.model.errors import StoreAway
from duetime.model.schedule import StoredCalendar
from duetime.store.schedule_port import CalendarStore
from duetime.timing.calendars import Calendar

T = TypeVar("T")


class CalendarCopies:
    """Brings calendars to the cells whose schedules use them."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells

    async def bring(self, cell: Cell, ids: set[int], *, only_if_there: bool = False) -> None:
        """Make sure that a cell has these calendars as they are in the home cell."""
        home = self._cells.home
        if cell is home or not ids:
            return
        if only_if_there:
            ids = {one.id for one in await cell.run(lambda: cell.placing.calendar_copies(sorted(ids)))}
        if ids:
            copies = await home.run(lambda: home.placing.calendar_copies(sorted(ids)))
            await cell.run(lambda: cell.placing.copy_calendars(copies))

    async def bring_named(self, cell: Cell, user_id: int, names: set[str]) -> None:
        """Make sure that a cell has a user's calendars with these names."""
        if cell is not self._cells.home and names:
            home = self._cells.home
            found = await home.run(lambda: home.stores.calendars.named(user_id, sorted(names)))
            await self.bring(cell, {one.id for one in found})


class CellCalendars:
    """`CalendarStore` of a cell that is not home. A calendar that has no copy here is read from the home cell."""

    def __init__(self, own: CalendarStore, home: Cell) -> None:
        self._own, self._home = own, home

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """Create a calendar, in the home cell."""
        return await self._home.run(lambda: self._home.stores.calendars.create(user_id, name, content, now, actor))

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """Returns one calendar."""
        return await self._own.calendar(user_id, calendar_id)

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Returns calendars by name."""
        found = await self._own.named(user_id, names)
        missing = sorted(set(names) - {one.calendar.name for one in found})
        if missing:
            found += await self._home.run(lambda: self._home.stores.calendars.named(user_id, missing))
        return found

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns the calendars that have a copy here, in the order of ids."""
        return await self._own.calendars(user_id, after_id, limit)

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Replace the dates of a copy."""
        return await self._own.edit(user_id, calendar_id, content, now, actor)

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Delete a copy."""
        return await self._own.delete(user_id, calendar_id, now, actor)


class CellsCalendars:
    """Routes what the engine's `Calendars` does. A change needs all cells: no schedule may follow the former dates."""

    def __init__(self, cells: Cells, home: Calendars, copies: CalendarCopies) -> None:
        self._cells, self._home, self._copies = cells, home, copies

    async def create(self, user_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Create a calendar. `Conflict` when the name is in use."""
        return await self._at_home(lambda: self._home.create(user_id, calendar, actor))

    async def show(self, user_id: int, calendar_id: int) -> StoredCalendar:
        """Returns one calendar."""
        return await self._at_home(lambda: self._home.show(user_id, calendar_id))

    async def list(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns calendars in order of their ids."""
        return await self._at_home(lambda: self._home.list(user_id, after_id, limit))

    async def edit(self, user_id: int, calendar_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Replace the dates of a calendar in every cell. A repeat completes a change that failed half-way."""
        self._need_all()
        edited = await self._at_home(lambda: self._home.edit(user_id, calendar_id, calendar, actor))
        for cell in self._cells:
            if cell is not self._cells.home:
                await self._copies.bring(cell, {calendar_id}, only_if_there=True)
                await cell.ask(lambda at: at.repair.calendar_changed(calendar_id))
        return edited

    async def delete(self, user_id: int, calendar_id: int, actor: int) -> StoredCalendar:
        """Delete a calendar that no schedule uses. Returns the deleted calendar."""
        self._need_all()
        await self.show(user_id, calendar_id)
        for cell in self._cells:
            if cell is not self._cells.home:
                await cell.run(lambda one=cell: one.placing.drop_calendar(calendar_id))
        return await self._at_home(lambda: self._home.delete(user_id, calendar_id, actor))

    async def _at_home(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        return await self._cells.home.run(call)

    def _need_all(self) -> None:
        for cell in self._cells:
            if not cell.answers:
                raise StoreAway(f"{cell.sentence()}: a calendar can only be changed in all of them, try again.")
