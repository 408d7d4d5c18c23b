"""Ends of jobs reach every subscriber at least once, whichever way the job ended, and nobody else pays for it."""

from __future__ import annotations

import asyncio

import pytest

from duetime.engine.settling.outbox import OutboxReader
from duetime.model.definition import Definition
from duetime.model.events import JobEnded
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from duetime.store.outbox_port import Subscription
from harness.engine import Engine

ENDS = (JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED, JobState.SKIPPED, JobState.LOST)


class Consumer:
    """Remembers what it was handed, and can refuse it."""

    def __init__(self, engine: Engine, name: str = "test", *states: JobState, user: int | None = None) -> None:
        self.seen: list[JobEnded] = []
        self.broken = False
        self.reader = OutboxReader(engine.stores.outbox, Subscription(name, states or ENDS, user), self._handle)

    async def _handle(self, ended: list[JobEnded]) -> None:
        if self.broken:
            raise ConnectionError
        self.seen += ended

    def states(self) -> dict[int, str]:
        return {one.job_id: one.state.value for one in self.seen}


ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))


async def test_every_way_to_end_is_announced_once_with_its_state(engine: Engine) -> None:
    consumer = Consumer(engine)
    await consumer.reader.subscribe()
    user = await engine.user()
    fine = await engine.add(user, "fine")
    broken = await engine.add(user, "broken", definition=ONCE)
    blocking = await engine.add(user, "broken", definition=ONCE, lane="l")
    behind = await engine.add(user, "fine", lane="l")
    cancelled = await engine.add(user, after=60)
    late = await engine.add(user, expires_at=engine.clock.now())
    engine.bus.answer = lambda run: failed("error", "no") if run.message == "broken" else SUCCEEDED
    await engine.settle_down()
    await engine.control.cancel(user, cancelled, user)
    await engine.dead_letters.discard(user, [broken], user)
    await engine.dead_letters.clear(user, "l", user)
    assert await consumer.reader.run_once() == len(consumer.seen)
    by_job: dict[int, list[str]] = {}
    for one in consumer.seen:
        by_job.setdefault(one.job_id, []).append(one.state.value)
    assert by_job == {
        fine: ["succeeded"],
        broken: ["dead", "cancelled"],
        blocking: ["dead", "cancelled"],
        behind: ["cancelled"],
        cancelled: ["cancelled"],
        late: ["skipped"],
    }
    (held,) = [one for one in consumer.seen if one.blocks_lane]
    assert (held.job_id, held.lane, held.reason) == (blocking, "l", "no")
    assert await engine.count("outbox") == 0, "what everybody has read is deleted"


async def test_nothing_is_written_without_a_subscription_that_asks_for_it(engine: Engine) -> None:
    mine, other = await engine.user("mine"), await engine.user("other")
    await engine.add(mine)
    await engine.settle_down()
    assert await engine.count("outbox") == 0
    await Consumer(engine, "theirs", user=other).reader.subscribe()
    await Consumer(engine, "deaths", JobState.DEAD, user=mine).reader.subscribe()
    await engine.add(mine)
    await engine.settle_down()
    assert await engine.count("outbox") == 0
    await engine.add(other)
    await engine.settle_down()
    assert await engine.count("outbox") == 1


async def test_what_was_not_acknowledged_comes_again_and_keeps_its_order(engine: Engine) -> None:
    consumer = Consumer(engine)
    await consumer.reader.subscribe()
    user = await engine.user()
    first = await engine.add(user)
    await engine.settle_down()
    consumer.broken = True
    with pytest.raises(ConnectionError):
        await consumer.reader.run_once()
    second = await engine.add(user)
    await engine.settle_down()
    consumer.broken = False
    await consumer.reader.run_once()
    assert [one.job_id for one in consumer.seen] == [first, second]
    assert await consumer.reader.run_once() == 0


async def test_a_transaction_that_commits_late_is_not_passed_over(engine: Engine) -> None:
    consumer = Consumer(engine)
    await consumer.reader.subscribe()
    user = await engine.user()
    slow, quick = await engine.add(user, after=60), await engine.add(user)
    begun, commit = asyncio.Event(), asyncio.Event()

    async def withdraw_slowly() -> None:
        async with engine.pool.transaction() as connection:
            await connection.execute(
                "SELECT end_jobs(ARRAY[ROW($1::int, $2::bigint, 'cancelled', NULL, NULL, NULL, NULL, $3::timestamptz,"
                " 'x', NULL, NULL, NULL, NULL)::end_row])",
                user,
                slow,
                engine.clock.now(),
            )
            begun.set()
            await commit.wait()

    task = asyncio.create_task(withdraw_slowly())
    await begun.wait()
    await engine.settle_down()
    await consumer.reader.run_once()
    assert consumer.seen == [], "the later end waits for the earlier transaction"
    commit.set()
    await task
    await consumer.reader.run_once()
    assert [one.job_id for one in consumer.seen] == [slow, quick]


async def test_each_reader_has_a_position_of_its_own_and_a_repeated_subscription_keeps_it(engine: Engine) -> None:
    one, two = Consumer(engine, "one"), Consumer(engine, "two")
    await one.reader.subscribe()
    await two.reader.subscribe()
    user = await engine.user()
    job = await engine.add(user)
    await engine.settle_down()
    await one.reader.run_once()
    assert await engine.count("outbox") == 1, "two has not read it"
    await one.reader.subscribe()
    assert await one.reader.run_once() == 0
    await two.reader.run_once()
    assert one.states() == two.states() == {job: "succeeded"}
    await engine.stores.outbox.unsubscribe("one")
    await engine.stores.outbox.unsubscribe("two")
    await engine.add(user)
    await engine.settle_down()
    assert await engine.count("outbox") == 0
