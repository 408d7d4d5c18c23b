"""Launching: each wall by itself, what a launch reads, and taking one back."""

from __future__ import annotations

import pytest

from contract.store.place import NOW, SHARD, Place, at
from duetime.model.states import JobState
from duetime.store.port import Again, ColumnChange, LaunchIntent


async def test_the_owner_launches_and_nobody_launches_again(place: Place) -> None:
    ref = await place.add()
    assert await place.launch(ref) == {ref.id}
    assert await place.launch(ref) == set()
    assert await place.state(ref.id) == "running"


async def test_a_term_that_is_not_the_shards_launches_nothing(place: Place) -> None:
    ref, term = await place.add(), place.terms[SHARD]
    assert await place.launch(ref, term=term - 1) == set()
    assert await place.launch(ref, term=term + 1) == set()
    other, _ = await place.new_node()
    assert await place.launch(ref, node=other) == set(), "the term is right, the node does not own the shard"
    await place.coordinator.release(place.node, [SHARD])
    assert await place.launch(ref) == set(), "given back is not owned"
    (term_now,) = (await place.coordinator.acquire(other, [SHARD])).values()
    assert term_now == term + 1
    assert await place.launch(ref) == set()
    assert await place.launch(ref, node=other, term=term_now) == {ref.id}


async def test_a_fenced_node_launches_nothing_even_before_others_have_taken_over(place: Place) -> None:
    ref = await place.add()
    await place.let_lease_end(place.node)
    assert await place.coordinator.fence() == [place.node]
    assert await place.launch(ref) == set()
    assert await place.state(ref.id) == "created"


async def test_of_a_lane_one_is_in_flight_and_it_is_the_first(place: Place) -> None:
    first, second = await place.add(1, lane="a"), await place.add(2, lane="a")
    other = await place.add(3, lane="b")
    assert await place.launch(second) == set()
    assert await place.launch(first, second, other) == {first.id, other.id}
    assert await place.launch(second) == set()
    before = await place.add(0, lane="a")
    assert await place.launch(before) == set(), "earlier by its instant, but another of the lane is in flight"
    await place.succeed(first)
    assert await place.launch(second) == set()
    assert await place.launch(before) == {before.id}


async def test_a_batch_is_judged_one_by_one(place: Place) -> None:
    good, flying = await place.add(), await place.add()
    await place.launch(flying)
    assert await place.launch(flying, good) == {good.id}


async def test_a_launch_reads_what_is_there_after_it(place: Place) -> None:
    ref = await place.add(message="before")
    await place.stores.control.edit(place.user, ref.id, ColumnChange("job.edited", message="after"), NOW, place.user)
    (row,) = await place.rows(ref)
    assert (row.id, row.message, row.attempt, row.lane) == (ref.id, "after", 0, None)


@pytest.mark.parametrize("many", [1, 200])
async def test_a_launch_reads_everything_that_a_run_needs(place: Place, many: int) -> None:
    refs = [await place.add(n, lane=f"lane {n}" if n > -40 else None, expires_at=at(n)) for n in range(-many, 0)]
    retried = await place.add(-1)
    await place.launch(retried)
    again = Again(retried.id, place.node, 1, JobState.FAILED, NOW, NOW, None, NOW, False)
    (retried,) = await place.stores.settle.retry([again])
    rows = {row.id: row for row in await place.rows(*refs, retried)}
    assert len(rows) == many + 1
    for ref in [*refs, retried]:
        read = rows[ref.id]
        assert (read.definition_id, read.message, read.base_attempt) == (place.definition, "m", 0)
        assert read.expires_at == (None if ref is retried else ref.due_at)
        assert (read.user_id, read.attempt, read.lane, read.flow) == (ref.user_id, ref.attempt, ref.lane, ref.flow)
        assert (read.execute_at, read.due_at) == (ref.execute_at, ref.due_at)
    assert rows[retried.id].due_at != rows[retried.id].execute_at


async def test_gone_moved_or_otherwise_counted_jobs_are_not_launched(place: Place) -> None:
    gone, moved, counted, fine = await place.add(), await place.add(), await place.add(), await place.add()
    replaced = await place.add(-5, lane="a")
    await place.add(-3, lane="a")
    await place.stores.control.withdraw(place.user, gone.id, JobState.CANCELLED, "x", NOW, place.user)
    change = ColumnChange("job.edited", execute_at=at(60))
    await place.stores.control.edit(place.user, moved.id, change, NOW, place.user)
    change = ColumnChange("job.edited", execute_at=at(-2))
    await place.stores.control.edit(place.user, replaced.id, change, NOW, place.user)
    await place.launch(counted)
    await place.stores.settle.retry([Again(counted.id, place.node, 1, JobState.FAILED, NOW, NOW, None, NOW, False)])
    assert await place.launch(gone, moved, counted, replaced, fine) == {fine.id}
    held = {one.job_id for one in await place.stores.settle.launched_before(place.node, at(1), 10)}
    assert held == {fine.id}, "what came to nothing was taken back"


async def test_taking_back_is_for_the_holder_only(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    other, _ = await place.new_node()
    await place.stores.launch.unlaunch(other, [ref.id], NOW)
    assert await place.state(ref.id) == "running"
    await place.stores.launch.unlaunch(place.node, [ref.id], NOW)
    assert await place.state(ref.id) == "created"
    assert await place.launch(ref) == {ref.id}


async def test_taking_back_carried_out_late_does_not_touch_a_later_launch(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    await place.stores.launch.unlaunch(place.node, [ref.id], at(-1))
    assert await place.state(ref.id) == "running"


async def test_what_was_left_behind_is_found_by_the_instant_of_its_launch(place: Place) -> None:
    mine, later, others = await place.add(), await place.add(), await place.add()
    other, terms = await place.new_node()
    await place.launch(mine)
    await place.stores.launch.launch(place.node, at(1), [LaunchIntent(later, place.terms[SHARD])])
    await place.coordinator.release(place.node, [SHARD])
    terms = await place.coordinator.acquire(other, [SHARD])
    await place.launch(others, node=other, term=terms[SHARD])
    left_behind = place.stores.launch.left_behind
    assert await left_behind(place.node, [NOW]) == [mine.id]
    assert sorted(await left_behind(place.node, [NOW, at(1), at(2)])) == [mine.id, later.id]
    assert await left_behind(place.node, [at(0.5)]) == [], "between the two is neither"
    await place.stores.launch.unlaunch(place.node, [mine.id, later.id], NOW)
    assert await left_behind(place.node, [NOW, at(1)]) == [later.id], "the later one is not meant"


async def test_what_was_asked_to_stop_ends_when_its_launch_is_taken_back(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    assert await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user) == place.node
    await place.stores.launch.unlaunch(place.node, [ref.id], NOW)
    assert await place.state(ref.id) == "cancelled"
    assert await place.launch(ref) == set(), "a reference out of date"
    stats = await place.stores.insight.stats(place.user)
    assert stats.get(JobState.CANCELLED) == 1
