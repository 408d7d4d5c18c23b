"""What every bus must do, whatever carries its launches."""

from __future__ import annotations

import asyncio

from contract.bus.conftest import SLOTS
from contract.bus.sites import Party, Site
from duetime.bus.port import Ended
from duetime.model.labels import ANY, NO_EXECUTOR, pool_of
from harness.waiting import eventually

EU = pool_of({"zone": "eu"})


async def test_a_launch_reaches_its_executor_once_with_what_it_is_to_run(site: Site) -> None:
    refs = await site.jobs(3, "hello")
    assert await site.launch(refs) == {ref.id for ref in refs}
    for _ in range(2):
        assert sorted(await site.deliver()) == [ref.id for ref in refs]
    assert {(run.message, run.attempt, run.executor) for run in site.slots.started} == {("hello", 1, site.taking.node)}


async def test_nothing_is_started_that_is_not_committed(site: Site) -> None:
    refs = await site.jobs(2)
    site.scheduler.expect(refs, ANY)
    assert await site.deliver() == []
    assert await site.in_flight() == 0


async def test_room_is_what_executors_can_start_less_what_is_expected(site: Site) -> None:
    refs = await site.jobs(3)
    assert site.scheduler.room(ANY) == SLOTS
    site.scheduler.expect(refs, ANY)
    assert site.scheduler.room(ANY) == SLOTS - 3
    site.scheduler.forget([ref.id for ref in refs])
    assert site.scheduler.room(ANY) == SLOTS
    site.scheduler.forget([ref.id for ref in refs])
    assert site.scheduler.room(ANY) == SLOTS, "forgetting again changes nothing"


async def test_a_job_that_is_expected_twice_counts_once(site: Site) -> None:
    refs = await site.jobs(1)
    for _ in range(3):
        site.scheduler.expect(refs, ANY)
    assert site.scheduler.room(ANY) == SLOTS - 1
    site.scheduler.forget([refs[0].id])
    assert site.scheduler.room(ANY) == SLOTS


async def test_there_is_no_room_in_a_pool_that_no_executor_is_in(site: Site) -> None:
    assert site.scheduler.room(EU) == 0
    assert site.scheduler.room(NO_EXECUTOR) == 0


async def test_a_run_takes_room_until_it_ends(site: Site) -> None:
    refs = await site.jobs(SLOTS)
    await site.launch(refs)
    await site.deliver()
    await site.learn()
    assert site.scheduler.room(ANY) == 0
    await site.end(refs[0].id)
    await eventually(lambda: site.scheduler.room(ANY) > 0)


async def test_a_report_that_is_lost_costs_only_time(site: Site) -> None:
    refs = await site.jobs(SLOTS)
    await site.launch(refs)
    await site.deliver()
    await site.end(refs[0].id, reported=False)
    site.clock.advance(2)
    await site.learn()
    assert site.scheduler.room(ANY) > 0
    assert await site.records(refs[0].id) == 1


async def test_a_report_that_comes_again_or_for_nothing_changes_nothing(site: Site) -> None:
    refs = await site.jobs(2)
    await site.launch(refs)
    await site.deliver()
    await site.end(refs[0].id)
    await site.hints_arrive()
    room, reported = site.scheduler.room(ANY), list(site.listener.reported)
    site.executor.report([Ended(refs[0].id, succeeded=True), Ended(2**40)])
    await site.hints_arrive()
    assert site.scheduler.room(ANY) == room
    assert site.listener.reported == reported


async def test_a_report_may_come_before_the_launch_is_answered(site: Site) -> None:
    refs = await site.jobs(1)
    site.scheduler.expect(refs, ANY)
    committed = await site.scheduler.launch(site.offering.node, site.clock.now(), site.intents(refs), ANY)
    await site.start(committed.here)
    await site.deliver()
    await site.end(refs[0].id)
    await site.hints_arrive()
    site.scheduler.forget([refs[0].id])
    assert site.scheduler.room(ANY) >= SLOTS
    assert await site.in_flight() == 0


async def test_a_job_is_launched_once_however_many_try(site: Site) -> None:
    refs = await site.jobs(1)
    launched = await asyncio.gather(*(site.launch(refs) for _ in range(5)))
    assert sum(map(len, launched)) == 1
    assert await site.deliver() == [refs[0].id]


async def test_a_launch_under_an_older_term_is_refused(site: Site) -> None:
    refs = await site.jobs(2)
    assert await site.launch(refs, older=1) == set()
    assert await site.deliver() == []
    assert site.scheduler.room(ANY) == SLOTS, "what is refused is not counted"


