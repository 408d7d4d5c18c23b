"""Walls: what must hold when two nodes believe that a shard is theirs, when one dies, and when edits race launches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from duetime.clock.manual import ManualClock
from duetime.engine.launching.unanswered import LONGEST
from duetime.model.definition import Definition
from duetime.model.errors import Conflict
from duetime.model.job import JobEdit
from duetime.model.outcome import SUCCEEDED
from duetime.model.policy import Limit, Policy
from duetime.model.run import Settlement
from duetime.model.states import JobState
from duetime.store.port import LaunchIntent
from harness.engine import Engine


@pytest.fixture
async def two(dsn: str) -> AsyncIterator[tuple[Engine, Engine]]:
    """Two nodes on one database; the first owns everything."""
    clock = ManualClock()
    first, second = await Engine(dsn, clock).start(), await Engine(dsn, clock).start()
    yield first, second
    await first.stop()
    await second.stop()


async def dies(engine: Engine) -> None:
    """The node's lease runs out without its knowing."""
    await engine.pool.run(
        "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", engine.ownership.node
    )


async def test_shards_are_shared_evenly_and_terms_rise(two: tuple[Engine, Engine]) -> None:
    first, second = two
    assert (first.ownership.count, second.ownership.count) == (1024, 0)
    await first.ownership.run_once()
    await second.ownership.run_once()
    assert (first.ownership.count, second.ownership.count) == (512, 512)
    assert not any(a and b for a, b in zip(first.ownership.held, second.ownership.held, strict=True))
    assert {second.ownership.terms[n] for n in range(1024) if second.ownership.held[n]} == {2}
    await second.ownership.leave()
    await first.ownership.run_once()
    assert first.ownership.count == 1024
    assert sorted({*first.ownership.terms}) == [1, 3]


async def test_a_fenced_node_launches_nothing_and_joins_again(two: tuple[Engine, Engine]) -> None:
    zombie, heir = two
    user = await zombie.user()
    await zombie.submit.many([zombie.job(user, after=-1) for _ in range(20)])
    await dies(zombie)
    await heir.ownership.run_once()
    assert heir.ownership.count == 1024
    await zombie.settle_down()
    assert zombie.bus.sent == []
    await heir.settle_down()
    assert len(heir.bus.sent) == 20
    old = zombie.ownership.node
    await zombie.ownership.run_once()
    assert zombie.ownership.node > old


async def test_a_node_is_not_fenced_in_the_middle_of_a_launch(two: tuple[Engine, Engine], dsn: str) -> None:
    owner, heir = two
    user = await owner.user()
    job_id = await owner.add(user, after=1)
    await dies(owner)
    holder = await asyncpg.connect(dsn)
    try:
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM leases WHERE node_id = $1 FOR KEY SHARE", owner.ownership.node)
            await holder.execute(
                "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at) "
                "VALUES ($1, $2, $3, 1, 1, now())",
                job_id,
                user,
                owner.ownership.node,
            )
            assert await heir.coordinator.fence() == [], "a launch holds the lease: it is not fenced yet"
            assert await heir.coordinator.acquire(heir.ownership.node, [job_id % 1024]) == {}
        assert await heir.coordinator.fence() == [owner.ownership.node]
    finally:
        await holder.close()
    await heir.ownership.run_once()
    assert await heir.rescue.run_once() == 1


async def test_a_shard_cannot_change_hands_without_a_higher_term(engine: Engine) -> None:
    with pytest.raises(asyncpg.RaiseError, match="higher term"):
        await engine.pool.run(
            "WITH n AS (INSERT INTO nodes (name, roles, version, joined_at) VALUES ('x', '{}', '0', now())"
            " RETURNING id)"
            " UPDATE shards SET owner = (SELECT id FROM n) WHERE shard = 5"
        )


async def test_one_launch_per_job_and_attempt_whoever_tries(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=1)
    engine.clock.advance(1)
    (ref,) = await engine.stores.due.due((ManualClock().now(), 0), engine.clock.now(), [True] * 1024, 10)
    assert ref.id == job_id
    intent = LaunchIntent(ref, engine.ownership.terms[job_id % 1024])
    node, now = engine.ownership.node, engine.clock.now()
    answers = await asyncio.gather(*(engine.stores.launch.launch(node, now, [intent]) for _ in range(8)))
    assert sum(len(answer.rows) + len(answer.gone) for answer in answers) == 1
    stale = LaunchIntent(ref, intent.term - 1)
    await engine.stores.launch.unlaunch(node, [job_id], now)
    assert await engine.stores.launch.launch(node, now, [stale]) == ([], [])


