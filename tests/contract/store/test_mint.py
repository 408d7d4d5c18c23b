"""Occurrences: launched or skipped together with the next one, fenced, once for each nominal instant."""

from __future__ import annotations

import pytest
from msgspec import structs

from contract.store.place import NOW, Place, at
from contract.store.schedules import following, mint, minting, occurrence, schedule
from duetime.model.errors import Conflict
from duetime.store.port import JobChange
from duetime.store.schedule_port import Replan


async def test_a_launch_stores_the_next_occurrence(place: Place) -> None:
    ref = await schedule(place)
    minted = await mint(place, minting(place, ref))
    assert minted.launched == {ref.id}
    (after,) = minted.next
    assert (after.execute_at, after.schedule_id, after.lane, after.attempt) == (at(10), ref.schedule_id, None, 0)
    assert await place.state(ref.id) == "running"
    ((row, overlapping),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert (row.pending_job, row.pending_nominal, row.occurrences, row.state) == (after.id, at(10), 1, "active")
    assert overlapping == [], "overlap is allowed, so nobody counts"


async def test_a_repeat_finds_another_pending_occurrence_and_does_nothing(place: Place) -> None:
    ref = await schedule(place)
    await mint(place, minting(place, ref))
    again = await mint(place, minting(place, ref))
    assert (again.launched, again.next, again.queued) == (set(), [], set())
    ((row, _),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert row.occurrences == 1


async def test_another_version_changes_nothing_and_leaves_no_lock(place: Place) -> None:
    ref = await schedule(place)
    stale = await mint(place, structs.replace(minting(place, ref), version=7))
    assert (stale.launched, stale.next, stale.planned_anew) == (set(), [], {ref.schedule_id})
    assert (await mint(place, minting(place, ref))).launched == {ref.id}


async def test_a_stale_term_a_stranger_and_a_fenced_node_mint_nothing(place: Place) -> None:
    ref = await schedule(place)
    old = minting(place, ref)
    other, _ = await place.new_node()
    assert (await mint(place, old, node=other)).launched == set()
    assert (await mint(place, structs.replace(old, term=old.term - 1))).launched == set()
    await place.let_lease_end(place.node)
    await place.coordinator.fence()
    fenced = await mint(place, old)
    assert (fenced.launched, fenced.next) == (set(), [])
    assert await place.state(ref.id) == "created"


async def test_earlier_occurrences_that_are_not_finished_are_counted(place: Place) -> None:
    ref = await schedule(place, overlap="skip")
    pair = await occurrence(place, ref)
    ((row, overlapping),) = await place.stores.mint.to_launch([ref.schedule_id or 0])
    assert (row.pending_job, overlapping) == (pair.next.id, [ref.id])


async def test_a_skipped_occurrence_is_on_record_with_its_reason(place: Place) -> None:
    ref = await schedule(place)
    minted = await mint(place, minting(place, ref, skip=True))
    assert (minted.launched, len(minted.next)) == (set(), 1)
    assert await place.state(ref.id) == "skipped"
    pending, skipped = await place.stores.schedules.history(ref.schedule_id or 0, 2**53, 10)
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
    assert [one.id for one in await place.stores.due.promote([(place.user, "a")])] == [busy.id]


async def test_what_a_person_put_into_an_occurrence_stays_when_it_becomes_a_later_one(place: Place) -> None:
    plain, edited = await schedule(place, "plain"), await schedule(place, "edited")
    await place.stores.control.edit(place.user, edited.id, JobChange("job.edited", message="mine"), NOW, place.user)
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
    minted = await mint(place, twice)
    assert (minted.launched, minted.next) == ({pair.next.id}, [])
    (row,) = await place.stores.schedules.adrift(10)
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
