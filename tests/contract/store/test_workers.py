"""Workers: leases, launches into their hands, offers, and what they report."""

from __future__ import annotations

from datetime import datetime

from contract.store.place import EVERYTHING, NOW, Place, at
from duetime.model.ids import NodeId, flow_of, shard_of
from duetime.model.pull import Pulled, Worker, pull_pool
from duetime.model.states import JobState
from duetime.store.port import Again, Ending, JobRef, LaunchIntent
from duetime.store.worker_port import Note, PulledRows, WorkerStore

LONG = 3600.0


def workers_of(place: Place) -> WorkerStore:
    assert place.stores.workers is not None
    return place.stores.workers


def pool_of(place: Place, queue: str = "mail", task: str = "send") -> str:
    return pull_pool(place.user, Pulled(queue, task), None)


async def joined(place: Place, *, tasks: tuple[str, ...] = (), most: int = 10) -> NodeId:
    worker = Worker(NodeId(0), place.user, "w", ("mail",), tasks, 4, {"zone": "eu"}, "sdk")
    made = await workers_of(place).register(worker, LONG, most)
    assert made is not None
    return made


def intent(place: Place, ref: JobRef) -> LaunchIntent:
    return LaunchIntent(ref, place.terms[shard_of(ref.id)])


async def launched(place: Place, worker: NodeId, *refs: JobRef, now: datetime = NOW) -> PulledRows:
    stores = place.stores
    assert stores.workers is not None
    intents = [intent(place, ref) for ref in refs]
    return await stores.workers.launch(place.node, worker, "one", now, intents, pool_of(place))


