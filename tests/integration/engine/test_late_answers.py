"""Answers that come late or never: each of these was found by a seed of the simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from duetime.clock.manual import ManualClock
from duetime.engine.due.backlog import Backlog
from duetime.engine.launching.unanswered import MOST
from duetime.model.definition import Definition
from duetime.model.errors import StoreAway
from duetime.model.ids import UserId, flow_of
from duetime.model.job import JobFilter
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Limit, Policy, Retry
from duetime.model.states import JobState
from duetime.store.port import ColumnChange, Ending, JobRef, LaunchIntent, Wanted
from harness.engine import Engine
from harness.schedules import add, at, restart_at
from harness.waiting import eventually


def after(verb: Callable[..., Awaitable[object]], then: Callable[[], object]) -> Callable[..., Awaitable[object]]:
    """A verb of the store, followed by something before its answer arrives."""

    async def called(*arguments: Any) -> Any:
        answer = await verb(*arguments)
        then()
        return answer

    return called


def lost() -> None:
    raise StoreAway


def broken() -> Any:
    raise RuntimeError("nobody thought of this")


async def test_what_was_launched_is_not_sent_when_the_lease_is_over_by_the_answer(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user)
    trusted, launches = engine.ownership._trusted_until, engine.stores.launch
    launch = launches.launch
    launches.launch = after(launch, lambda: setattr(engine.ownership, "_trusted_until", 0.0))  # type: ignore[method-assign]
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    assert (engine.bus.sent, engine.launch.unanswered_jobs) == ([], {job_id})
    launches.launch, engine.ownership._trusted_until = launch, trusted
    await engine.rescue.run_once()
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [job_id]


async def test_a_launch_that_failed_in_an_unforeseen_way_is_taken_back_and_goes_again(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, definition=Definition(policy=Policy(limit=Limit(max_concurrency=1))))
    launches = engine.stores.launch
    launch, launches.launch = launches.launch, after(launches.launch, broken)  # type: ignore[method-assign]
    await engine.settle_down()
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    launches.launch = launch
    assert await engine.count("in_flight") == 1
    engine.clock.advance(1)
    await engine.rescue.run_once()
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [job_id]


async def test_a_cancel_that_met_a_launch_in_doubt_is_kept(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user)
    launches = engine.stores.launch
    launch, launches.launch = launches.launch, after(launches.launch, lost)  # type: ignore[method-assign]
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    launches.launch = launch
    assert engine.launch.unanswered_jobs == {job_id}
    assert (await engine.control.cancel(user, job_id, user)).cancel_requested
    await engine.rescue.run_once()
    await engine.settle_down()
    assert engine.bus.sent == []
    assert [job.state.value for job in await engine.insight.jobs(user, JobFilter())] == ["cancelled"]


class Abandoned:
    """A launch whose caller is told that it failed; the statement itself waits until the test carries it out."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._verb, self._sent = engine, engine.stores.launch.launch, list[tuple[Any, ...]]()
        engine.stores.launch.launch = self._lose  # type: ignore[method-assign]

    async def _lose(self, *arguments: Any) -> Any:
        self._sent.append(arguments)
        self._engine.stores.launch.launch = self._verb
        raise StoreAway

    async def is_carried_out(self) -> list[int]:
        """At last, by the server; what was launched."""
        return [row.id for row in (await self._verb(*self._sent.pop())).rows]


async def test_a_launch_that_is_committed_after_the_first_look_is_taken_back_at_the_next(engine: Engine) -> None:
    user = await engine.user()
    abandoned = Abandoned(engine)
    job_id = await engine.add(user)
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    await engine.rescue.run_once()
    assert engine.launch.unanswered_jobs == set(), "there was nothing to be found yet"
    assert await abandoned.is_carried_out() == [job_id]
    await engine.settle_down()
    assert engine.bus.sent == [], "its place is taken"
    engine.clock.advance(1)
    await engine.rescue.run_once()
    await engine.settle_down()
    assert [(run.job_id, run.attempt) for run in engine.bus.sent] == [(job_id, 1)]
    assert await engine.count("in_flight") == 0


