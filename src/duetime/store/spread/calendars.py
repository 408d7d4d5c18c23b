"""Calendars live in the home database, with a copy wherever a schedule goes by them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.errors import StoreAway
from duetime.model.schedule import StoredCalendar
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members


class SpreadCalendars:
    """`CalendarStore` over several databases. Changing one needs all of them: none may go on by former dates."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """A new calendar."""
        return await self._members.home.ask(lambda stores: stores.calendars.create(user_id, name, content, now, actor))

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """One calendar."""
        return await self._members.home.ask(lambda stores: stores.calendars.calendar(user_id, calendar_id))

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Calendars by name."""
        return await self._members.home.ask(lambda stores: stores.calendars.named(user_id, names))

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Calendars by id."""
        return await self._members.home.ask(lambda stores: stores.calendars.calendars(user_id, after_id, limit))

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Other dates, in every database. A repeat brings what failed half-way to the others."""
        self._need_all()
        edited = await self._members.home.ask(
            lambda stores: stores.calendars.edit(user_id, calendar_id, content, now, actor)
        )
        if edited is not None:
            for member in self._others():
                await self.bring(member, {calendar_id}, only_if_there=True)
        return edited

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Remove one; `Conflict` while a schedule goes by it."""
        self._need_all()
        if await self.calendar(user_id, calendar_id) is None:
            return False
        for member in self._others():
            await member.ask(lambda _, one=member: one.placing.drop_calendar(calendar_id))
        return await self._members.home.ask(lambda stores: stores.calendars.delete(user_id, calendar_id, now, actor))

    async def bring(self, member: SpreadMember, ids: set[int], *, only_if_there: bool = False) -> None:
        """See that a database has these calendars, as they stand at home."""
        home = self._members.home
        if member is home or not ids:
            return
        if only_if_there:
            there = await member.ask(lambda _: member.placing.calendar_copies(sorted(ids)))
            ids = {one.id for one in there}
        if ids:
            copies = await home.ask(lambda _: home.placing.calendar_copies(sorted(ids)))
            await member.ask(lambda _: member.placing.copy_calendars(copies))

    def _others(self) -> list[SpreadMember]:
        return [member for member in self._members if member is not self._members.home]

    def _need_all(self) -> None:
        for member in self._members:
            if not member.answers:
                raise StoreAway(f"{member.sentence()}: a calendar can only be changed in all of them, try again.")
