"""What is due: in order, page by page, of the shards held; and lanes whose head may go."""

from __future__ import annotations

from datetime import datetime

import pytest

from contract.store.place import EVERYTHING, NOW, Place, at
from duetime.model.ids import SHARDS, flow_of
from duetime.model.states import JobState
from duetime.store.port import Again, ColumnChange, Wanted, position_of

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
                seen, after = seen + [one.id for one in page[:-1]], position_of(page[-2])
        assert seen == [one.id for one in refs]


async def test_queues_with_something_due(place: Place) -> None:
    await place.add(0, flow=flow_of(place.user, 7))
    await place.add(0)
    await place.add(9, flow=flow_of(place.user, 8))
    assert await place.stores.due.due_flows(at(0)) == [flow_of(place.user), flow_of(place.user, 7)]


async def ready(place: Place) -> list[int]:
    return [one.id for one in await place.stores.due.due(BEGINNING, at(99), EVERYTHING, 99)]


async def test_the_first_few_of_a_lane_are_ready_and_the_next_when_they_are_gone(place: Place) -> None:
    lane = [(await place.add(1 + n, lane="a")).id for n in range(10)]
    assert await ready(place) == lane[:4]
    asked = [(place.user, "a"), (place.user, "none")]
    assert [one.id for one in await place.stores.due.promote(asked)] == lane[:1]
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", None)]
    for job_id in lane[:4]:
        assert await place.stores.control.withdraw(place.user, job_id, JobState.CANCELLED, "x", at(0), place.user)
    assert await ready(place) == []
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", lane[4])]
    asked = [*asked, *asked, (place.user + 1, "a")]
    assert [one.id for one in await place.stores.due.promote_waiting(asked)] == lane[4:8] == await ready(place)
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", None)]
    assert [one.id for one in await place.stores.due.promote_waiting(asked)] == lane[4:5], "it is ready, and may go"


async def test_a_lane_in_which_nobody_waits_needs_no_help(place: Place) -> None:
    first, second = await place.add(1, lane="a"), await place.add(2, lane="a")
    assert await place.launch(first)
    await place.succeed(first)
    assert await place.stores.due.promote_waiting([(place.user, "a")]) == []
    assert await ready(place) == [second.id]


@pytest.mark.parametrize(
    "different", [{"flow": 7}, {"priority": 9}, {"due_at": at(0)}], ids=["queue", "priority", "earlier than the first"]
)
async def test_what_its_queue_has_in_another_order_waits_behind_the_first(
    place: Place, different: dict[str, object]
) -> None:
    first = await place.add(5, lane="a")
    second = await place.add(6, lane="a", **different)
    assert await ready(place) == [first.id]
    assert await place.stores.control.withdraw(place.user, first.id, JobState.CANCELLED, "x", at(0), place.user)
    third = await place.add(7, lane="a")
    assert await ready(place) == [], "nothing goes past one that is not ready"
    follows = [third.id] if "due_at" in different else []
    assert [one.id for one in await place.stores.due.promote([(place.user, "a")])] == [second.id, *follows]


async def test_nobody_is_next_in_a_lane_that_is_in_flight(place: Place) -> None:
    running = await place.add(1, lane="a")
    assert await place.launch(running)
    behind, earlier = await place.add(2, lane="a", priority=9), await place.add(0, lane="a")
    assert await place.stores.due.promote([(place.user, "a")]) == []
    await place.stores.due.hold_back([earlier])
    assert await place.stores.due.promote([(place.user, "a")]) == []
    assert [one[1:] for one in await place.stores.due.sweep_lanes((0, ""), 10)] == [("a", None)]
    await place.succeed(running)
    assert [one.id for one in await place.stores.due.promote_waiting([(place.user, "a")])] == [earlier.id]
    assert await ready(place) == [earlier.id], f"and not {behind.id}"


async def test_who_is_not_next_is_held_back_and_who_is_stays_ready(place: Place) -> None:
    lane = [await place.add(1 + n, lane="a") for n in range(3)]
    plain = await place.add(5)
    await place.stores.due.hold_back([*lane, plain])
    assert await ready(place) == [lane[0].id, plain.id]
    assert await place.launch(lane[0])
    await place.succeed(lane[0])
    assert [one.id for one in await place.stores.due.promote_waiting([(place.user, "a")])] == [
        one.id for one in lane[1:]
    ]


async def test_an_edit_leaves_it_as_it_was_whether_a_job_is_ready(place: Place) -> None:
    lane = [await place.add(1 + n, lane="a") for n in range(5)]
    later = ColumnChange("e", execute_at=at(9))
    moved = await place.stores.control.edit(place.user, lane[0].id, later, NOW, place.user)
    waits = await place.stores.control.edit(place.user, lane[4].id, later, NOW, place.user)
    assert moved is not None
    assert waits is not None
    assert (moved.ref.execute_at, moved.ready, waits.ready) == (at(9), True, False)
    assert await ready(place) == [*(one.id for one in lane[1:4]), lane[0].id]
    assert await place.launch(moved.ref) == set(), "it is not the first of its lane any more"


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
    for lane in "abc" * 5:
        await place.add(0, lane=lane)
    await place.add(0, lane="nobody waits")
    first = await place.stores.due.sweep_lanes((0, ""), 2)
    rest = await place.stores.due.sweep_lanes((first[-1][0], first[-1][1]), 2)
    assert [one[1] for one in first + rest] == ["a", "b", "c"]