async def test_a_worker_is_found_while_it_has_a_lease_and_has_a_new_id_each_time(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    first, second = await joined(place, tasks=("send",)), await joined(place)
    assert first != second
    known = await stores.workers.worker(first)
    assert known is not None
    assert (known.worker.queues, known.worker.tasks, known.worker.labels) == (("mail",), ("send",), {"zone": "eu"})
    assert (known.draining, known.taken_at) == (False, None)
    assert await stores.workers.living([first, second, 999_999]) == {first, second}
    assert [one.worker.id for one in await stores.workers.of_user(place.user, 10)] == [first, second]
    worker = Worker(NodeId(0), place.user, "w", ("mail",), (), 4, {}, "")
    assert await stores.workers.register(worker, LONG, 2) is None, "no more than may be"
    await stores.workers.leave(first)
    await stores.workers.leave(first)
    assert await stores.workers.worker(first) is None
    assert await stores.workers.beat(first, LONG, None, [], NOW) is None
    assert await stores.workers.living([first]) == set()


async def test_a_launch_goes_into_the_hands_of_the_worker_and_the_same_take_finds_it(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    worker, ref = await joined(place), await place.add(labels='{"a": "b"}')
    (pulled,), gone = await launched(place, worker, ref)
    assert (pulled.row.id, pulled.row.attempt, gone) == (ref.id, 0, [])
    assert (await launched(place, worker, ref)) == ([], []), "it is in flight"
    known = await stores.workers.worker(worker, "one")
    assert known is not None
    assert known.taken_at == NOW
    other = await stores.workers.worker(worker, "two")
    assert other is not None
    assert other.taken_at is None
    (held,) = await stores.workers.held(worker, since=NOW)
    assert (held.row.id, held.since, held.cancel) == (ref.id, NOW, False)
    assert await stores.workers.held(worker, since=at(1)) == []
    assert await stores.workers.held(worker, [ref.id + 1]) == []
    (standing,) = await place.offers.standing([ref.id])
    assert (standing.attempt, standing.executor) == (1, worker)
    ended = Ending(ref.id, worker, 1, JobState.SUCCEEDED, NOW, at(1), None, None)
    assert await stores.settle.finish([ended]) == {ref.id}
    (settled,) = await stores.workers.settled(worker, place.user, [ref.id])
    assert (settled.job_id, settled.attempt, settled.state, settled.kind) == (ref.id, 1, JobState.SUCCEEDED, None)


async def test_a_worker_without_a_lease_gets_nothing_and_its_runs_are_orphans(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    worker, first, second = await joined(place), await place.add(), await place.add()
    await launched(place, worker, first)
    await stores.workers.leave(worker)
    assert await launched(place, worker, second) == ([], [])
    (orphan,) = await stores.settle.orphans(EVERYTHING, 10)
    assert (orphan.job_id, orphan.executor) == (first.id, worker)


async def test_a_worker_settles_in_its_own_name_and_owns_no_shards(place: Place) -> None:
    worker, ref = await joined(place), await place.add()
    await launched(place, worker, ref)
    ended = Ending(ref.id, worker, 1, JobState.SUCCEEDED, NOW, at(1), None, None)
    assert await place.stores.settle.finish([ended._replace(executor=place.node)]) == set()
    assert await place.stores.settle.finish([ended]) == {ref.id}
    (run,) = await place.stores.insight.runs(place.user, ref.id)
    assert run.executor == "w"
    assert {member.id for member in await place.coordinator.members()} == {place.node}, "a worker is no scheduler"


async def test_a_lease_is_renewed_until_it_is_fenced_and_then_never_again(place: Place) -> None:
    lasting, over = await joined(place), await joined(place)
    for worker in (lasting, over):
        assert await place.workers.beat(worker, LONG, None, [], NOW) is not None
    await place.let_lease_end(over)
    assert await place.coordinator.fence() == [over]
    assert await place.workers.beat(lasting, LONG, None, [], NOW) is not None
    assert await place.workers.beat(over, LONG, None, [], NOW) is None


async def test_what_workers_hold_is_shown_with_what_it_reported(place: Place) -> None:
    worker, ref, later = await joined(place), await place.add(), await place.add()
    await launched(place, worker, ref)
    await launched(place, worker, later, now=at(1))
    await place.workers.beat(worker, LONG, 3, [Note(ref.id, 1, '{"n":1}', '{"page":3}')], at(2))
    first, second = await place.worker_insight.runs(worker, 10)
    assert first == (ref.id, 1, worker, "w", "mail", "send", NOW, False, '{"n":1}', at(2), True)
    assert second == (later.id, 1, worker, "w", "mail", "send", at(1), False, None, None, False)
    assert await place.worker_insight.runs(worker, 1) == [first]
    assert await place.worker_insight.run(place.user, later.id) == second
    assert await place.worker_insight.run(place.user + 1, later.id) is None, "of another user"
    assert await place.worker_insight.running(place.user) == {"mail": 2}
    again = Again(ref.id, worker, 1, JobState.FAILED, NOW, at(3), None, at(3), False, False)
    (back,) = await place.stores.settle.retry([again])
    await launched(place, worker, back, now=at(4))
    shown = await place.worker_insight.run(place.user, ref.id)
    assert shown is not None
    assert (shown.attempt, shown.progress, shown.checkpoint) == (2, None, True), "progress is that of an attempt"


async def test_what_waits_is_counted_by_flow_up_to_a_bound(place: Place) -> None:
    many, few = flow_of(place.user, 7), flow_of(place.user, 8)
    for seconds in range(150):
        await place.add(-seconds, flow=many)
    held, waits = await place.add(-5, flow=few), await place.add(-4, flow=few)
    await place.add(60, flow=few)
    await place.add(-9)
    await place.launch(held)
    found = {one.flow: one for one in await place.worker_insight.waiting(place.user, NOW, 200)}
    assert found == {many: (many, at(-149), 100, True), few: (few, waits.due_at, 1, False)}
    assert await place.worker_insight.waiting(place.user + 1, NOW, 200) == []


async def test_offers_reach_workers_that_fit_and_are_taken_back_otherwise(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    able, unable = await joined(place, tasks=("send",)), await joined(place, tasks=("other",))
    ref = await place.add()
    assert await place.offers.offer(place.node, NOW, [intent(place, ref)], pool_of(place)) == {ref.id}
    assert await stores.workers.on_offer(10) == [pool_of(place)]
    assert place.offers is not None
    assert await place.offers.take(place.node, '{"zone": "eu"}', 10, NOW) == [], "no executor takes it"
    assert await place.offers.take_back(EVERYTHING, at(10), 10) == []
    assert await stores.workers.take(unable, "t", 10, NOW) == ([], [])
    assert await stores.workers.drain(able, place.user, True)
    assert await stores.workers.take(able, "t", 10, NOW) == ([], [])
    assert await stores.workers.drain(able, place.user, False)
    (pulled,), _ = await stores.workers.take(able, "t", 10, NOW)
    assert pulled.row.id == ref.id
    late = await place.add()
    await place.launch(late)
    await place.offers.hand_over(place.node, [late.id], pool_of(place))
    assert await stores.workers.take_back(EVERYTHING, at(-1), 10) == []
    assert await stores.workers.take_back(EVERYTHING, at(1), 10) == [late.id]


async def test_a_launch_of_a_node_is_handed_to_a_worker(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    worker, ref = await joined(place), await place.add()
    rows, _ = await stores.launch.launch(place.node, NOW, [intent(place, ref)])
    (handed,) = await stores.workers.hand_to(place.node, worker, "h", at(1), rows, pool_of(place))
    assert handed.row.id == ref.id
    assert await stores.workers.hand_to(place.node, worker, "h", at(1), rows, pool_of(place)) == []
    assert [one.row.id for one in await stores.workers.held(worker, since=at(1))] == [ref.id]


async def test_a_beat_renews_and_keeps_what_runs_report(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    worker, ref = await joined(place), await place.add()
    await launched(place, worker, ref)
    note = Note(ref.id, 1, '{"n":1}', '{"page":3}')
    beaten = await stores.workers.beat(worker, LONG, 3, [note, Note(ref.id + 1024, 1, "1", None)], at(1))
    assert beaten is not None
    (run,) = beaten.runs
    assert (run.job_id, run.attempt, run.since, run.cancel) == (ref.id, 1, NOW, False)
    again = Again(ref.id, worker, 1, JobState.SUSPENDED, NOW, at(2), None, at(2), False, True)
    (back,) = await stores.settle.retry([again])
    assert back.attempt == 1
    (pulled,), _ = await launched(place, worker, back, now=at(3))
    assert (pulled.row.attempt, pulled.row.base_attempt) == (1, 1), "an attempt that was given back does not count"
    assert pulled.checkpoint == '{"page":3}'
    await stores.workers.forget_notes(at(100))
    (held,) = await stores.workers.held(worker)
    assert held.checkpoint == '{"page":3}', "the job has not ended"


async def test_workers_can_take_elsewhere_only_where_another_node_has_an_api(place: Place) -> None:
    stores = place.stores
    assert stores.workers is not None
    worker = await joined(place)
    assert await stores.workers.elsewhere(place.node) == []
    await place.coordinator.join("api", ("api",), "0", LONG)
    assert [one.id for one in await stores.workers.elsewhere(place.node)] == [worker]
