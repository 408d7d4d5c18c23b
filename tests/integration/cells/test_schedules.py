"""Schedules of several databases: they fire, their names are unique, and calendars count everywhere."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import shard_of_lane
from duetime.timing.calendars import Calendar
from harness.cells import CellEngines
from harness.schedules import MINUTE, add, at, content, ran

START = at("2026-01-01T00:00:00Z")


async def homes(cells: CellEngines, ids: list[int]) -> list[int]:
    found = {}
    for number, pool in enumerate(cells.straight):
        found |= {row["id"]: number for row in await pool.rows("SELECT id FROM schedules")}
    return [found[one] for one in ids]


async def some_in_both(cells: CellEngines, user: int, **more: Any) -> list[int]:
    """Schedules whose ordering keys cells them over both databases."""
    keys = [f"key {n}" for n in range(6)]
    assert {shard_of_lane(user, key) < 512 for key in keys} == {True, False}
    contents = [content(f"s {key}", ordering_key=key, **more) for key in keys]
    return await cells.schedules.create(user, contents, user)


async def test_schedules_fire_from_both_databases(cells: CellEngines) -> None:
    user = await cells.user()
    ids = await some_in_both(cells, user, cron="* * * * *")
    assert set(await homes(cells, ids)) == {0, 1}
    await cells.pass_time(180, step=30)
    for schedule in ids:
        assert await ran(cells, user, schedule) == [START + MINUTE * n for n in (1, 2, 3)]
    assert [one.id for one in await cells.schedules.list(user, 0, 4)] == ids[:4]
    assert [one.id for one in await cells.schedules.list(user, ids[3], 4)] == ids[4:]


async def test_while_one_database_is_away_only_its_schedules_wait(cells: CellEngines) -> None:
    user = await cells.user()
    ids = await some_in_both(cells, user, cron="* * * * *", misfire=content().misfire)
    there = dict(zip(ids, await homes(cells, ids), strict=True))
    await cells.away(1)
    await cells.pass_time(120, step=30)
    await cells.repair()
    assert {run.due_at for run in cells.bus.sent} == {START + MINUTE, START + 2 * MINUTE}
    assert len(cells.bus.sent) == 2 * sum(home == 0 for home in there.values())
    await cells.back(1)
    await cells.settle_down()
    for schedule in ids:
        assert (await ran(cells, user, schedule))[-1] == START + 2 * MINUTE


async def test_names_are_unique_across_databases(cells: CellEngines) -> None:
    user = await cells.user()
    ids = await some_in_both(cells, user, cron="@daily")
    for name in ("s key 0", "s key 1", "s key 2", "s key 3"):
        for key in ("key 0", "key 1", "key 2", "key 3"):
            with pytest.raises(Conflict, match=f"is already a schedule with the name '{name}'"):
                await add(cells, user, name, ordering_key=key, cron="@daily")
    assert await cells.count("schedules") == 6
    await cells.schedules.delete(user, ids[0], user)
    again = await add(cells, user, "s key 0", ordering_key="key 3", cron="@daily")
    with pytest.raises(Conflict):
        await cells.schedules.edit(user, again, content("s key 1", ordering_key="key 3", cron="@daily"), user)
    await cells.schedules.edit(user, again, content("renamed", ordering_key="key 3", cron="@daily"), user)
    assert await add(cells, user, "s key 0", cron="@daily")
    assert [one.id for one in await cells.schedules.named(user, ["renamed"])] == [again]


async def test_a_name_left_by_one_who_died_is_taken_over(cells: CellEngines, monkeypatch: pytest.MonkeyPatch) -> None:
    user = await cells.user()

    async def away(*_: Any, **__: Any) -> None:
        raise StoreAway

    for database in cells.databases:
        monkeypatch.setattr(database.stores.schedules, "create", away)
    with pytest.raises(StoreAway):
        await add(cells, user, "nightly", cron="@daily")
    monkeypatch.undo()
    assert await cells.count("schedule_names") == 1
    assert await add(cells, user, "nightly", cron="@daily")


async def test_a_change_that_would_need_another_database_is_refused(cells: CellEngines) -> None:
    user = await cells.user()
    ids = await some_in_both(cells, user, cron="@daily")
    where = await homes(cells, ids)
    other = where.index(1 - where[0])
    with pytest.raises(Conflict, match="would live in another database"):
        await cells.schedules.edit(user, ids[0], content("s", ordering_key=f"key {other}", cron="@daily"), user)
    await cells.schedules.pause(user, ids[other], user)
    assert (await cells.schedules.resume(user, ids[other], user)).state == "active"


async def test_a_calendar_counts_in_every_database(cells: CellEngines) -> None:
    user = await cells.user()
    calendar = await cells.calendars.create(user, Calendar(name="off", dates=(date(2026, 1, 2),)), user)
    ids = await some_in_both(cells, user, cron="@daily", calendar="off")
    shown = [await cells.schedules.show(user, one) for one in ids]
    assert {one.pending_nominal for one in shown} == {START + timedelta(days=2)}
    await cells.calendars.edit(user, calendar.id, Calendar(name="off", dates=(date(2026, 1, 3),)), user)
    shown = [await cells.schedules.show(user, one) for one in ids]
    assert {one.pending_nominal for one in shown} == {START + timedelta(days=1)}
    with pytest.raises(Conflict, match="Schedules use this calendar"):
        await cells.calendars.delete(user, calendar.id, user)
    await cells.away(1)
    with pytest.raises(StoreAway):
        await cells.calendars.edit(user, calendar.id, Calendar(name="off", dates=()), user)
    await cells.back(1)
    for one in ids:
        await cells.schedules.delete(user, one, user)
    await cells.calendars.delete(user, calendar.id, user)
    assert await cells.count("calendars") == 0
