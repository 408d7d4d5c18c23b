"""Lanes as people see them: their heads, which of them wait for a person, and clearing one."""

from __future__ import annotations

from contract.store.place import NOW, Audited, Place, at
from duetime.model.states import JobState


async def lanes(place: Place, *, lane: str | None = None, blocked: bool = False, limit: int = 10) -> list[str]:
    """The names of lanes."""
    found = await place.stores.dead.lanes(place.user, lane=lane, blocked=blocked, limit=limit)
    return [one.lane for one in found]


async def test_a_lane_shows_its_first_job_and_its_length(place: Place) -> None:
    second, first = await place.add(5, lane="a"), await place.add(0, lane="a")
    await place.add(lane="b")
    await place.add()
    a, b = await place.stores.dead.lanes(place.user, lane=None, blocked=False, limit=10)
    assert (a.lane, a.head, a.head_state, a.length, a.blocked, a.reason) == (
        "a",
        first.id,
        JobState.CREATED,
        2,
        False,
        None,
    )
    assert (b.lane, b.length) == ("b", 1)
    await place.launch(first)
    (running,) = await place.stores.dead.lanes(place.user, lane="a", blocked=False, limit=1)
    assert (running.head, running.head_state, running.blocked) == (first.id, JobState.RUNNING, False)
    await place.succeed(first)
    (rest,) = await place.stores.dead.lanes(place.user, lane="a", blocked=False, limit=1)
    assert (rest.head, rest.length) == (second.id, 1)


async def test_lanes_come_by_name_up_to_a_bound_and_for_their_user_only(place: Place) -> None:
    for name in ("c", "a", "b"):
        await place.add(lane=name)
    assert await lanes(place) == ["a", "b", "c"]
    assert await lanes(place, limit=2) == ["a", "b"]
    assert await lanes(place, lane="b") == ["b"]
    assert await lanes(place, lane="x") == []
    stranger = await place.new_user()
    assert await place.stores.dead.lanes(stranger, lane=None, blocked=False, limit=10) == []
    assert await place.stores.dead.lanes(stranger, lane="a", blocked=False, limit=10) == []


async def test_a_lane_waits_for_a_person_while_its_first_job_is_dead(place: Place) -> None:
    free, held = await place.add(lane="free"), await place.add(lane="held")
    await place.add(5, lane="held")
    assert await place.stores.dead.blocked_lanes(place.user) == 0
    await place.die(held, "no more", park=True)
    assert await lanes(place, blocked=True) == ["held"]
    (state,) = await place.stores.dead.lanes(place.user, lane="held", blocked=False, limit=1)
    assert (state.head, state.head_state, state.length, state.blocked, state.reason) == (
        held.id,
        JobState.DEAD,
        2,
        True,
        "no more",
    )
    assert await place.stores.dead.blocked_lanes(place.user) == 1
    assert await place.stores.dead.blocked_lanes(await place.new_user()) == 0
    await place.stores.dead.redrive(place.user, [held.id], NOW, 0.0, NOW, place.user)
    assert await lanes(place, blocked=True) == []
    assert await place.stores.dead.blocked_lanes(place.user) == 0
    assert await place.launch(free) == {free.id}


async def test_clearing_cancels_what_is_not_in_flight_and_nothing_else(place: Place) -> None:
    running, waiting = await place.add(lane="a"), await place.add(5, lane="a")
    elsewhere, stranger = await place.add(lane="b"), await place.new_user()
    theirs = await place.add(lane="a", user_id=stranger)
    await place.launch(running)
    (ended,) = await place.stores.dead.clear_lane(place.user, "a", at(9), place.user)
    assert (ended.job_id, ended.state, ended.lane) == (waiting.id, JobState.CANCELLED, "a")
    job = await place.stores.insight.job(place.user, waiting.id)
    assert job is not None
    assert (job.state, job.reason, job.finished_at) == (JobState.CANCELLED, "the lane was cleared", at(9))
    assert await place.state(running.id) == "running"
    assert await place.state(elsewhere.id) == "created"
    assert await place.stores.insight.job(stranger, theirs.id) is not None
    assert (await place.audit())[-1] == Audited(place.user, "lane.cleared", "lane:a")
    await place.succeed(running)
    assert await lanes(place, lane="a") == []


async def test_clearing_frees_a_lane_that_waits_for_a_person_and_a_repeat_does_nothing(place: Place) -> None:
    held = await place.add(lane="a")
    await place.die(held, park=True)
    cleared = await place.stores.dead.clear_lane(place.user, "a", at(9), place.user)
    assert [one.job_id for one in cleared] == [held.id]
    before = await place.audit()
    assert await place.stores.dead.clear_lane(place.user, "a", at(9), place.user) == []
    assert await place.audit() == before
    after = await place.add(lane="a")
    assert await place.launch(after) == {after.id}, "no lock was left behind"