async def test_a_scheduler_without_a_lease_launches_nothing(site: Site) -> None:
    refs = await site.jobs(2)
    await site.lease_ends(site.offering)
    assert site.offering.ownership.trusted, "it does not know"
    assert await site.launch(refs) == set()
    assert await site.deliver() == []
    assert await site.in_flight() == 0


async def test_an_executor_without_a_lease_takes_nothing(site: Site) -> None:
    refs = await site.jobs(2)
    await site.lease_ends(site.taking)
    await site.launch(refs)
    assert await site.deliver() == []


async def test_only_the_holder_settles_and_a_run_started_twice_is_recorded_once(site: Site) -> None:
    refs = await site.jobs(1)
    await site.launch(refs)
    await site.deliver()
    run = site.slots.open[refs[0].id]
    stranger = Party(site.pool, site.clock, "executor")
    try:
        await stranger.ownership.join()
        assert not await site.settle(run, stranger.node)
    finally:
        await stranger.coordinator.close()
    assert await site.in_flight() == 1
    site.slots.start([run])
    assert [await site.settle(run) for run in site.slots.started] == [True, False]
    assert await site.records(run.job_id) == 1


async def test_launches_in_the_schedulers_own_name_are_handed_over_and_reach_one_executor(site: Site) -> None:
    refs = await site.jobs(2)
    rows, _ = await site.stores.launch.launch(site.offering.node, site.clock.now(), site.intents(refs))
    assert await site.deliver() == [], "nothing was handed over"
    site.scheduler.expect(refs, ANY)
    committed = await site.scheduler.hand_over(site.offering.node, rows, ANY)
    assert committed.ids() == {ref.id for ref in refs}
    await site.start(committed.here)
    for _ in range(2):
        assert sorted(await site.deliver()) == [ref.id for ref in refs]
    assert all([await site.settle(run) for run in site.slots.started]), "the executor holds them"


async def test_no_two_takings_get_the_same_launch(offering: Site) -> None:
    refs = await offering.jobs(SLOTS)
    await offering.launch(refs)
    taken = await asyncio.gather(
        *(offering.executor.take(offering.taking.node, 2, offering.clock.now()) for _ in range(6))
    )
    ids = [one.job_id for some in taken for one in some]
    assert len(ids) == len(set(ids))
    left = await offering.executor.take(offering.taking.node, SLOTS, offering.clock.now())
    assert sorted([*ids, *(one.job_id for one in left)]) == [ref.id for ref in refs]


async def test_the_oldest_are_taken_and_no_more_than_asked(offering: Site) -> None:
    refs = await offering.jobs(3)
    for ref in reversed(refs):
        await offering.launch([ref])
        offering.clock.advance(0.5)
    taken = await offering.executor.take(offering.taking.node, 2, offering.clock.now())
    assert {one.job_id for one in taken} == {refs[2].id, refs[1].id}


async def test_an_executor_is_told_that_there_is_something_to_take(offering: Site) -> None:
    told = asyncio.Event()
    offering.executor.listen(told.set)
    await offering.launch(await offering.jobs(1))
    await asyncio.wait_for(told.wait(), 10)


async def test_a_report_says_how_the_run_ended_and_releases_it(offering: Site) -> None:
    refs = await offering.jobs(2)
    await offering.launch(refs)
    await offering.deliver()
    ended = [Ended(refs[0].id, succeeded=True), Ended(refs[1].id, failure="timeout", host="http://a:1")]
    offering.executor.report(ended)
    await offering.hints_arrive()
    assert offering.listener.reported == ended
    assert offering.listener.freed == [ref.id for ref in refs]


async def test_an_end_that_was_not_reported_is_found_and_the_job_looked_at_again(offering: Site) -> None:
    refs = await offering.jobs(2)
    await offering.launch(refs)
    await offering.deliver()
    await offering.end(refs[0].id, reported=False)
    offering.clock.advance(2)
    await offering.learn()
    assert offering.listener.freed == offering.listener.back == [refs[0].id]
    assert offering.listener.reported == []


async def test_a_launch_that_no_executor_takes_is_taken_back(offering: Site) -> None:
    refs = await offering.jobs(3)
    await offering.launch(refs)
    await offering.executor.take(offering.taking.node, 1, offering.clock.now())
    offering.clock.advance(10)
    await offering.learn()
    assert await offering.in_flight() == 1, "one was taken"
    assert len(offering.listener.freed) == 2
    assert sorted(offering.listener.back) == sorted(offering.listener.freed)
    assert await offering.deliver() == []
