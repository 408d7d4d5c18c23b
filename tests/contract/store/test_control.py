"""Edits and cancels: under the launch's lock, or not at all."""

from __future__ import annotations

import pytest

from contract.store.place import EVERYTHING, NOW, Place, at
from contract.store.schedules import occurrence, schedule
from duetime.model.errors import Conflict
from duetime.model.states import JobState
from duetime.store.port import ColumnChange

CANCELLED = JobState.CANCELLED


async def test_what_is_not_in_flight_is_withdrawn_once(place: Place) -> None:
    ref = await place.add()
    assert await place.stores.control.withdraw(place.user, ref.id, CANCELLED, "why", at(1), place.user)
    assert not await place.stores.control.withdraw(place.user, ref.id, CANCELLED, "why", at(1), place.user)
    job = await place.stores.insight.job(place.user, ref.id)
    assert job is not None
    assert (job.state, job.reason, job.finished_at) == (CANCELLED, "why", at(1))


async def test_what_is_in_flight_is_neither_withdrawn_nor_edited(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    assert not await place.stores.control.withdraw(place.user, ref.id, CANCELLED, "x", NOW, place.user)
    change = ColumnChange("job.edited", message="other")
    assert await place.stores.control.edit(place.user, ref.id, change, NOW, place.user) is None
    job = await place.stores.insight.job(place.user, ref.id)
    assert job is not None
    assert (job.state.value, job.message) == ("running", "m")


async def test_nobody_touches_another_users_job(place: Place) -> None:
    ref, stranger = await place.add(), await place.new_user()
    assert not await place.stores.control.withdraw(stranger, ref.id, CANCELLED, "x", NOW, stranger)
    assert await place.stores.control.edit(stranger, ref.id, ColumnChange("job.edited"), NOW, stranger) is None
    await place.launch(ref)
    assert await place.stores.control.request_cancel(stranger, ref.id, NOW, stranger) is None


async def test_an_edit_sets_what_it_says_and_leaves_the_rest(place: Place) -> None:
    ref = await place.add(priority=2)
    change = ColumnChange("job.edited", execute_at=at(40), message="other", priority=7)
    edited = await place.stores.control.edit(place.user, ref.id, change, NOW, place.user)
    assert edited == (ref._replace(execute_at=at(40), due_at=at(40), priority=7), True)
    sooner = await place.stores.control.edit(
        place.user, ref.id, ColumnChange("job.run_now", due_at=NOW), NOW, place.user
    )
    assert sooner is not None
    assert (sooner.ref.due_at, sooner.ref.execute_at) == (NOW, at(40))
    assert await place.stores.due.due((at(0), 0), at(60), EVERYTHING, 10) == [sooner.ref]
    assert await place.launch(sooner.ref) == {ref.id}, "the lock was given back"


async def test_an_edit_keeps_sets_and_takes_away_an_expiry(place: Place) -> None:
    ref = await place.add(expires_at=at(50))
    for change, expires_at in (
        (ColumnChange("job.edited", message="other"), at(50)),
        (ColumnChange("job.edited", expires_at=at(70)), at(70)),
        (ColumnChange("job.edited", expires_at=None), None),
    ):
        assert await place.stores.control.edit(place.user, ref.id, change, NOW, place.user)
        job = await place.stores.insight.job(place.user, ref.id)
        assert job is not None
        assert job.expires_at == expires_at


async def test_a_run_is_asked_to_stop_through_its_executor(place: Place) -> None:
    ref = await place.add()
    assert await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user) is None
    await place.launch(ref)
    assert await place.stores.control.cancel_requests(place.node) == []
    assert await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user) == place.node
    assert await place.stores.control.cancel_requests(place.node) == [ref.id]
    job = await place.stores.insight.job(place.user, ref.id)
    assert job is not None
    assert job.cancel_requested


async def test_a_withdrawn_occurrence_sets_its_schedule_adrift(place: Place) -> None:
    ref = await schedule(place)
    assert await place.stores.schedules.needing_repair(10) == []
    assert await place.stores.control.withdraw(place.user, ref.id, CANCELLED, "x", NOW, place.user)
    (row,) = await place.stores.schedules.needing_repair(10)
    assert (row.id, row.pending_job, row.pending_nominal) == (ref.schedule_id, None, at(0))


async def test_an_occurrence_cannot_be_moved_to_the_instant_of_another(place: Place) -> None:
    pending = await occurrence(place, await schedule(place))
    first = pending.first
    change = ColumnChange("job.edited", execute_at=pending.next.execute_at)
    with pytest.raises(Conflict):
        await place.stores.control.edit(place.user, first.id, change, NOW, place.user)
    assert await place.stores.control.edit(
        place.user, first.id, ColumnChange("job.edited", due_at=at(5)), NOW, place.user
    )


async def test_many_are_cancelled_at_once_and_those_that_run_are_asked_to_stop(place: Place) -> None:
    waiting, other, running, dead, held = [await place.add(lane=lane) for lane in (None, "b", None, None, "a")]
    foreign = await place.add(user_id=await place.new_user())
    await place.launch(running)
    await place.die(dead)
    await place.die(held, park=True)
    named = [ref.id for ref in (waiting, other, running, dead, held, foreign)]
    done = await place.stores.control.cancel_many(place.user, [*named, named[0]], at(1), place.user)
    assert {one.job_id for one in done.ended} == {waiting.id, other.id}
    assert {one.lane for one in done.ended} == {None, "b"}
    assert done.asked == {running.id: place.node}
    job = await place.stores.insight.job(place.user, waiting.id)
    assert job is not None
    assert (job.state, job.reason, job.finished_at) == (CANCELLED, "cancelled", at(1))
    assert await place.stores.control.cancel_requests(place.node) == [running.id]
    assert [await place.state(ref.id) for ref in (running, dead, held)] == ["running", "dead", "dead"]
    assert (await place.audit())[-1] == (place.user, "jobs.cancelled", f"user:{place.user}")
    again = await place.stores.control.cancel_many(place.user, named, at(2), place.user)
    assert again[:2] == ([], {}), "a repeat does nothing"


async def test_cancelling_the_pending_occurrences_of_schedules_marks_these_for_repair(place: Place) -> None:
    pending = [await schedule(place, name=name) for name in ("one", "two")]
    done = await place.stores.control.cancel_many(place.user, [ref.id for ref in pending], at(1), place.user)
    assert len(done.ended) == 2
    assert [one.id for one in await place.stores.schedules.needing_repair(10)] == [ref.schedule_id for ref in pending]