async def test_runs_of_a_dead_executor_go_again_or_are_lost(two: tuple[Engine, Engine]) -> None:
    dead, heir = two
    user = await dead.user()
    dead.bus.answer = lambda run: None
    again = await dead.add(user, "again")
    once = await dead.add(user, "once", definition=Definition(policy=Policy(delivery="at_most_once")))
    stop = await dead.add(user, "stop")
    await dead.settle_down()
    await dead.control.cancel(user, stop, user)
    await dies(dead)
    await heir.ownership.run_once()
    assert await heir.rescue.run_once() == 3
    await heir.settle_down()
    assert [(run.job_id, run.attempt) for run in heir.bus.sent] == [(again, 2)]
    assert (await heir.insight.job(user, once)).state is JobState.LOST
    assert (await heir.insight.job(user, stop)).state is JobState.CANCELLED
    for job_id in list(dead.bus.open):
        dead.bus.end(job_id)
    await dead.settle.drain()
    assert dead.counts.refused == 3
    assert (await heir.insight.job(user, once)).state is JobState.LOST
    assert [run.state for run in await heir.insight.runs(user, again)] == [JobState.FAILED, JobState.SUCCEEDED]


async def test_a_zombies_end_does_not_let_go_of_the_next_attempt_on_the_same_node(engine: Engine) -> None:
    """A node that got a new lease rescues its own runs, and what was rescued may run there beside the rescued."""
    user = await engine.user()
    engine.bus.answer = lambda run: None
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    job_id = await engine.add(user, definition=limited)
    await engine.settle_down()
    zombie = engine.bus.open.pop(job_id)
    await dies(engine)
    await engine.coordinator.fence()
    await engine.ownership.run_once()
    assert await engine.rescue.run_once() == 1
    await engine.settle_down()
    waiting = await engine.add(user, definition=limited)
    now = engine.clock.now()
    engine.settle.put(Settlement(zombie, SUCCEEDED, now, now))
    await engine.settle.drain()
    assert engine.counts.refused == 1
    await engine.settle_down()
    assert [(run.job_id, run.attempt) for run in engine.bus.sent] == [(job_id, 1), (job_id, 2)], "the limit holds"
    engine.clock.advance(2 * LONGEST.total_seconds())
    await engine.rescue.run_once()
    await engine.settle_down()
    assert list(engine.bus.open) == [job_id], "it runs, and is not taken for one that was never started"
    engine.bus.end(job_id)
    await engine.settle_down()
    assert list(engine.bus.open) == [waiting]
    assert [run.attempt for run in await engine.insight.runs(user, job_id)] == [1, 2]


async def test_a_job_that_kills_its_executor_every_time_ends_dead(dsn: str) -> None:
    clock = ManualClock()
    user = job_id = None
    for attempt in range(1, 6):
        engine = await Engine(dsn, clock).start()
        engine.bus.answer = lambda run: None
        if user is None:
            user = await engine.user()
            job_id = await engine.add(user)
        await engine.rescue.run_once()
        await engine.settle_down()
        assert [run.attempt for run in engine.bus.sent] == [attempt]
        await dies(engine)
        await engine.stop()
    engine = await Engine(dsn, clock).start()
    await engine.rescue.run_once()
    await engine.settle_down()
    assert engine.bus.sent == []
    assert (await engine.insight.job(user, job_id)).state is JobState.DEAD
    await engine.stop()


async def test_edits_and_cancels_racing_launches_leave_no_start_under_what_was_before(engine: Engine) -> None:
    """Many jobs are edited or cancelled while they are launched: an acknowledged change is always honoured."""
    user = await engine.user()
    engine.bus.answer = lambda run: None
    ids = await engine.submit.many([engine.job(user, "old", after=1) for _ in range(200)])
    await engine.settle_down()
    engine.clock.advance(1)
    changed: set[int] = set()
    cancelled: set[int] = set()
    refused = 0

    async def edit(job_id: int) -> None:
        nonlocal refused
        try:
            await engine.control.edit(user, job_id, JobEdit(message="new"), user)
            changed.add(job_id)
        except Conflict:
            refused += 1

    async def cancel(job_id: int) -> None:
        job = await engine.control.cancel(user, job_id, user)
        if job.state is JobState.CANCELLED:
            cancelled.add(job_id)

    engine.scheduler.decide(engine.clock.now())
    edits = [edit(job_id) if n % 2 else cancel(job_id) for n, job_id in enumerate(ids)]
    await asyncio.gather(*edits)
    await engine.settle_down()
    messages = {run.job_id: run.message for run in engine.bus.sent}
    assert all(messages[job_id] == "new" for job_id in changed)
    assert not cancelled & messages.keys()
    assert len(messages) + len(cancelled) == 200
    assert await engine.count("in_flight") == len(messages)


async def test_a_launch_that_was_committed_unknown_to_its_caller_is_taken_back(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=1)
    await engine.pool.run(
        "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at) VALUES ($1, $2, $3, 1, 1, $4)",
        job_id,
        user,
        engine.ownership.node,
        engine.clock.now(),
    )
    await engine.pass_time(30, step=10)
    assert engine.bus.sent == []
    engine.clock.advance(15)
    await engine.rescue.run_once()
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [job_id]
