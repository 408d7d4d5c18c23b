"""Launches on offer: taken once, by who may, and never started under what was changed before."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from duetime.clock.manual import ManualClock
from duetime.engine.due.scheduler import WIDTH
from duetime.engine.launching.unanswered import LONGEST
from duetime.model.definition import Definition
from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import flow_of
from duetime.model.job import JobEdit
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Limit, Policy, Retry
from duetime.model.run import Settlement
from duetime.model.states import JobState
from duetime.store.port import LaunchIntent
from harness.schedules import content
from harness.waiting import eventually
from integration.bus.conftest import Apart, Start

FAILED = failed("defect", "It broke.")


def requiring(**labels: str) -> Definition:
    return Definition(policy=Policy(requires=labels))


async def test_a_job_goes_from_one_process_through_another_to_the_record(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user, "hello")
    await scheduler.schedule()
    assert (await scheduler.insight.job(user, job_id)).state is JobState.QUEUED
    assert await scheduler.insight.runs(user, job_id) == []
    assert await scheduler.insight.stats(user) == {JobState.QUEUED: 1}
    assert await executor.work() == 1
    assert [(run.job_id, run.message, run.attempt) for run in executor.bus.sent] == [(job_id, "hello", 1)]
    job = await scheduler.insight.job(user, job_id)
    assert (job.state, job.attempts) == (JobState.SUCCEEDED, 1)
    assert await scheduler.count("in_flight") == 0
    await scheduler.hears_of_the_end()
    assert not scheduler.backlog.launched


async def test_takers_at_the_same_time_never_get_the_same(scheduler: Apart, start: Start) -> None:
    executors = [await start("executor", slots=60) for _ in range(4)]
    user = await scheduler.user()
    ids = await scheduler.submit.many([scheduler.job(user) for _ in range(200)])
    await scheduler.schedule()
    while sum(await asyncio.gather(*(one.work() for one in executors))):
        pass
    seen = [run.job_id for one in executors for run in one.bus.sent]
    assert sorted(seen) == sorted(ids)
    assert sum(bool(one.bus.sent) for one in executors) > 1


async def test_a_locked_offer_is_passed_over_not_waited_for(scheduler: Apart, executor: Apart, dsn: str) -> None:
    user = await scheduler.user()
    ids = await scheduler.submit.many([scheduler.job(user) for _ in range(3)])
    await scheduler.schedule()
    other = await asyncpg.connect(dsn)
    try:
        async with other.transaction():
            await other.execute("SELECT 1 FROM in_flight WHERE job_id = $1 FOR UPDATE", ids[0])
            assert await asyncio.wait_for(executor.work(), 5) == 2
        assert await executor.work() == 1
    finally:
        await other.close()


async def test_a_fenced_executor_takes_nothing(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    await scheduler.add(user)
    await scheduler.schedule()
    await executor.lease_runs_out()
    await scheduler.ownership.run_once()
    assert executor.ownership.trusted, "it does not know"
    assert await executor.work() == 0
    assert await scheduler.count("in_flight WHERE executor = -1") == 1


async def test_a_fenced_scheduler_offers_nothing(scheduler: Apart, executor: Apart, start: Start) -> None:
    user = await scheduler.user()
    await scheduler.add(user)
    await scheduler.lease_runs_out()
    heir = await start("scheduler")
    await heir.ownership.run_once()
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 0
    await heir.schedule()
    assert await executor.work() == 1


async def test_room_is_what_executors_have_and_no_more(scheduler: Apart, start: Start) -> None:
    executor = await start("executor", slots=10)
    executor.bus.answer = lambda run: None
    user = await scheduler.user()
    await scheduler.submit.many([scheduler.job(user) for _ in range(50)])
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 10
    assert await executor.work() == 10
    assert await executor.work() == 0
    await executor.report(free=0)
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 10
    for job_id in list(executor.bus.open)[:4]:
        executor.bus.end(job_id)
    await executor.settle.drain()
    await eventually(lambda: len(scheduler.offers.out) == 6)
    await executor.report(free=4)
    await scheduler.schedule()
    while await executor.work():
        pass
    assert len(executor.bus.open) == 10


async def test_labels_are_honoured_and_a_lack_is_shown(scheduler: Apart, executor: Apart, start: Start) -> None:
    user = await scheduler.user()
    eu = await scheduler.add(user, definition=requiring(zone="eu"))
    any_ = await scheduler.add(user)
    await scheduler.schedule()
    await executor.work()
    assert [run.job_id for run in executor.bus.sent] == [any_]
    scheduler.clock.advance(timedelta(seconds=1))
    job = await scheduler.insight.job(user, eu)
    assert (job.state, [one.labels for one in job.waiting_for]) == (JobState.CREATED, [{"zone": "eu"}])
    assert await scheduler.count("in_flight") == 0, "what nobody can run is not offered"
    european = await start("executor", zone="eu", disk="ssd")
    await scheduler.schedule()
    assert await executor.work() == 0
    assert await european.work() == 1
    assert [run.job_id for run in european.bus.sent] == [eu]


async def test_a_users_rule_holds_for_all_of_its_jobs_and_a_change_at_once(
    scheduler: Apart, executor: Apart, start: Start
) -> None:
    european = await start("executor", zone="eu")
    user = await scheduler.user()
    await scheduler.pool.run("""UPDATE users SET requires = '{"zone": "eu"}' WHERE id = $1""", user)
    await scheduler.rules.run_once()
    first = await scheduler.add(user)
    await scheduler.schedule()
    assert await executor.work() == 0
    await european.work()
    assert [run.job_id for run in european.bus.sent] == [first]
    await scheduler.pool.run("""UPDATE users SET requires = '{"zone": "us"}' WHERE id = $1""", user)
    await scheduler.rules.run_once()
    second = await scheduler.add(user)
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 0
    await scheduler.pool.run("UPDATE users SET requires = NULL WHERE id = $1", user)
    await scheduler.rules.run_once()
    await scheduler.settle_down()
    assert await executor.work() + await european.work() == 1
    assert (await scheduler.insight.job(user, second)).state is JobState.SUCCEEDED


async def test_a_node_uses_its_own_slots_first_and_hands_over_what_does_not_fit(start: Start) -> None:
    both = await start("scheduler", "executor", slots=10)
    other = await start("executor", slots=7, zone="eu")
    for one in (both, other):
        one.bus.answer = lambda run: None
    user = await both.user()
    await both.submit.many([both.job(user) for _ in range(30)])
    labelled = await both.add(user, definition=requiring(zone="eu"))
    await both.schedule()
    await other.work()
    assert len(both.bus.open) == 10
    assert len(other.bus.open) == 7
    assert labelled in other.bus.open
    assert labelled not in both.bus.open


async def test_offers_that_nobody_takes_are_taken_back_and_decided_anew(
    scheduler: Apart, executor: Apart, start: Start
) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 1
    await executor.ownership.leave()
    scheduler.clock.advance(6)
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 0
    assert (await scheduler.insight.job(user, job_id)).state is JobState.CREATED
    late = await start("executor")
    await scheduler.schedule()
    assert await late.work() == 1


async def test_offers_of_a_dead_scheduler_are_taken_or_taken_back_by_its_heir(
    scheduler: Apart, executor: Apart, start: Start
) -> None:
    user = await scheduler.user()
    await scheduler.submit.many([scheduler.job(user) for _ in range(5)])
    await scheduler.schedule()
    await scheduler.lease_runs_out()
    heir = await start("scheduler")
    await heir.ownership.run_once()
    assert await heir.rescue.run_once() == 0, "what is on offer has no executor to lose"
    executor.bus.slots = 3
    assert await executor.work() == 3
    heir.clock.advance(6)
    executor.bus.slots = 100
    await heir.schedule()
    await executor.work()
    assert len({run.job_id for run in executor.bus.sent}) == len(executor.bus.sent) == 5


async def test_runs_of_a_dead_executor_go_again_or_are_lost(scheduler: Apart, start: Start) -> None:
    dead = await start("executor")
    dead.bus.answer = lambda run: None
    user = await scheduler.user()
    again = await scheduler.add(user)
    once = await scheduler.add(user, definition=Definition(policy=Policy(delivery="at_most_once")))
    await scheduler.schedule()
    assert await dead.work() == 2
    await dead.lease_runs_out()
    await scheduler.ownership.run_once()
    assert await scheduler.rescue.run_once() == 2
    heir = await start("executor")
    await scheduler.schedule()
    await heir.work()
    assert [(run.job_id, run.attempt) for run in heir.bus.sent] == [(again, 2)]
    assert (await scheduler.insight.job(user, once)).state is JobState.LOST
    for job_id in list(dead.bus.open):
        dead.bus.end(job_id)
    await dead.settle.drain()
    assert dead.counts.refused == 2
    assert not dead.held.taken


async def test_a_zombie_does_not_speak_for_a_run_that_is_somebody_elses(scheduler: Apart, start: Start) -> None:
    zombie, heir = await start("executor"), await start("executor")
    zombie.bus.answer = heir.bus.answer = lambda run: None
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await zombie.work() == 1
    await zombie.lease_runs_out()
    await scheduler.ownership.run_once()
    await scheduler.rescue.run_once()
    await scheduler.schedule()
    assert await heir.work() == 1
    zombie.bus.end(job_id)
    await zombie.settle.drain()
    heard = asyncio.Event()
    scheduler.coordinator.listen("probe", lambda _: heard.set())
    zombie.coordinator.send("probe", "")
    await asyncio.wait_for(heard.wait(), 10)
    assert list(scheduler.offers.out) == [job_id], "the second attempt is still out"


async def test_a_zombies_end_does_not_let_go_of_the_next_attempt_that_it_took_itself(
    scheduler: Apart, executor: Apart
) -> None:
    executor.bus.answer = lambda run: None
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    assert await executor.work() == 1
    zombie = executor.bus.open.pop(job_id)
    await executor.lease_runs_out()
    await scheduler.ownership.run_once()
    await executor.ownership.run_once()
    await executor.report()
    await scheduler.rescue.run_once()
    await scheduler.schedule()
    assert await executor.work() == 1
    now = executor.clock.now()
    executor.settle.put(Settlement(zombie, SUCCEEDED, now, now))
    await executor.settle.drain()
    assert executor.counts.refused == 1
    executor.clock.advance(2 * LONGEST.total_seconds())
    assert await executor.never_started.run_once() == 0, "the second attempt runs"
    executor.bus.end(job_id)
    await executor.settle.drain()
    assert not executor.held.taken
    await scheduler.hears_of_the_end()


async def test_a_lost_word_costs_only_time(scheduler: Apart, executor: Apart) -> None:
    """The executor's hint never comes: the scheduler looks by itself, and limits and retries go on."""
    executor.wake._hints.send = lambda *hint: None  # type: ignore[method-assign]
    executor.bus.answer = lambda run: FAILED if run.attempt == 1 else None
    user = await scheduler.user()
    retry = Retry(backoff="fixed", base=0.5, jitter="none")
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1), retry=retry))
    job_id = await scheduler.add(user, definition=limited)
    behind = await scheduler.add(user, definition=limited)
    await scheduler.schedule()
    assert await executor.work() == 1
    await scheduler.schedule()
    assert await executor.work() == 0, "as far as it knows, one is running"
    scheduler.clock.advance(2)
    await scheduler.schedule()
    await scheduler.schedule()
    assert await executor.work() == 1
    assert executor.bus.sent[-1].job_id in (job_id, behind)


