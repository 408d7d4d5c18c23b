"""Offers: committed like launches, taken once by an executor that has the labels, and undone when nobody takes them."""

from __future__ import annotations

import asyncio

from contract.store.place import EVERYTHING, NOW, Place, at
from duetime.model.ids import SHARDS, NodeId, shard_of
from duetime.model.states import JobState
from duetime.store.offer_port import OFFERED, Abilities, Executor, InFlight
from duetime.store.port import ColumnChange, Ending, JobRef, LaunchIntent

GPU = '{"gpu":"yes"}'


async def offer(
    place: Place, *refs: JobRef, requires: str | None = None, node: NodeId | None = None, seconds: float = 0
) -> set[int]:
    """Offer jobs, by default as the owner of their shards."""
    chosen = [LaunchIntent(ref, place.terms[shard_of(ref.id)]) for ref in refs]
    return await place.offers.offer(node or place.node, at(seconds), chosen, requires)


async def take(place: Place, labels: str = "{}", *, node: NodeId | None = None, limit: int = 10) -> list[int]:
    """Take what is on offer, by default as the owner."""
    return [taken.job_id for taken in await place.offers.take(node or place.node, labels, limit, at(1))]


async def test_an_offer_is_taken_once_and_says_what_is_to_be_done(place: Place) -> None:
    ref = await place.add(lane="a", message="do it")
    other, _ = await place.new_node()
    assert await offer(place, ref) == {ref.id}
    assert await place.state(ref.id) == "queued"
    assert await place.offers.standing([ref.id, 7]) == [InFlight(ref.id, 1, OFFERED)]
    (taken,) = await place.offers.take(other, "{}", 10, at(1))
    assert taken.row is not None
    assert (taken.row.id, taken.row.message, taken.row.lane, taken.row.attempt) == (ref.id, "do it", "a", 0)
    assert (taken.row.execute_at, taken.row.definition_id, taken.row.flow) == (NOW, place.definition, ref.flow)
    assert await take(place) == []
    assert await place.state(ref.id) == "running"
    assert await place.offers.standing([ref.id]) == [InFlight(ref.id, 1, other)]


async def test_takers_at_the_same_time_never_get_the_same(place: Place) -> None:
    refs = [await place.add() for _ in range(9)]
    nodes = [(await place.new_node())[0] for _ in range(3)]
    await offer(place, *refs)
    taken = await asyncio.gather(*(take(place, node=node, limit=5) for node in nodes * 3))
    assert sorted(job_id for some in taken for job_id in some) == [ref.id for ref in refs]


async def test_the_walls_of_a_launch_stand_before_an_offer(place: Place) -> None:
    plain, first, second = await place.add(), await place.add(lane="a"), await place.add(5, lane="a")
    other, _ = await place.new_node()
    assert await offer(place, plain, node=other) == set(), "only the owner offers"
    stale = LaunchIntent(plain, place.terms[shard_of(plain.id)] - 1)
    assert await place.offers.offer(place.node, NOW, [stale], None) == set()
    assert await offer(place, second) == set(), "it is not the first of its lane"
    assert await offer(place, plain, first) == {plain.id, first.id}
    assert await offer(place, plain) == set(), "it is in flight"
    assert await place.launch(plain) == set()
    assert await place.launch(second) == set(), "its lane is in flight"


async def test_a_node_without_a_lease_neither_offers_nor_takes(place: Place) -> None:
    ref, waiting = await place.add(), await place.add()
    other, _ = await place.new_node()
    await offer(place, ref)
    await place.let_lease_end(place.node)
    await place.coordinator.fence()
    assert await take(place) == []
    assert await offer(place, waiting) == set()
    assert await take(place, node=other) == [ref.id], "what it offered while it lived can be taken"


async def test_only_who_has_the_labels_takes_and_the_oldest_goes_first(place: Place) -> None:
    late, early, picky = await place.add(), await place.add(), await place.add()
    await offer(place, late, seconds=0.5)
    await offer(place, early)
    await offer(place, picky, requires=GPU, seconds=-1)
    assert await take(place, '{"gpu":"no","zone":"a"}', limit=1) == [early.id]
    assert await take(place, "{}") == [late.id]
    assert await take(place, '{"gpu":"yes","zone":"a"}') == [picky.id]


async def test_a_committed_launch_is_handed_over_by_its_holder(place: Place) -> None:
    ref, kept = await place.add(), await place.add()
    other, _ = await place.new_node()
    await place.launch(ref, kept)
    await place.offers.hand_over(other, [ref.id], None)
    assert await take(place, node=other) == [], "only the holder hands over"
    await place.offers.hand_over(place.node, [ref.id], GPU)
    assert await take(place, "{}", node=other) == []
    assert await take(place, GPU, node=other) == [ref.id]
    assert await place.stores.settle.finish(
        [Ending(ref.id, place.node, 1, JobState.SUCCEEDED, NOW, NOW, None, None)]
    ) == (set()), "it holds the run no longer"
    assert await place.stores.settle.finish([Ending(ref.id, other, 1, JobState.SUCCEEDED, NOW, NOW, None, None)]) == {
        ref.id
    }
    assert await place.offers.standing([kept.id]) == [InFlight(kept.id, 1, place.node)]


