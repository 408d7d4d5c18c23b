"""A run's holder need not be a node: a worker with a lease of its own takes, settles and is rescued like one."""

from __future__ import annotations

from duetime.model.ids import NodeId
from duetime.model.states import JobState
from duetime.store.port import Ending
from harness.engine import Engine
from integration.bus.conftest import Apart

LONG = 3600.0


async def settled(scheduler: Apart, worker: NodeId, job_id: int, attempt: int = 1) -> set[int]:
    now = scheduler.clock.now()
    ending = Ending(job_id, worker, attempt, JobState.SUCCEEDED, now, now, None, None)
    return await scheduler.stores.settle.finish([ending])


async def let_run_out(scheduler: Engine, worker: NodeId) -> None:
    await scheduler.pool.run(
        "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", int(worker)
    )


async def taken(scheduler: Apart, worker: NodeId) -> list[int]:
    found = await scheduler.stores.offers.take(worker, "{}", 10, scheduler.clock.now())
    return [one.job_id for one in found]


async def test_a_worker_takes_and_settles_in_its_own_name(scheduler: Apart, executor: Apart) -> None:
    worker = await scheduler.stores.holders.join("worker-1", LONG)
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await taken(scheduler, worker) == [job_id]
    assert await settled(scheduler, executor.ownership.node, job_id) == set(), "only the holder can settle"
    assert await settled(scheduler, worker, job_id) == {job_id}
    (run,) = await scheduler.insight.runs(user, job_id)
    assert run.executor == "worker-1"


async def test_a_worker_whose_lease_ran_out_is_fenced_and_its_runs_are_rescued(
    scheduler: Apart, executor: Apart
) -> None:
    worker = await scheduler.stores.holders.join("worker-1", LONG)
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await taken(scheduler, worker) == [job_id]
    assert await scheduler.rescue.run_once() == 0, "its lease stands"
    await let_run_out(scheduler, worker)
    assert await scheduler.coordinator.fence() == [worker]
    assert await scheduler.stores.holders.renew([worker], LONG) == set()
    assert await taken(scheduler, worker) == []
    assert await scheduler.rescue.run_once() == 1
    assert await settled(scheduler, worker, job_id) == set(), "another attempt is due: this one is on record"
    await scheduler.settle_down()
    assert [run.state for run in await scheduler.insight.runs(user, job_id)][:1] == [JobState.FAILED]


async def test_one_statement_renews_many_and_leaving_hands_everything_back_at_once(
    scheduler: Apart, executor: Apart
) -> None:
    holders = scheduler.stores.holders
    workers = [await holders.join(f"worker-{n}", LONG) for n in range(3)]
    assert await holders.renew(workers, LONG) == set(workers)
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await taken(scheduler, workers[0]) == [job_id]
    await holders.leave(workers[0])
    await holders.leave(workers[0])
    assert await holders.renew(workers, LONG) == set(workers[1:])
    assert await scheduler.rescue.run_once() == 1


async def test_a_worker_is_neither_a_member_nor_shown_as_a_node(scheduler: Apart, executor: Apart) -> None:
    worker = await scheduler.stores.holders.join("worker-1", LONG)
    assert worker not in [member.id for member in await scheduler.coordinator.members()]
    await scheduler.ownership.run_once()
    assert all(scheduler.ownership.held), "it gets no shards"