async def test_a_retry_reaches_its_scheduler_by_a_hint(scheduler: Apart, executor: Apart) -> None:
    executor.bus.answer = lambda run: FAILED if run.attempt == 1 else None
    user = await scheduler.user()
    retry = Retry(backoff="fixed", base=1, jitter="none")
    await scheduler.add(user, definition=Definition(policy=Policy(retry=retry)))
    await scheduler.schedule()
    await executor.work()
    await scheduler.hears_of_the_end()
    scheduler.clock.advance(1)
    await scheduler.settle_down()
    assert await executor.work() == 1
    assert [run.attempt for run in executor.bus.sent] == [1, 2]


async def test_what_another_node_stored_is_offered_without_a_read(scheduler: Apart, executor: Apart) -> None:
    user, due = await scheduler.user(), scheduler.stores.due
    await scheduler.schedule()
    reads = list[str]()
    for name in ("due", "backlog", "due_flows"):
        setattr(due, name, lambda *_, name=name: reads.append(name))
    job_id, soon = await executor.add(user, lane="ä, b"), await executor.add(user, after=0.5)
    await eventually(lambda: scheduler.pick.waiting and scheduler.backlog.next_due())
    await scheduler.schedule()
    assert await executor.work() == 1
    scheduler.clock.advance(0.5)
    await scheduler.schedule()
    assert await executor.work() == 1
    assert [run.job_id for run in executor.bus.sent] == [job_id, soon]
    assert reads == []


