"""Schedules of several databases: they fire, their names are unique, and calendars count everywhere."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import shard_of_lane
from duetime.timing.calendars import Calendar
from harness.schedules import MINUTE, add, at, content, ran
from harness.several import SpreadEngine

START = at("2026-01-01T00:00:00Z")


async def homes(spread: SpreadEngine, ids: list[int]) -> list[int]:
    found = {}
    for number, pool in enumerate(spread.straight):
        found |= {row["id"]: number for row in await pool.rows("SELECT id FROM schedules")}
    return [found[one] for one in ids]


async def some_in_both(spread: SpreadEngine, user: int, **more: Any) -> list[int]:
    """Schedules whose ordering keys spread them over both databases."""
    keys = [f"key {n}" for n in range(6)]
    assert {shard_of_lane(user, key) < 512 for key in keys} == {True, False}
    contents = [content(f"s {key}", ordering_key=key, **more) for key in keys]
    return await spread.schedules.create(user, contents, user)


async def test_schedules_fire_from_both_databases(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = await some_in_both(spread, user, cron="* * * * *")
    assert set(await homes(spread, ids)) == {0, 1}
    await spread.pass_time(180, step=30)
    for schedule in ids:
        assert await ran(spread, user, schedule) == [START + MINUTE * n for n in (1, 2, 3)]
    assert [one.id for one in await spread.schedules.list(user, 0, 4)] == ids[:4]
    assert [one.id for one in await spread.schedules.list(user, ids[3], 4)] == ids[4:]


async def test_while_one_database_is_away_only_its_schedules_wait(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = await some_in_both(spread, user, cron="* * * * *", misfire=content().misfire)
    there = dict(zip(ids, await homes(spread, ids), strict=True))
    await spread.away(1)
    await spread.pass_time(120, step=30)
    await spread.repair.run_once()
    assert {run.due_at for run in spread.bus.sent} == {START + MINUTE, START + 2 * MINUTE}
    assert len(spread.bus.sent) == 2 * sum(home == 0 for home in there.values())
    await spread.back(1)
    await spread.settle_down()
    for schedule in ids:
        assert (await ran(spread, user, schedule))[-1] == START + 2 * MINUTE


async def test_names_are_unique_across_databases(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = await some_in_both(spread, user, cron="@daily")
    for name in ("s key 0", "s key 1", "s key 2", "s key 3"):
        for key in ("key 0", "key 1", "key 2", "key 3"):
            with pytest.raises(Conflict, match=f"is already a schedule with the name '{name}'"):
                await add(spread, user, name, ordering_key=key, cron="@daily")
    assert await spread.count("schedules") == 6
    await spread.schedules.delete(user, ids[0], user)
    again = await add(spread, user, "s key 0", ordering_key="key 3", cron="@daily")
    with pytest.raises(Conflict):
        await spread.schedules.edit(user, again, content("s key 1", ordering_key="key 3", cron="@daily"), user)
    await spread.schedules.edit(user, again, content("renamed", ordering_key="key 3", cron="@daily"), user)
    assert await add(spread, user, "s key 0", cron="@daily")
    assert [one.id for one in await spread.schedules.named(user, ["renamed"])] == [again]


async def test_a_name_left_by_one_who_died_is_taken_over(spread: SpreadEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    user = await spread.user()

    async def away(*_: Any, **__: Any) -> None:
        raise StoreAway

    for part in spread.base.parts:
        monkeypatch.setattr(part.member.stores.schedules, "create", away)
    with pytest.raises(StoreAway):
        await add(spread, user, "nightly", cron="@daily")
    monkeypatch.undo()
    assert await spread.count("schedule_names") == 1
    assert await add(spread, user, "nightly", cron="@daily")


async def test_a_change_that_would_need_another_database_is_refused(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = await some_in_both(spread, user, cron="@daily")
    where = await homes(spread, ids)
    other = where.index(1 - where[0])
    with pytest.raises(Conflict, match="would live in another database"):
        await spread.schedules.edit(user, ids[0], content("s", ordering_key=f"key {other}", cron="@daily"), user)
    await spread.schedules.pause(user, ids[other], user)
    assert (await spread.schedules.resume(user, ids[other], user)).state == "active"


async def test_a_calendar_counts_in_every_database(spread: SpreadEngine) -> None:
    user = await spread.user()
    calendar = await spread.calendars.create(user, Calendar(name="off", dates=(date(2026, 1, 2),)), user)
    ids = await some_in_both(spread, user, cron="@daily", calendar="off")
    shown = [await spread.schedules.show(user, one) for one in ids]
    assert {one.pending_nominal for one in shown} == {START + timedelta(days=2)}
    await spread.calendars.edit(user, calendar.id, Calendar(name="off", dates=(date(2026, 1, 3),)), user)
    shown = [await spread.schedules.show(user, one) for one in ids]
    assert {one.pending_nominal for one in shown} == {START + timedelta(days=1)}
    with pytest.raises(Conflict, match="Schedules use this calendar"):
        await spread.calendars.delete(user, calendar.id, user)
    await spread.away(1)
    with pytest.raises(StoreAway):
        await spread.calendars.edit(user, calendar.id, Calendar(name="off", dates=()), user)
    await spread.back(1)
    for one in ids:
        await spread.schedules.delete(user, one, user)
    await spread.calendars.delete(user, calendar.id, user)
    assert await spread.count("calendars") == 0
