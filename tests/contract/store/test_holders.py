"""Workers as holders: a lease of their own, judged by the store, and runs that only they can settle."""

from __future__ import annotations

from contract.store.place import EVERYTHING, NOW, Place, at
from duetime.model.ids import NodeId, shard_of
from duetime.model.states import JobState
from duetime.store.port import Ending, LaunchIntent


async def held_run(place: Place, worker: NodeId) -> int:
    """A run that a worker took."""
    ref = await place.add()
    await place.offers.offer(place.node, NOW, [LaunchIntent(ref, place.terms[shard_of(ref.id)])], None)
    (taken,) = await place.offers.take(worker, "{}", 1, NOW)
    assert taken.job_id == ref.id
    return ref.id


async def test_a_worker_takes_and_settles_in_its_own_name(place: Place) -> None:
    worker = await place.holders.join("worker", 3600.0)
    job_id = await held_run(place, worker)
    ended = Ending(job_id, worker, 1, JobState.SUCCEEDED, NOW, at(1), None, None)
    assert await place.stores.settle.finish([ended._replace(executor=place.node)]) == set()
    assert await place.stores.settle.finish([ended]) == {job_id}
    (run,) = await place.stores.insight.runs(place.user, job_id)
    assert run.executor == "worker"


async def test_an_id_is_new_with_every_join_and_owns_no_shards(place: Place) -> None:
    first, second = await place.holders.join("w", 3600.0), await place.holders.join("w", 3600.0)
    assert len({first, second, place.node}) == 3
    members = {member.id for member in await place.coordinator.members()}
    assert members == {place.node}, "a worker is no scheduler"


async def test_a_lease_is_prolonged_until_it_is_fenced_and_then_never_again(place: Place) -> None:
    lasting, over = await place.holders.join("a", 3600.0), await place.holders.join("b", 3600.0)
    assert await place.holders.renew([lasting, over], 3600.0) == {lasting, over}
    await place.let_lease_end(over)
    assert await place.coordinator.fence() == [over]
    assert await place.holders.renew([lasting, over], 3600.0) == {lasting}
    assert await place.holders.renew([over], 3600.0) == set()


async def test_runs_of_a_worker_without_a_lease_are_found_like_those_of_a_dead_node(place: Place) -> None:
    worker = await place.holders.join("worker", 3600.0)
    job_id = await held_run(place, worker)
    assert await place.stores.settle.orphans(EVERYTHING, 10) == []
    await place.holders.leave(worker)
    await place.holders.leave(worker)
    (orphan,) = await place.stores.settle.orphans(EVERYTHING, 10)
    assert (orphan.job_id, orphan.executor, orphan.attempt) == (job_id, worker, 1)
    assert await place.offers.take(worker, "{}", 10, NOW) == [], "and it takes nothing more"