async def test_many_that_another_node_stored_are_found(scheduler: Apart, start: Start) -> None:
    executor = await start("executor", slots=1000)
    user, sent = await scheduler.user(), list[str]()
    await scheduler.schedule()
    notify = executor.coordinator._notify
    executor.coordinator._notify = lambda payload: sent.append(payload) or notify(payload)
    ids = await executor.submit.many([executor.job(user) for _ in range(500)])
    await eventually(lambda: scheduler.backlog.incomplete)
    assert sent == [f"stored {flow_of(user)}"]
    await scheduler.schedule()
    while await executor.work():
        pass
    assert sorted(run.job_id for run in executor.bus.sent) == sorted(ids)


async def test_lanes_go_one_by_one_across_processes(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    ids = await scheduler.submit.many([scheduler.job(user, lane="a", after=-1) for _ in range(4)])
    for expected in ids:
        await scheduler.schedule()
        assert await executor.work() == 1
        assert executor.bus.sent[-1].job_id == expected
        await scheduler.hears_of_the_end()
        if expected != ids[-1]:
            await eventually(lambda: scheduler.pick.waiting)


async def test_cancelling_what_is_on_offer_ends_it_at_once(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    job = await executor.control.cancel(user, job_id, user)
    assert job.state is JobState.CANCELLED
    assert await executor.work() == 0
    assert await scheduler.count("in_flight") == 0
    await scheduler.hears_of_the_end()


async def test_an_edit_takes_an_offer_back_and_counts(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    now_id, later_id = [await scheduler.add(user, "old") for _ in range(2)]
    await scheduler.schedule()
    await executor.control.edit(user, now_id, JobEdit(message="new"), user)
    later = scheduler.clock.now() + timedelta(seconds=1)
    await executor.control.edit(user, later_id, JobEdit(execute_at=later), user)
    await scheduler.hears_of_the_end()
    await scheduler.settle_down()
    assert await executor.work() == 1
    assert [(run.job_id, run.message) for run in executor.bus.sent] == [(now_id, "new")]
    await eventually(lambda: scheduler.due.wants_fill(scheduler.clock.now()) or scheduler.backlog.next_due())
    await scheduler.pass_time(1.5)
    assert await executor.work() == 1


async def test_edits_and_cancels_racing_takers_leave_no_start_under_what_was_before(
    scheduler: Apart, start: Start
) -> None:
    executor = await start("executor", slots=300)
    executor.bus.answer = lambda run: None
    user = await scheduler.user()
    ids = await scheduler.submit.many([scheduler.job(user, "old") for _ in range(200)])
    await scheduler.schedule()
    changed: set[int] = set()
    cancelled: set[int] = set()

    async def edit(job_id: int) -> None:
        try:
            await scheduler.control.edit(user, job_id, JobEdit(message="new"), user)
            changed.add(job_id)
        except Conflict:
            pass

    async def cancel(job_id: int) -> None:
        if (await scheduler.control.cancel(user, job_id, user)).state is JobState.CANCELLED:
            cancelled.add(job_id)

    async def take() -> None:
        for _ in range(60):
            taken = await executor.stores.offers.take(executor.ownership.node, "{}", 2, executor.clock.now())
            for one in taken:
                messages[one.job_id] = one.row.message

    messages: dict[int, str] = {}
    edits = [edit(job_id) if n % 2 else cancel(job_id) for n, job_id in enumerate(ids)]
    await asyncio.gather(*edits, take())
    await scheduler.settle_down()
    await scheduler.offers.run_once()
    await scheduler.settle_down()
    for one in await executor.stores.offers.take(executor.ownership.node, "{}", 300, executor.clock.now()):
        assert one.job_id not in messages, "taken twice"
        messages[one.job_id] = one.row.message
    assert changed, "no edit came in time: the test shows nothing"
    assert cancelled, "no cancel came in time: the test shows nothing"
    assert all(messages.get(job_id, "new") == "new" for job_id in changed)
    assert not cancelled & messages.keys()


async def test_what_expired_on_offer_is_skipped_and_what_is_gone_is_let_go(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    soon = scheduler.clock.now() + timedelta(seconds=1)
    expiring = await scheduler.add(user, expires_at=soon)
    gone = await scheduler.add(user)
    await scheduler.schedule()
    await scheduler.pool.run("DELETE FROM jobs WHERE id = $1", gone)
    scheduler.clock.advance(2)
    await executor.work()
    assert executor.bus.sent == []
    assert (await scheduler.insight.job(user, expiring)).state is JobState.SKIPPED
    assert await scheduler.count("in_flight") == 0


async def test_a_schedules_occurrence_is_minted_and_handed_over(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    await scheduler.schedules.create(user, [content(every="1s")], user)
    for _ in range(3):
        await scheduler.pass_time(1)
        await scheduler.schedule()
        await executor.work()
    assert len(executor.bus.sent) >= 2
    assert await scheduler.count("in_flight WHERE executor > 0") == 0


async def test_an_occurrence_that_could_not_be_handed_over_is_counted_once(scheduler: Apart, executor: Apart) -> None:
    user, store = await scheduler.user(), scheduler.stores.offers
    await scheduler.schedules.create(user, [content(every="1m")], user)
    await scheduler.settle_down()
    scheduler.clock.advance_to((await scheduler.schedules.list(user, 0, 1, None, None))[0].pending_due)
    hand_over = store.hand_over

    async def away(*_: Any) -> None:
        store.hand_over = hand_over
        raise StoreAway

    store.hand_over = away  # type: ignore[method-assign]
    await scheduler.schedule()
    assert len(scheduler.launch.unanswered_jobs) == 1
    await scheduler.rescue.run_once()
    await scheduler.schedule()
    assert await executor.work() == 1
    await scheduler.hears_of_the_end()
    assert len(executor.bus.sent) == 1


async def test_an_answer_that_was_lost_after_taking_is_given_back(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    executor.clock.advance(35)
    await executor.stores.offers.take(executor.ownership.node, "{}", 10, executor.clock.now())
    executor.clock.advance(30)
    assert await executor.never_started.run_once() == 0, "the answer may still be on its way"
    executor.clock.advance(11)
    assert await executor.never_started.run_once() == 1
    await scheduler.schedule()
    await scheduler.schedule()
    assert await executor.work() == 1
    assert executor.bus.sent[0].job_id == job_id
    executor.clock.advance(60)
    assert await executor.never_started.run_once() == 0


@pytest.mark.parametrize("late", [False, True])
async def test_a_taking_whose_answer_was_lost_is_given_back_at_once(
    scheduler: Apart, executor: Apart, late: bool
) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user)
    await scheduler.schedule()
    offers = executor.stores.offers
    take, sent = offers.take, list[tuple[object, ...]]()

    async def lose(*arguments: Any) -> None:
        offers.take = take
        sent.append(arguments)
        if not late:
            await take(*arguments)
        raise StoreAway

    offers.take = lose  # type: ignore[method-assign]
    with pytest.raises(StoreAway):
        await executor.work()
    if late:
        assert await executor.never_started.run_once() == 0, "the server has not carried it out yet"
        assert len(await take(*sent[0])) == 1
    assert await executor.never_started.run_once() == 1
    executor.clock.advance(1)
    await scheduler.schedule()
    assert await executor.work() == 1
    assert [(run.job_id, run.attempt) for run in executor.bus.sent] == [(job_id, 1)]
    assert await executor.never_started.run_once() == 0
    assert (await scheduler.insight.job(user, job_id)).state is JobState.SUCCEEDED


async def test_what_was_taken_is_not_started_when_the_lease_is_over_by_the_answer(
    scheduler: Apart, executor: Apart
) -> None:
    user = await scheduler.user()
    await scheduler.add(user)
    await scheduler.schedule()
    offers, take, trusted = executor.stores.offers, executor.stores.offers.take, executor.ownership._trusted_until

    async def slow(*arguments: Any) -> Any:
        taken = await take(*arguments)
        executor.ownership._trusted_until = 0.0
        return taken

    offers.take = slow  # type: ignore[method-assign]
    assert await executor.work() == 0
    assert executor.bus.sent == []
    offers.take, executor.ownership._trusted_until = take, trusted
    assert await executor.never_started.run_once() == 1


async def test_an_executor_whose_clock_is_behind_starts_what_it_takes(scheduler: Apart, dsn: str) -> None:
    """Clocks of nodes may lie behind the database's by some milliseconds, each by others."""
    behind = await Apart(dsn, ManualClock(scheduler.clock.now() - timedelta(seconds=0.2)), roles=("executor",)).start()
    try:
        await behind.report()
        user = await scheduler.user()
        ids = await scheduler.submit.many([scheduler.job(user) for _ in range(3)])
        await scheduler.schedule()
        assert await behind.work() == 3
        assert [run.job_id for run in behind.bus.sent] == ids
        moved = await scheduler.add(user)
        await scheduler.schedule()
        later = scheduler.clock.now() + timedelta(seconds=30)
        await scheduler.pool.run("UPDATE jobs SET due_at = $2 WHERE id = $1", moved, later)
        assert await behind.work() == 1
        assert len(behind.bus.sent) == 3, "what is not due any more is not started"
        assert await scheduler.count("in_flight") == 0
    finally:
        await behind.stop()


async def test_what_a_node_offered_and_took_itself_is_not_taken_back_as_a_launch(start: Start) -> None:
    node = await start("scheduler", "executor", slots=1)
    node.bus.answer = lambda run: None
    user = await node.user()
    job_id = await node.add(user)
    await node.settle_down()
    launched_at = node.clock.now()
    await node.stores.offers.hand_over(node.ownership.node, [job_id], None)
    node.clock.advance(0.5)
    assert len(await node.stores.offers.take(node.ownership.node, "{}", 10, node.clock.now())) == 1
    await node.stores.launch.unlaunch(node.ownership.node, [job_id], launched_at)
    assert await node.count("in_flight") == 1
    await node.stores.launch.unlaunch(node.ownership.node, [job_id], node.clock.now())
    assert await node.count("in_flight") == 0


async def test_a_node_offers_nothing_while_it_has_room_itself(start: Start) -> None:
    node, other = await start("scheduler", "executor", slots=5), await start("executor", slots=5)
    node.bus.answer = other.bus.answer = lambda run: None
    user = await node.user()
    await node.submit.many([node.job(user) for _ in range(12)])
    await node.offers.run_once()
    node.scheduler._launching = WIDTH
    node.scheduler.decide(node.clock.now())
    await node.scheduler.idle()
    assert await node.count("in_flight") == 0, "as many launches are under way as may be, and there is room here"
    node.scheduler._launching = 0
    await node.settle_down()
    assert len(node.bus.open) == 5
    assert await node.count("in_flight WHERE executor = -1") == 5


async def test_the_same_walls_stand_before_an_offer(scheduler: Apart, executor: Apart) -> None:
    user = await scheduler.user()
    job_id = await scheduler.add(user, after=1)
    scheduler.clock.advance(1)
    (ref,) = await scheduler.stores.due.due(
        (scheduler.clock.now() - timedelta(9), 0), scheduler.clock.now(), [True] * 1024, 9
    )
    node, now, term = scheduler.ownership.node, scheduler.clock.now(), scheduler.ownership.terms[job_id % 1024]
    offer = scheduler.stores.offers.offer
    assert await offer(node, now, [LaunchIntent(ref, term - 1)], None) == set()
    answers = await asyncio.gather(*(offer(node, now, [LaunchIntent(ref, term)], None) for _ in range(5)))
    assert sum(map(len, answers)) == 1
    assert await scheduler.stores.launch.launch(node, now, [LaunchIntent(ref, term)]) == ([], [])


@pytest.mark.parametrize("succeeds", [True, False])
async def test_a_breaker_hears_of_outcomes_elsewhere(scheduler: Apart, executor: Apart, succeeds: bool) -> None:
    from duetime.model.targets.http import HttpTarget

    definition = Definition(HttpTarget("http://192.0.2.1/"), Policy(retry=Retry(max_attempts=1)))
    executor.bus.answer = lambda run: failed("connection", "No.")
    user = await scheduler.user()
    await scheduler.submit.many([scheduler.job(user, definition=definition) for _ in range(10)])
    await scheduler.schedule()
    await executor.work()
    await scheduler.hears_of_the_end()
    await scheduler.publish_gates.run_once()
    (broken,) = await scheduler.stores.gates.broken_hosts(user)
    assert broken.host == "http://192.0.2.1"
    await scheduler.submit.many([scheduler.job(user, definition=definition) for _ in range(5)])
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 0, "the host is taken to be down"
    scheduler.clock.advance(6)
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == 1, "one tries"
    if succeeds:
        executor.bus.answer = lambda run: None
        await executor.work()
        executor.bus.end(executor.bus.sent[-1].job_id)
        await executor.settle.drain()
    else:
        await executor.work()
    await scheduler.hears_of_the_end()
    await scheduler.schedule()
    assert await scheduler.count("in_flight") == (4 if succeeds else 0)
