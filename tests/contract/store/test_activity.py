"""Sums of activity: added up by user, span and time, read in order, and dropped when they are old."""

from __future__ import annotations

from datetime import timedelta

from contract.store.place import Place, at
from duetime.model.activity import HOUR, MINUTE, ActivityRow, start_of
from duetime.model.job import DeadFilter, JobFilter

MINUTE_0 = start_of(at(0), MINUTE)
LATER = MINUTE_0 + timedelta(minutes=1)


async def test_sums_of_the_same_minute_are_added_up(place: Place) -> None:
    activity, user = place.stores.activity, place.user
    row = ActivityRow(user, MINUTE, MINUTE_0, 1, 2, 3, 4, 5, 6, 7, 8, [1, 0, 2], 0.5)
    await activity.add([row, ActivityRow(user, MINUTE, LATER, launched=9)])
    await activity.add([row._replace(lateness=[1, 1, 1, 1], worst=0.25)])
    first, second = await activity.read(user, MINUTE, MINUTE_0, LATER + timedelta(minutes=1))
    assert first[:3] == (user, MINUTE, MINUTE_0)
    assert first[3:11] == (2, 4, 6, 8, 10, 12, 14, 16)
    assert (list(first.lateness), first.worst) == ([2, 1, 3, 1], 0.5)
    assert (second.at, second.launched) == (LATER, 9)


async def test_each_user_and_span_has_its_own_sums_and_old_ones_go(place: Place) -> None:
    activity, user, other = place.stores.activity, place.user, await place.new_user()
    hour = start_of(at(0), HOUR)
    await activity.add([ActivityRow(one, MINUTE, MINUTE_0, launched=one) for one in (user, other)])
    await activity.add([ActivityRow(user, HOUR, hour, launched=7)])
    end = MINUTE_0 + timedelta(days=1)
    assert [row.launched for row in await activity.read(other, MINUTE, hour, end)] == [other]
    assert [row.launched for row in await activity.read(user, HOUR, hour, end)] == [7]
    await activity.drop(LATER, hour)
    assert await activity.read(user, MINUTE, hour, end) == []
    assert len(await activity.read(user, HOUR, hour, end)) == 1
    await activity.drop(LATER, hour + timedelta(hours=1))
    assert await activity.read(user, HOUR, hour, end) == []


async def test_an_empty_store_has_nothing_due_planned_or_in_flight(place: Place) -> None:
    activity, user, end = place.stores.activity, place.user, LATER + timedelta(hours=1)
    assert await activity.launches(start_of(at(0), HOUR), 1) == []
    assert (await activity.due_now(user, end, 1)).overdue == 0
    assert await activity.due_flows(user, end) == []
    assert await activity.in_flight(user) == (0, 0)
    assert await activity.blocked_lanes(user) == 0
    assert await activity.schedules([user]) == []
    assert await activity.planned(user, MINUTE_0, end, 1) == []
    await activity.totals()


async def test_a_new_user_has_nothing_to_count_or_search(place: Place) -> None:
    insight, dead, user = place.stores.insight, place.stores.dead, await place.new_user()
    assert not await insight.count(user, JobFilter())
    assert not await insight.definitions(user, 1)
    assert await dead.groups(user, DeadFilter()) == []
    await insight.search_floor(user, JobFilter(q="x"))