async def test_a_job_that_goes_again_is_not_touched_also_while_the_clock_stands(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    Abandoned(engine)
    doubted = await engine.add(user)
    engine.scheduler.decide(engine.clock.now())
    beside = await engine.add(user)
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    assert engine.launch.unanswered_jobs == {doubted}
    for _ in range(3):
        await engine.rescue.run_once()
        await engine.settle_down()
    assert sorted(engine.bus.open) == sorted([doubted, beside])
    assert len(engine.bus.sent) == 2
    assert await engine.count("in_flight") == 2, "what runs keeps its launch, though one was in doubt at that instant"


async def test_doubts_are_kept_for_as_long_as_a_statement_can_take(engine: Engine) -> None:
    user = await engine.user()
    Abandoned(engine)
    await engine.add(user)
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    for _ in range(5):
        engine.clock.advance(7)
        await engine.rescue.run_once()
        assert len(engine.unanswered) == 1
    engine.clock.advance(7)
    await engine.rescue.run_once()
    assert len(engine.unanswered) == 0
    for _ in range(MOST + 5):
        engine.unanswered.add(engine.ownership.node, engine.unanswered.instant())
    assert len(engine.unanswered) == MOST


async def test_rescue_does_not_wait_until_nothing_else_is_being_recorded(dsn: str) -> None:
    """Under load there is always something: the next round, and with it all launches in doubt, would wait for ever."""
    clock = ManualClock()
    gone, engine = await Engine(dsn, clock).start(), await Engine(dsn, clock).start()
    finish, held = engine.stores.settle.finish, asyncio.Event()

    async def never_idle(endings: Sequence[Ending]) -> set[int]:
        if any(one.state is JobState.SUCCEEDED for one in endings):
            await held.wait()
        return await finish(endings)

    try:
        user = await gone.user()
        gone.bus.answer = lambda run: None
        orphan = await gone.add(user)
        await gone.settle_down()
        await gone.ownership.leave()
        await engine.ownership.run_once()
        engine.stores.settle.finish = never_idle
        await engine.add(user)
        engine.scheduler.decide(clock.now())
        await engine.scheduler.idle()
        assert len(engine.settle) == 1, "it stays so until the end"
        assert await asyncio.wait_for(engine.rescue.run_once(), 10) == 1
        job = await engine.insight.job(user, orphan)
        assert (job.state, job.attempts) == (JobState.CREATED, 1), "on record, and to go again"
    finally:
        held.set()
        await engine.stop()
        await gone.stop()


async def unheard(engine: Engine, user: UserId, **given: Any) -> int:
    """A job that another node stored, of which no word has come."""
    stored = engine.wake.stored
    engine.wake.stored = lambda refs: None  # type: ignore[method-assign]
    try:
        return await engine.add(user, **given)
    finally:
        engine.wake.stored = stored


async def test_what_was_missed_is_found_behind_what_memory_has(dsn: str) -> None:
    """A queue that always has something waiting is looked at too, when an answer was lost."""
    engine = await Engine(dsn, ManualClock(), slots=1).start()
    try:
        user = await engine.user()
        engine.bus.answer = lambda run: None
        running, *waiting = await engine.submit.many([engine.job(user) for _ in range(3)])
        await engine.settle_down()
        assert list(engine.bus.open) == [running]
        missed = await unheard(engine, user, priority=9)
        engine.bus.end(running)
        await engine.settle_down()
        assert list(engine.bus.open) == waiting[:1], "nobody knows of it, and the net was not cast yet"
        engine.wake.lost()
        await engine.settle_down()
        engine.bus.end(waiting[0])
        await engine.settle_down()
        assert list(engine.bus.open) == [missed]
    finally:
        await engine.stop()


async def test_what_nobody_told_of_is_found_behind_a_queue_that_is_never_empty(engine: Engine) -> None:
    """Whoever stored it died before it sent the hint; the queue has more than goes, and less than memory holds."""
    user = await engine.user()
    slow = Definition(policy=Policy(limit=Limit(rate=1, per="second", burst=1)))
    await engine.submit.many([engine.job(user, definition=slow, after=-1) for _ in range(200)])
    await engine.settle_down()
    missed = await unheard(engine, user, definition=slow, priority=9)
    await engine.pass_time(8)
    assert missed in [run.job_id for run in engine.bus.sent]


async def test_queues_are_read_while_the_net_is_out(engine: Engine) -> None:
    """However long the store takes to find all queues: nobody's share waits for that."""
    user, due = await engine.user(), engine.stores.due
    flows, out, back = due.due_flows, asyncio.Event(), asyncio.Event()

    async def slow(now: datetime) -> list[int]:
        out.set()
        await back.wait()
        return await flows(now)

    await engine.settle_down()
    due.due_flows = slow
    engine.clock.advance(6)
    engine.scheduler.decide(engine.clock.now())
    await asyncio.wait_for(out.wait(), 10)
    told = await unheard(engine, user)
    engine.due.look_at([flow_of(user)])
    try:
        await eventually(lambda: engine.scheduler.decide(engine.clock.now()) and engine.bus.sent)
    finally:
        back.set()
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [told]


async def test_what_is_told_while_a_window_is_read_is_not_read_over(engine: Engine) -> None:
    """The word of it comes before the answer to a read that was too early to see it."""
    user, due = await engine.user(), engine.stores.due
    read, early = due.due, list[int]()

    async def stored_by_another_node(*arguments: Any) -> Any:
        page = await read(*arguments)
        if not early:
            early.append(await unheard(engine, user, after=1))
            engine.due.rewind(engine.clock.now() + timedelta(seconds=0.999))
        return page

    due.due = stored_by_another_node  # type: ignore[method-assign]
    await engine.pass_time(1.2, step=0.1)
    assert [run.job_id for run in engine.bus.sent] == early


async def test_shards_that_come_while_a_window_is_read_are_read_from_the_beginning(engine: Engine) -> None:
    user, due = await engine.user(), engine.stores.due
    read, held = due.due, engine.ownership.held
    job_id = await engine.add(user, after=1)
    engine.backlog.clear()
    engine.ownership.held = [False] * len(held)

    async def shards_come_meanwhile(*arguments: Any) -> Any:
        page = await read(*arguments)
        if engine.ownership.held is not held:
            engine.ownership.held = held
            engine.scheduler.restart()
        return page

    due.due = shards_come_meanwhile  # type: ignore[method-assign]
    engine.due.restart()
    await engine.due.fill(engine.clock.now())
    await engine.pass_time(1.2, step=0.1)
    assert [run.job_id for run in engine.bus.sent] == [job_id]


async def test_a_queue_that_is_told_of_while_it_is_read_is_read_again(engine: Engine) -> None:
    user, due = await engine.user(), engine.stores.due
    read, late = due.backlog, list[int]()

    async def stored_by_another_node(*arguments: Any) -> Any:
        found = await read(*arguments)
        if not late:
            late.append(await unheard(engine, user))
            engine.due.look_at([flow_of(user)])
        return found

    due.backlog = stored_by_another_node  # type: ignore[method-assign]
    await engine.settle_down()
    engine.due.look_at([flow_of(user)])
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == late


async def test_a_retry_whose_answer_was_lost_goes_when_it_is_due(engine: Engine) -> None:
    user = await engine.user()
    outcomes = [failed("defect", "No."), SUCCEEDED]
    engine.bus.answer = lambda run: outcomes.pop(0)
    await engine.add(user, definition=Definition(policy=Policy(retry=Retry(max_attempts=3, delays=(0.5,)))))
    settling = engine.stores.settle
    retry = settling.retry

    async def lose(*arguments: Any) -> Any:
        settling.retry = retry
        await retry(*arguments)
        raise StoreAway

    settling.retry = lose  # type: ignore[method-assign]
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    await eventually(lambda: engine.clock.next_waiter is not None)
    engine.clock.advance(0.1)
    await engine.settle_down()
    await engine.pass_time(0.6, step=0.1)
    assert [run.attempt for run in engine.bus.sent] == [1, 2]


async def test_a_retry_is_not_forgotten_for_a_reference_from_before_it(engine: Engine) -> None:
    """A page that was read before the first attempt began arrives after its end."""
    user = await engine.user()
    outcomes = [failed("defect", "No."), SUCCEEDED]
    engine.bus.answer = lambda run: outcomes.pop(0)
    await engine.add(user, definition=Definition(policy=Policy(retry=Retry(max_attempts=3, delays=(0.5,)))))
    old = await engine.stores.due.backlog([Wanted(flow_of(user), 10)], engine.clock.now(), engine.ownership.held)
    await engine.settle_down()
    engine.due.offer(old, engine.clock.now())
    await engine.pass_time(0.6, step=0.1)
    assert [run.attempt for run in engine.bus.sent] == [1, 2]


async def test_a_job_that_an_edit_moved_back_in_its_lane_lets_the_others_go_first(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    moved, first = await engine.add(user, lane="a", after=1), await engine.add(user, lane="a", after=2)
    await engine.settle_down()
    later = engine.clock.now() + timedelta(seconds=3)
    change = ColumnChange("job.edited", execute_at=later)
    assert await engine.stores.control.edit(user, moved, change, engine.clock.now(), user), (
        "by a node whose hint is lost"
    )
    engine.clock.advance(4)
    await engine.settle_down()
    assert list(engine.bus.open) == [first]
    engine.bus.end(first)
    await engine.settle_down()
    assert list(engine.bus.open) == [moved]


async def test_an_occurrence_that_entered_its_lane_waits_there_whatever_an_old_reference_says(engine: Engine) -> None:
    user = await engine.user()
    await restart_at(engine, at("2026-01-01T00:00:00Z"))
    engine.bus.answer = lambda run: None
    schedule = await add(engine, user, every="10s", overlap="queue")
    pending = (await engine.schedules.show(user, schedule)).pending_job
    engine.clock.advance_to(at("2026-01-01T00:00:10Z"))
    await engine.settle_down()
    assert list(engine.bus.open) == [pending], "the first runs, and holds the lane"
    shown = await engine.schedules.show(user, schedule)
    old = JobRef(
        shown.pending_job or 0, user, flow_of(user), 5, shown.pending_due, 0, None, shown.pending_nominal, schedule
    )
    engine.clock.advance_to(at("2026-01-01T00:00:20Z"))
    await engine.settle_down()
    assert list(engine.bus.open) == [pending], "the second entered the lane and waits"
    term = engine.ownership.terms[old.id % 1024]
    batch = await engine.mint.launch(engine.ownership.node, engine.clock.now(), [LaunchIntent(old, term)])
    assert batch.launched == set()
    engine.bus.end(pending)
    await engine.settle.drain()
    await engine.settle_down()
    assert list(engine.bus.open) == [old.id], "its turn came"


async def test_a_lane_that_cannot_be_moved_on_keeps_no_next_occurrence_from_its_instant(engine: Engine) -> None:
    user, due = await engine.user(), engine.stores.due
    await restart_at(engine, at("2026-01-01T00:00:00Z"))
    queued = await add(engine, user, every="1s", overlap="queue")
    await add(engine, user, "plain", every="1s")
    engine.bus.answer = lambda run: None if run.lane == f"schedule:{queued}" else SUCCEEDED
    await engine.pass_time(1)
    promote, due.promote = due.promote, after(due.promote, lost)  # type: ignore[method-assign]
    await engine.pass_time(1)
    due.promote = promote
    engine.bus.sent.clear()
    await engine.pass_time(1)
    assert [run.execute_at for run in engine.bus.sent] == [at("2026-01-01T00:00:03Z")]


def test_a_reference_that_gained_a_lane_stands_beside_the_one_before() -> None:
    backlog, now = Backlog(), at("2026-01-01T00:00:00Z")
    old = JobRef(1024, 1, flow_of(1), 5, now, 0, None, now, 7)
    new = old._replace(lane="schedule:7")
    backlog.offer([old, new], now)
    backlog.offer([old._replace(id=2048, due_at=at("2026-01-01T00:00:01Z"))], now)
    backlog.offer([old._replace(id=2048, due_at=at("2026-01-01T00:00:01Z"), lane="schedule:8")], now)
    assert backlog.head(flow_of(1)) is not None
    assert backlog.pop(flow_of(1)) == [new]
    assert backlog.ripen(at("2026-01-01T00:00:02Z")) == {flow_of(1)}
    assert backlog.head(flow_of(1)) is not None
    assert [ref.lane for ref in backlog.pop(flow_of(1))] == ["schedule:8"]


async def test_a_turn_that_fails_is_not_the_last(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user)
    pick, engine.pick.pick = engine.pick.pick, lambda *_: broken()  # type: ignore[method-assign]
    turning = asyncio.create_task(engine.scheduler.run())
    await eventually(lambda: turning.done() or engine.clock.next_waiter is not None)
    engine.pick.pick = pick
    engine.clock.advance(1)
    await eventually(lambda: turning.done() or engine.bus.sent)
    assert [run.job_id for run in engine.bus.sent] == [job_id]
    await engine.scheduler.stop()
    await turning


async def test_an_outcome_that_cannot_be_recorded_takes_no_others_with_it(engine: Engine) -> None:
    user = await engine.user()
    bad, *good = await engine.submit.many([engine.job(user) for _ in range(4)])
    finish, settling = engine.stores.settle.finish, engine.stores.settle

    async def choke(endings: Sequence[Ending]) -> set[int]:
        if bad in [one.job_id for one in endings]:
            broken()
        return await finish(endings)

    settling.finish = choke
    await engine.settle_down()
    assert len(engine.bus.sent) == 4
    assert [row["id"] for row in await engine.pool.rows("SELECT id FROM history ORDER BY id")] == sorted(good)
    assert len(engine.settle) == 0, "it takes up no room for ever"


async def test_a_deadlock_is_a_reason_to_try_again(engine: Engine) -> None:
    user = await engine.user()
    ids = await engine.submit.many([engine.job(user, after=100) for _ in range(2)])
    both_hold_one = asyncio.Barrier(2)

    async def change(job_ids: Sequence[int]) -> None:
        async with engine.pool.transaction() as connection:
            await connection.execute("UPDATE jobs SET message = 'x' WHERE id = $1", job_ids[0])
            await both_hold_one.wait()
            await connection.execute("UPDATE jobs SET message = 'x' WHERE id = $1", job_ids[1])

    answers = await asyncio.gather(change(ids), change(ids[::-1]), return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["NoneType", "StoreAway"]
