"""What is due: in order, page by page, of the shards held; and lanes whose head may go."""

from __future__ import annotations

from datetime import datetime

from contract.store.place import EVERYTHING, Place, at
from duetime.model.ids import SHARDS, flow_of
from duetime.model.states import JobState
from duetime.store.port import Again, Wanted, place_of

BEGINNING: tuple[datetime, int] = (at(-10_000), 0)


async def test_the_look_ahead_goes_by_instant_and_id_and_ends_at_its_horizon(place: Place) -> None:
    refs = [await place.add(seconds) for seconds in (3, 1, 2, 2, 4)]
    found = await place.stores.due.due(BEGINNING, at(3), EVERYTHING, 10)
    assert [one.id for one in found] == [refs[i].id for i in (1, 2, 3, 0)]
    assert found == [refs[i] for i in (1, 2, 3, 0)]


async def test_pages_follow_each_other_without_a_gap_or_a_repeat(place: Place) -> None:
    refs = [await place.add(seconds) for seconds in (1, 1, 1, 2, 2)]
    seen: list[int] = []
    cursor = BEGINNING
    for _ in range(3):
        page = await place.stores.due.due(cursor, at(9), EVERYTHING, 2)
        seen += [one.id for one in page]
        cursor = (page[-1].due_at, page[-1].id)
    assert seen == [one.id for one in refs]
    assert await place.stores.due.due(cursor, at(9), EVERYTHING, 2) == []


async def test_other_nodes_shards_are_not_shown(place: Place) -> None:
    mine, _other = await place.add(1, shard=8), await place.add(1, shard=9)
    held = [shard == 8 for shard in range(SHARDS)]
    assert [one.id for one in await place.stores.due.due(BEGINNING, at(2), held, 10)] == [mine.id]
    assert [one.id for one in await place.stores.due.backlog([Wanted(mine.flow, 10)], at(2), held)] == [mine.id]


async def test_a_queue_goes_by_priority_instant_and_id_without_what_is_in_flight(place: Place) -> None:
    low, high, earlier = await place.add(0, priority=1), await place.add(0, priority=9), await place.add(-1)
    flying, _later = await place.add(-5, priority=9), await place.add(5)
    assert await place.launch(flying) == {flying.id}
    found = await place.stores.due.backlog([Wanted(low.flow, 10)], at(0), EVERYTHING)
    assert [one.id for one in found] == [high.id, earlier.id, low.id]
    assert len(await place.stores.due.backlog([Wanted(low.flow, 2)], at(0), EVERYTHING)) == 2


async def test_a_queue_is_read_on_from_a_place(place: Place) -> None:
    refs = [await place.add(seconds, priority=priority) for priority in (9, 5, 1) for seconds in (-3, -2, -2)]
    other = await place.add(-1, flow=flow_of(place.user, 7))
    for at_once in (1, 2, 4):
        seen, after = list[int](), None
        for _ in range(len(refs)):
            wanted = [Wanted(refs[0].flow, at_once, after), Wanted(other.flow, 5)]
            page = await place.stores.due.backlog(wanted, at(0), EVERYTHING)
            assert page[-1] == other
            if page[:-1]:
                seen, after = seen + [one.id for one in page[:-1]], place_of(page[-2])
        assert seen == [one.id for one in refs]


async def test_queues_with_something_due(place: Place) -> None:
    await place.add(0, flow=flow_of(place.user, 7))
    await place.add(0)
    await place.add(9, flow=flow_of(place.user, 8))
    assert await place.stores.due.due_flows(at(0)) == [flow_of(place.user), flow_of(place.user, 7)]


async def test_the_head_of_a_lane_is_made_ready_and_no_other(place: Place) -> None:
    first, second = await place.add(1, lane="a"), await place.add(2, lane="a")
    assert [one.id for one in await place.stores.due.due(BEGINNING, at(9), EVERYTHING, 9)] == [first.id]
    assert [one.id for one in await place.stores.due.promote([(place.user, "a"), (place.user, "none")])] == [first.id]
    assert await place.stores.control.withdraw(place.user, first.id, JobState.CANCELLED, "x", at(0), place.user)
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", second.id)]
    assert [one.id for one in await place.stores.due.promote([(place.user, "a")])] == [second.id]
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", None)]
    assert [one.id for one in await place.stores.due.due(BEGINNING, at(9), EVERYTHING, 9)] == [second.id]


async def test_a_head_that_waits_for_a_person_holds_its_lane(place: Place) -> None:
    first, _second = await place.add(0, lane="a"), await place.add(1, lane="a")
    assert await place.launch(first)
    again = Again(first.id, place.node, 1, JobState.FAILED, at(0), at(0), None, at(0), True)
    (parked,) = await place.stores.settle.retry([again])
    assert parked.id == first.id
    assert await place.stores.due.promote([(place.user, "a")]) == []
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", None)]
    assert await place.state(first.id) == "dead"


async def test_lanes_are_swept_page_by_page(place: Place) -> None:
    for lane in "abc":
        await place.add(0, lane=lane)
    first = await place.stores.due.sweep_lanes((0, ""), 2)
    rest = await place.stores.due.sweep_lanes((first[-1][0], first[-1][1]), 2)
    assert [one[1] for one in first + rest] == ["a", "b", "c"]