async def test_what_nobody_took_is_undone_by_who_holds_the_shard(place: Place) -> None:
    old, young, taken = await place.add(), await place.add(), await place.add()
    await offer(place, taken)
    assert await take(place) == [taken.id]
    await offer(place, old)
    await offer(place, young, seconds=8)
    assert await place.offers.take_back([False] * SHARDS, at(5), 10) == []
    assert await place.offers.take_back(EVERYTHING, at(0), 10) == [], "only what is older"
    assert await place.offers.take_back(EVERYTHING, at(5), 10) == [old.id]
    assert await place.offers.take_back(EVERYTHING, at(5), 10) == []
    assert await place.launch(old) == {old.id}, "it can be decided about again, in the same attempt"
    assert await place.state(young.id) == "queued"
    assert await place.state(taken.id) == "running"


async def test_undoing_is_bounded_and_takes_the_oldest_first(place: Place) -> None:
    refs = [await place.add() for _ in range(3)]
    for number, ref in enumerate(reversed(refs)):
        await offer(place, ref, seconds=number)
    assert sorted(await place.offers.take_back(EVERYTHING, at(9), 2)) == [refs[1].id, refs[2].id]


async def test_an_edit_takes_an_offer_back_and_what_it_says_is_done(place: Place) -> None:
    ref, gone = await place.add(), await place.add()
    await offer(place, ref, gone)
    change = ColumnChange("job.edited", message="other")
    assert await place.stores.control.edit(place.user, ref.id, change, NOW, place.user)
    assert await place.stores.control.withdraw(place.user, gone.id, JobState.CANCELLED, "x", NOW, place.user)
    assert await take(place) == []
    assert (await place.state(ref.id), await place.state(gone.id)) == ("created", "cancelled")
    await offer(place, ref)
    (taken,) = await place.offers.take(place.node, "{}", 10, at(1))
    assert taken.row is not None
    assert taken.row.message == "other"


async def test_nobody_carries_an_offer_out_so_nobody_is_asked_to_stop_it(place: Place) -> None:
    ref = await place.add()
    await offer(place, ref)
    assert await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user) is None
    assert await place.stores.settle.orphans(EVERYTHING, 10) == [], "and it has no executor to lose"


async def test_a_launch_is_as_old_as_its_taking(place: Place) -> None:
    ref = await place.add()
    await offer(place, ref)
    await take(place)
    assert await place.stores.launch.left_behind(place.node, [NOW]) == []
    assert await place.stores.launch.left_behind(place.node, [at(1)]) == [ref.id]
    assert await place.stores.settle.launched_before(place.node, at(1), 10) == []
    (launched,) = await place.stores.settle.launched_before(place.node, at(2), 10)
    assert launched.launched_at == at(1)
    await place.stores.launch.unlaunch(place.node, [ref.id], NOW)
    assert await place.state(ref.id) == "running", "a call that means an earlier launch does not touch this one"
    await place.stores.launch.unlaunch(place.node, [ref.id], at(1))
    assert await place.state(ref.id) == "created"


async def test_what_became_another_attempt_or_a_later_job_gives_nothing_to_do(place: Place) -> None:
    ref = await place.add(20)
    other, _ = await place.new_node()
    await offer(place, ref)
    (taken,) = await place.offers.take(other, "{}", 10, at(1))
    assert (taken.job_id, taken.row) == (ref.id, None), "it is not due"


async def test_a_takers_clock_that_is_behind_does_not_keep_it_from_what_was_offered(place: Place) -> None:
    ref = await place.add(5)
    await offer(place, ref, seconds=5)
    (taken,) = await place.offers.take(place.node, "{}", 10, at(1))
    assert taken.row is not None


async def test_executors_are_seen_as_they_last_said_while_they_live(place: Place) -> None:
    executor = await place.coordinator.join("executor", ("executor",), "0", 3600.0)
    said = Abilities(slots=4, open=3, free=2, labels=GPU)
    await place.offers.report(place.node, Abilities(slots=8, open=1, free=0), first=True)
    await place.offers.report(executor, Abilities(slots=4), first=True)
    await place.offers.report(executor, said, first=False)
    assert await place.offers.executors() == [
        Executor(place.node, 8, 1, 0, {}, schedules=True),
        Executor(executor, 4, 3, 2, {"gpu": "yes"}, schedules=False),
    ]
    await place.let_lease_end(executor)
    assert [one.node for one in await place.offers.executors()] == [place.node], "a lease that ran out counts at once"
    await place.coordinator.fence()
    await place.offers.report(executor, said, first=False)
    assert [one.node for one in await place.offers.executors()] == [place.node], "the dead say nothing"


async def test_who_executes_nothing_is_no_executor(place: Place) -> None:
    await place.offers.report(place.node, Abilities(key_print=b"k"), first=True)
    assert await place.offers.executors() == []


async def test_living_apis_with_another_key_are_named(place: Place) -> None:
    api = await place.coordinator.join("api", ("api",), "0", 3600.0)
    await place.offers.report(place.node, Abilities(key_print=b"one"), first=True)
    await place.offers.report(api, Abilities(key_print=b"two"), first=True)
    assert await place.offers.other_keys(b"one") == ["api"]
    assert sorted(await place.offers.other_keys(b"three")) == ["api", "node"]
    await place.coordinator.leave(api)
    assert await place.offers.other_keys(b"one") == []
