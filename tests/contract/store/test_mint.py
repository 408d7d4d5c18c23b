"""Occurrences: launched or skipped together with the next one, fenced, once for each nominal instant."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from msgspec import structs

from contract.store.place import NOW, Place, at
from contract.store.schedules import following, go, mint, minting, occurrence, schedule
from duetime.model.errors import Conflict
from duetime.model.states import JobState
from duetime.store.port import ColumnChange, Ending
from duetime.store.schedule_port import Minted, Replan

Way = Callable[..., Awaitable[Minted]]


both = pytest.mark.parametrize("way", [go, mint], ids=["go", "mint"])
"""As it is, in one statement, or the long way: the same comes of it."""


@both
async def test_a_launch_stores_the_next_occurrence_and_says_what_is_to_be_done(place: Place, way: Way) -> None:
    ref = await schedule(place)
    minted = await way(place, minting(place, ref))
    (row,) = minted.rows
    assert (row.id, row.user_id, row.definition_id, row.message) == (ref.id, place.user, place.definition, "m")
    assert (row.execute_at, row.due_at, row.lane, row.attempt, row.flow) == (NOW, NOW, None, 0, ref.flow)
    (after,) = minted.next
    assert after == ref._replace(id=after.id, execute_at=at(10), due_at=at(10))
    assert await place.state(ref.id) == "running"
    ((row, overlapping),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert (row.pending_job, row.pending_nominal, row.occurrences, row.state) == (after.id, at(10), 1, "active")
    assert overlapping == [], "overlap is allowed, so nobody counts"


@both
async def test_a_repeat_finds_another_pending_occurrence_and_does_nothing(place: Place, way: Way) -> None:
    ref = await schedule(place)
    await way(place, minting(place, ref))
    again = await way(place, minting(place, ref))
    assert (again.launched, again.next, again.queued) == (set(), [], set())
    ((row, _),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert row.occurrences == 1


@both
async def test_another_version_changes_nothing_and_leaves_no_lock(place: Place, way: Way) -> None:
    ref, other = await schedule(place), await schedule(place, "other")
    stale = await way(place, structs.replace(minting(place, ref), version=7), minting(place, other))
    assert (stale.launched, stale.outdated, stale.deferred) == ({other.id}, {ref.schedule_id}, set())
    assert [one.schedule_id for one in stale.next] == [other.schedule_id]
    assert (await way(place, minting(place, ref))).launched == {ref.id}


async def test_a_pending_occurrence_that_was_withdrawn_is_planned_anew(place: Place) -> None:
    ref = await schedule(place)
    await place.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "x", NOW, place.user)
    minted = await go(place, minting(place, ref))
    assert (minted.rows, minted.next, minted.outdated) == ([], [], {ref.schedule_id})
    assert await place.stores.settle.launched_before(place.node, at(1), 10) == []


@both
async def test_a_stale_term_a_stranger_and_a_fenced_node_mint_nothing(place: Place, way: Way) -> None:
    ref = await schedule(place)
    old = minting(place, ref)
    other, _ = await place.new_node()
    assert (await way(place, old, node=other)).launched == set()
    assert (await way(place, structs.replace(old, term=old.term - 1))).launched == set()
    await place.let_lease_end(place.node)
    await place.coordinator.fence()
    fenced = await way(place, old)
    assert fenced == Minted()
    assert await place.state(ref.id) == "created"


async def test_earlier_occurrences_that_are_not_finished_are_counted(place: Place) -> None:
    ref = await schedule(place, overlap="skip")
    pair = await occurrence(place, ref)
    ((row, overlapping),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert (row.pending_job, overlapping) == (pair.next.id, [ref.id])


async def test_an_occurrence_that_is_to_be_alone_goes_only_if_no_earlier_one_is_unfinished(place: Place) -> None:
    ref, free = await schedule(place, overlap="skip"), await schedule(place, "free", overlap="skip")
    pair = await occurrence(place, ref)
    steps = [structs.replace(minting(place, one), alone=True) for one in (pair.next, free)]
    minted = await place.stores.mint.launch_and_mint(place.node, at(10), steps)
    assert (minted.launched, minted.outdated, minted.deferred) == ({free.id}, {ref.schedule_id}, set())
    ((row, _),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert row.pending_job == pair.next.id
    await place.launch(pair.first)
    await place.stores.settle.finish([Ending(ref.id, place.node, 2, JobState.SUCCEEDED, at(1), at(1), None, None)])
    step = structs.replace(minting(place, pair.next, after=20), alone=True)
    assert (await place.stores.mint.launch_and_mint(place.node, at(10), [step])).launched == {pair.next.id}


async def test_a_calendar_that_changed_is_planned_by_anew(place: Place) -> None:
    ref = await schedule(place)
    minted = await go(place, structs.replace(minting(place, ref), calendar_version=2))
    assert (minted.launched, minted.outdated) == (set(), {ref.schedule_id})


@both
async def test_what_an_edit_put_into_an_occurrence_is_what_is_done(place: Place, way: Way) -> None:
    text, later = await schedule(place, "text"), await schedule(place, "later")
    for ref, change in ((text, ColumnChange("e", message="mine")), (later, ColumnChange("e", execute_at=at(60)))):
        await place.stores.control.edit(place.user, ref.id, change, NOW, place.user)
    minted = await way(place, minting(place, text), minting(place, later))
    assert [(row.id, row.message) for row in minted.rows] == [(text.id, "mine")]
    assert {one.schedule_id for one in minted.next} == {text.schedule_id, later.schedule_id}
    assert await place.state(later.id) == "created"
    assert [one.job_id for one in await place.stores.settle.launched_before(place.node, at(1), 10)] == [text.id]


async def test_an_occurrence_goes_into_its_lane_if_that_is_free(place: Place) -> None:
    ref = await schedule(place)
    minted = await go(place, minting(place, ref, lane="a"))
    assert [(row.id, row.lane) for row in minted.rows] == [(ref.id, "a")]
    behind = await place.add(lane="a")
    assert await place.launch(behind) == set(), "it holds the lane"
    assert await place.stores.due.promote([(place.user, "a")]) == [], "and is in it"
    second = await go(place, minting(place, minted.next[0], lane="a", after=20))
    assert (second.rows, second.next, second.deferred) == ([], [], {minted.next[0].id})


async def test_an_occurrence_does_not_go_before_another_job_of_its_lane(place: Place) -> None:
    before, ref = await place.add(-5, lane="a"), await schedule(place)
    minted = await go(place, minting(place, ref, lane="a"))
    assert (minted.rows, minted.deferred, minted.outdated) == ([], {ref.id}, set())
    assert await place.launch(before) == {before.id}


@both
async def test_of_two_occurrences_for_one_lane_the_earlier_one_goes(place: Place, way: Way) -> None:
    later, earlier = await schedule(place, "later"), await schedule(place, "earlier", seconds=-5)
    minted = await way(place, minting(place, later, lane="a"), minting(place, earlier, lane="a"))
    assert minted.launched == {earlier.id}
    assert minted.deferred | minted.queued == {later.id}


async def test_an_occurrence_that_an_edit_gave_another_place_in_its_lane_is_not_launched(place: Place) -> None:
    ref = await schedule(place)
    await place.stores.control.edit(place.user, ref.id, ColumnChange("e", execute_at=at(-3)), NOW, place.user)
    minted = await go(place, minting(place, ref, lane="a"))
    assert (minted.rows, len(minted.next)) == ([], 1)
    (head,) = await place.stores.due.promote([(place.user, "a")])
    assert await place.launch(head) == {ref.id} == {head.id}


async def test_a_skipped_occurrence_is_on_record_with_its_reason(place: Place) -> None:
    ref = await schedule(place)
    minted = await mint(place, minting(place, ref, skip=True))
    assert (minted.launched, len(minted.next)) == (set(), 1)
    assert await place.state(ref.id) == "skipped"
    pending, skipped = await place.stores.schedules.history(place.user, ref.schedule_id or 0, 2**53, 10)
    assert (skipped.job_id, skipped.nominal, skipped.reason) == (ref.id, at(0), "misfire: late")
    assert (pending.nominal, pending.state) == (at(10), "created")


async def test_an_occurrence_whose_lane_is_busy_enters_it_and_waits(place: Place) -> None:
    busy = await place.add(-5, lane="a")
    await place.launch(busy)
    ref = await schedule(place)
    minted = await mint(place, minting(place, ref, lane="a"))
    assert (minted.launched, minted.queued, len(minted.next)) == (set(), {ref.id}, 1)
    assert await place.launch(ref._replace(lane="a")) == set()
    assert await place.state(ref.id) == "created"
    assert await place.stores.due.promote([(place.user, "a")]) == []
    await place.succeed(busy)
    assert [one.id for one in await place.stores.due.promote_waiting([(place.user, "a")])] == [ref.id]


async def test_what_a_person_put_into_an_occurrence_stays_when_it_becomes_a_later_one(place: Place) -> None:
    plain, edited = await schedule(place, "plain"), await schedule(place, "edited")
    await place.stores.control.edit(place.user, edited.id, ColumnChange("job.edited", message="mine"), NOW, place.user)
    for ref in (plain, edited):
        one = minting(place, ref)
        launch = one.launch._replace(execute_at=at(-1), message="later", moved=True) if one.launch else None
        assert (await mint(place, structs.replace(one, launch=launch))).launched == {ref.id}
    jobs = [await place.stores.insight.job(place.user, ref.id) for ref in (plain, edited)]
    assert [(job.message, job.execute_at) for job in jobs if job] == [("later", at(-1)), ("mine", at(-1))]


async def test_a_nominal_instant_that_is_taken_sets_the_schedule_adrift(place: Place) -> None:
    pair = await occurrence(place, await schedule(place))
    schedule_id = pair.next.schedule_id or 0
    twice = minting(place, pair.next, after=0)
    assert await go(place, twice) == Minted(deferred={pair.next.id})
    minted = await place.stores.mint.mint(place.node, at(10), [twice])
    assert (minted.launched, minted.next) == ({pair.next.id}, [])
    (row,) = await place.stores.schedules.needing_repair(10)
    assert (row.id, row.pending_job, row.state) == (schedule_id, None, "active")


async def test_names_are_unique_for_a_user(place: Place) -> None:
    await schedule(place, "one")
    with pytest.raises(Conflict):
        await schedule(place, "one")


async def test_a_change_replaces_the_pending_occurrence_unless_it_is_in_flight(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    changed, refs = await place.stores.schedules.replan([Replan(place.user, 1, ref.id, (), following(number, 20))], NOW)
    assert (changed, [one.execute_at for one in refs]) == ({number}, [at(20)])
    assert await place.state(ref.id) is None
    late = Replan(place.user, 1, ref.id, (), following(number, 30))
    assert await place.stores.schedules.replan([late], NOW) == (set(), [])
    (pending,) = refs
    await place.launch(pending)
    busy = Replan(place.user, 2, pending.id, (), following(number, 30))
    assert await place.stores.schedules.replan([busy], NOW) == (set(), [])
    assert await place.state(pending.id) == "running"


async def test_schedules_are_counted_by_user(place: Place) -> None:
    assert await place.stores.schedules.count(place.user) == 0
    await schedule(place, "one")
    await schedule(place, "two")
    assert await place.stores.schedules.count(place.user) == 2
    assert await place.stores.schedules.count(await place.new_user()) == 0
