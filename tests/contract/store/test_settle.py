"""Settling: by the holder, once; retries; runs whose executor is gone."""

from __future__ import annotations

from contract.store.place import EVERYTHING, NOW, SHARD, Place, at
from duetime.model.ids import SHARDS, NodeId
from duetime.model.states import JobState
from duetime.store.port import Again, Ending, JobRef


def ending(ref: JobRef, node: NodeId, attempt: int = 1, state: JobState = JobState.SUCCEEDED) -> Ending:
    return Ending(ref.id, node, attempt, state, NOW, at(1), None, None)


def again(ref: JobRef, node: NodeId, attempt: int = 1, *, started: bool = True) -> Again:
    return Again(ref.id, node, attempt, JobState.FAILED, NOW if started else None, at(1), None, at(30), False)


async def test_the_holder_settles_once(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    assert await place.stores.settle.finish([ending(ref, place.node)]) == {ref.id}
    assert await place.stores.settle.finish([ending(ref, place.node, state=JobState.DEAD)]) == set()
    assert await place.stores.settle.retry([again(ref, place.node)]) == []
    assert await place.state(ref.id) == "succeeded"
    assert len(await place.stores.insight.runs(place.user, ref.id)) == 1


async def test_nobody_else_settles_and_no_other_attempt(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    other, _ = await place.new_node()
    assert await place.stores.settle.finish([ending(ref, other), ending(ref, place.node, 2)]) == set()
    assert await place.stores.settle.retry([again(ref, other), again(ref, place.node, 2)]) == []
    assert await place.state(ref.id) == "running"


async def test_what_was_not_launched_is_not_settled(place: Place) -> None:
    ref = await place.add()
    assert await place.stores.settle.finish([ending(ref, place.node)]) == set()
    assert await place.state(ref.id) == "created"


async def test_each_of_a_batch_gets_what_is_its_own(place: Place) -> None:
    """Whatever the order, whoever they belong to, and with some in between that are not to be settled."""
    other = await place.new_user()
    refs = [await place.add(n, message=f"m{n}", user_id=other if n % 3 == 0 else place.user) for n in range(12)]
    zombies = {refs[n].id for n in (1, 5, 11)}
    for ref in refs:
        if ref.id not in zombies:
            await place.launch(ref)
    endings = [
        Ending(ref.id, place.node, 1, JobState.SUCCEEDED, at(20 + n), at(40.000001 + n), None, None)
        for n, ref in enumerate(refs)
    ]
    shuffled = endings[7:] + endings[:7][::-1]
    assert await place.stores.settle.finish(shuffled) == {ref.id for ref in refs} - zombies
    for n, ref in enumerate(refs):
        job = await place.stores.insight.job(ref.user_id, ref.id)
        assert job is not None
        assert (job.message, job.execute_at) == (f"m{n}", at(n))
        runs = await place.stores.insight.runs(ref.user_id, ref.id)
        if ref.id in zombies:
            assert (job.state, runs) == (JobState.CREATED, [])
            continue
        assert (job.state, job.finished_at) == (JobState.SUCCEEDED, at(40.000001 + n))
        assert [(run.launched_at, run.started_at, run.finished_at) for run in runs] == [
            (at(n), at(20 + n), at(40.000001 + n))
        ]
    for user, ended, waiting in ((other, 4, 0), (place.user, 5, 3)):
        stats = await place.stores.insight.stats(user)
        assert (stats.get(JobState.SUCCEEDED, 0), stats.get(JobState.CREATED, 0)) == (ended, waiting)


async def test_all_sorts_of_ends_in_one_batch(place: Place) -> None:
    first, again_ref, dead, told, unstarted = [await place.add(n) for n in range(5)]
    await place.launch(again_ref)
    (second,) = await place.stores.settle.retry([again(again_ref, place.node)])
    await place.launch(first, second, dead, told, unstarted)
    endings = [
        ending(dead, place.node, state=JobState.DEAD)._replace(reason="broken", result='{"a":1}'),
        ending(second, place.node, 2),
        ending(told, place.node)._replace(result='{"b":2}'),
        ending(first, place.node),
        ending(unstarted, place.node)._replace(started_at=None),
    ]
    assert await place.stores.settle.finish(endings) == {one.job_id for one in endings}
    states = [await place.state(one.job_id) for one in endings]
    assert states == ["dead", "succeeded", "succeeded", "succeeded", "succeeded"]
    assert [len(await place.stores.insight.runs(place.user, ref.id)) for ref in (first, second)] == [1, 2]
    (run,) = await place.stores.insight.runs(place.user, unstarted.id)
    assert run.started_at is None


async def test_one_that_is_given_twice_is_settled_once(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    assert await place.stores.settle.finish([ending(ref, place.node), ending(ref, place.node)]) == {ref.id}
    assert (await place.stores.insight.stats(place.user))[JobState.SUCCEEDED] == 1
    assert len(await place.stores.insight.runs(place.user, ref.id)) == 1


async def test_a_retry_waits_for_its_instant_with_its_attempt_counted(place: Place) -> None:
    ref = await place.add(lane="a")
    await place.launch(ref)
    (back,) = await place.stores.settle.retry([again(ref, place.node)])
    assert (back.id, back.attempt, back.due_at, back.execute_at) == (ref.id, 1, at(30), ref.execute_at)
    assert await place.state(ref.id) == "created"
    assert await place.stores.due.due((at(0), 0), at(60), EVERYTHING, 10) == [back]
    assert await place.launch(back) == {ref.id}
    await place.stores.settle.finish([ending(ref, place.node, 2)])
    runs = await place.stores.insight.runs(place.user, ref.id)
    assert [(run.attempt, run.state.value) for run in runs] == [(1, "failed"), (2, "succeeded")]


async def test_a_job_asked_to_stop_does_not_go_again(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    await place.stores.control.request_cancel(place.user, ref.id, NOW, place.user)
    assert await place.stores.settle.retry([again(ref, place.node)]) == []
    assert await place.state(ref.id) == "running"
    assert await place.stores.settle.finish([ending(ref, place.node, state=JobState.CANCELLED)]) == {ref.id}
    assert await place.state(ref.id) == "cancelled"


async def test_runs_of_nodes_without_a_lease_are_found_by_who_holds_the_shard(place: Place) -> None:
    ref, gone = await place.add(lane="a"), await place.add()
    await place.launch(ref)
    await place.stores.control.withdraw(place.user, gone.id, JobState.CANCELLED, "x", NOW, place.user)
    await place.put_in_flight(gone)
    assert await place.stores.settle.orphans(EVERYTHING, 10) == []
    await place.let_lease_end(place.node)
    assert await place.stores.settle.orphans(EVERYTHING, 10) == [], "a lease is over when it was taken away"
    await place.coordinator.fence()
    found = await place.stores.settle.orphans(EVERYTHING, 10)
    assert [(one.job_id, one.executor, one.attempt, one.lane) for one in found] == [
        (ref.id, place.node, 1, "a"),
        (gone.id, place.node, 1, None),
    ]
    assert (found[0].definition_id, found[0].execute_at) == (place.definition, ref.execute_at)
    assert (found[1].definition_id, found[1].execute_at) == (None, None)
    assert len(await place.stores.settle.orphans(EVERYTHING, 1)) == 1
    assert await place.stores.settle.orphans([shard != SHARD for shard in range(SHARDS)], 10) == []


async def test_a_launch_of_an_attempt_on_record_is_no_run_to_settle(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    await place.stores.settle.retry([again(ref, place.node)])
    await place.put_in_flight(ref)
    await place.let_lease_end(place.node)
    await place.coordinator.fence()
    (one,) = await place.stores.settle.orphans(EVERYTHING, 10)
    assert (one.job_id, one.attempt, one.definition_id) == (ref.id, 1, None)


async def test_a_rescuer_settles_in_the_holders_name(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    await place.let_lease_end(place.node)
    await place.coordinator.fence()
    (one,) = await place.stores.settle.orphans(EVERYTHING, 10)
    (back,) = await place.stores.settle.retry([again(ref, NodeId(one.executor), one.attempt, started=False)])
    assert back.attempt == 1
    assert await place.stores.settle.finish([ending(ref, place.node)]) == set(), "the zombie comes too late"


async def test_old_launches_of_one_executor(place: Place) -> None:
    ref = await place.add()
    await place.launch(ref)
    assert await place.stores.settle.launched_before(place.node, NOW, 10) == []
    (one,) = await place.stores.settle.launched_before(place.node, at(1), 10)
    assert (one.job_id, one.launched_at) == (ref.id, NOW)
    other, _ = await place.new_node()
    assert await place.stores.settle.launched_before(other, at(1), 10) == []
