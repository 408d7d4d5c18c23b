"""Calendars: one for each name, kept while a schedule uses them, every change audited."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from contract.store.place import NOW, Audited, Place, at
from contract.store.schedules import following, go, minting, schedule
from duetime.model.errors import Conflict
from duetime.model.schedule import StoredCalendar
from duetime.store.schedule_port import Replan
from duetime.timing.calendars import Calendar

CHRISTMAS, NEW_YEAR = date(2026, 12, 25), date(2027, 1, 1)


def content(name: str = "holidays", *dates: date) -> str:
    """A calendar as it is stored."""
    return msgspec.json.encode(Calendar(name, dates)).decode()


async def make(place: Place, name: str = "holidays", *dates: date) -> StoredCalendar:
    """A new calendar of the place's user."""
    return await place.stores.calendars.create(place.user, name, content(name, *dates), at(1), place.user)


async def test_a_calendar_is_stored_as_it_was_handed_in(place: Place) -> None:
    made = await make(place, "holidays", CHRISTMAS)
    assert (made.user_id, made.calendar, made.version) == (place.user, Calendar("holidays", (CHRISTMAS,)), 1)
    assert (made.created_at, made.updated_at) == (at(1), at(1))
    assert await place.stores.calendars.calendar(place.user, made.id) == made
    assert await place.stores.calendars.named(place.user, ["holidays", "x"]) == [made]
    assert (await place.audit())[-1] == Audited(place.user, "calendar.created", f"calendar:{made.id}")


async def test_a_name_is_taken_once_for_each_user(place: Place) -> None:
    await make(place)
    before, stranger = await place.audit(), await place.new_user()
    with pytest.raises(Conflict):
        await make(place)
    assert await place.stores.calendars.create(stranger, "holidays", content(), NOW, stranger)
    actions = [entry.action for entry in (await place.audit())[len(before) :]]
    assert actions == ["user.created", "calendar.created"], "what was refused is not on record"


async def test_calendars_come_by_id_page_by_page(place: Place) -> None:
    made = [await make(place, name) for name in ("c", "a", "b")]
    calendars = place.stores.calendars
    assert await calendars.calendars(place.user, 0, 2) == made[:2]
    assert await calendars.calendars(place.user, made[1].id, 10) == made[2:]


async def test_nobody_touches_another_users_calendar(place: Place) -> None:
    made, stranger = await make(place), await place.new_user()
    calendars, before = place.stores.calendars, await place.audit()
    assert await calendars.calendar(stranger, made.id) is None
    assert await calendars.named(stranger, ["holidays"]) == []
    assert await calendars.calendars(stranger, 0, 10) == []
    assert await calendars.edit(stranger, made.id, content(), at(2), stranger) is None
    assert not await calendars.delete(stranger, made.id, at(2), stranger)
    assert await calendars.calendar(place.user, made.id) == made
    assert await place.audit() == before


async def test_other_dates_raise_the_version(place: Place) -> None:
    made = await make(place, "holidays", CHRISTMAS)
    changed = await place.stores.calendars.edit(place.user, made.id, content("holidays", NEW_YEAR), at(9), place.user)
    assert changed is not None
    assert (changed.calendar.dates, changed.version) == ((NEW_YEAR,), 2)
    assert (changed.created_at, changed.updated_at) == (at(1), at(9))
    assert (await place.audit())[-1] == Audited(place.user, "calendar.edited", f"calendar:{made.id}")


async def test_a_schedule_shows_its_calendar_as_it_is_now(place: Place) -> None:
    made = await make(place, "holidays", CHRISTMAS)
    ref = await schedule(place, calendar_id=made.id)
    await place.stores.calendars.edit(place.user, made.id, content("holidays", NEW_YEAR), at(9), place.user)
    row = await place.stores.schedules.schedule(place.user, ref.schedule_id or 0)
    assert row is not None
    assert (row.calendar_version, row.calendar) == (2, content("holidays", NEW_YEAR))
    ((planned_with, _),) = await place.stores.mint.to_launch([row.id])
    assert planned_with == row
    stale = await go(place, msgspec.structs.replace(minting(place, ref), calendar_version=1))
    assert (stale.launched, stale.outdated) == (set(), {row.id})
    fresh = await go(place, msgspec.structs.replace(minting(place, ref), calendar_version=2))
    assert fresh.launched == {ref.id}


async def test_schedules_are_found_by_their_calendar_unless_they_are_paused(place: Place) -> None:
    made, other = await make(place), await make(place, "other")
    first = await schedule(place, "first", calendar_id=made.id)
    paused = await schedule(place, "paused", calendar_id=made.id)
    last = await schedule(place, "last", calendar_id=made.id)
    await schedule(place, "elsewhere", calendar_id=other.id)
    stop = following(paused.schedule_id or 0, None)._replace(state="paused")
    await place.stores.schedules.replan([Replan(place.user, 1, paused.id, (), stop)], NOW)
    rows = await place.stores.schedules.of_calendar(made.id, 0, 10)
    assert [row.id for row in rows] == [first.schedule_id, last.schedule_id]
    assert [row.id for row in await place.stores.schedules.of_calendar(made.id, rows[0].id, 10)] == [last.schedule_id]
    assert [row.id for row in await place.stores.schedules.of_calendar(made.id, 0, 1)] == [first.schedule_id]


async def test_a_calendar_in_use_is_kept_and_one_that_is_not_goes_once(place: Place) -> None:
    used, free = await make(place, "used"), await make(place, "free")
    await schedule(place, calendar_id=used.id)
    before = await place.audit()
    with pytest.raises(Conflict):
        await place.stores.calendars.delete(place.user, used.id, at(2), place.user)
    assert await place.stores.calendars.calendar(place.user, used.id) == used
    assert await place.audit() == before
    assert await place.stores.calendars.delete(place.user, free.id, at(2), place.user)
    assert not await place.stores.calendars.delete(place.user, free.id, at(2), place.user)
    assert (await place.audit())[-1] == Audited(place.user, "calendar.deleted", f"calendar:{free.id}")
    assert (await make(place, "free")).id != free.id, "the name is free again"
