"""Jobs go the whole way over two databases, as over one."""

from __future__ import annotations

import asyncio

from duetime.model.definition import Definition
from duetime.model.ids import shard_of, shard_of_lane
from duetime.model.policy import Limit, Policy
from duetime.model.states import JobState
from harness.several import SpreadEngine


async def test_jobs_spread_and_run_once_each(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = [await spread.add(user, f"m{n}") for n in range(40)]
    assert {shard_of(one) < 512 for one in ids} == {True, False}
    assert await spread.count_in(0, "jobs") + await spread.count_in(1, "jobs") == 40
    assert min(await spread.count_in(0, "jobs"), await spread.count_in(1, "jobs")) > 5
    await spread.settle_down()
    assert sorted(run.job_id for run in spread.bus.sent) == sorted(ids)
    assert await spread.count("jobs") == await spread.count("in_flight") == 0
    assert await spread.count("history") == 40
    assert await spread.insight.stats(user) == {JobState.SUCCEEDED: 40}
    assert not any(part.member.launched_as for part in spread.base.parts)


async def test_each_job_is_in_the_database_of_its_shard(spread: SpreadEngine) -> None:
    user = await spread.user()
    await asyncio.gather(*(spread.add(user, lane=f"lane {n}", after=60) for n in range(50)))
    for number, low in ((0, 0), (1, 512)):
        rows = await spread.straight[number].rows("SELECT id & 1023 AS shard, lane FROM jobs")
        assert rows
        for row in rows:
            assert low <= row["shard"] < low + 512
            assert row["shard"] == shard_of_lane(user, row["lane"])


async def test_many_unordered_jobs_of_one_request_are_all_or_nothing_in_one_database(spread: SpreadEngine) -> None:
    user = await spread.user()
    for _ in range(6):
        ids = await spread.submit.many([spread.job(user, after=60) for _ in range(50)])
        assert len({shard_of(one) < 512 for one in ids}) == 1
        assert len({shard_of(one) for one in ids}) > 10
    assert min(await spread.count_in(0, "jobs"), await spread.count_in(1, "jobs")) > 0


async def test_a_lane_keeps_its_order_and_a_limit_holds(spread: SpreadEngine) -> None:
    user = await spread.user()
    spread.bus.answer = lambda run: None
    lanes = {f"lane {n}": [await spread.add(user, lane=f"lane {n}") for _ in range(3)] for n in range(6)}
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    ones = [await spread.add(user, definition=limited) for _ in range(3)]
    for at in range(3):
        await spread.settle_down()
        running = set(spread.bus.open)
        assert running == {jobs[at] for jobs in lanes.values()} | {next(iter(running & set(ones)))}
        for job_id in running:
            spread.bus.end(job_id)
        await spread.settle.drain()
    await spread.settle_down()
    assert await spread.count("jobs") == 0


async def test_a_definition_has_one_id_everywhere_and_a_copy_where_its_jobs_are(spread: SpreadEngine) -> None:
    user = await spread.user()
    for _ in range(20):
        await spread.add(user, after=60)
    there = [await pool.rows("SELECT id, hash FROM definitions") for pool in spread.straight]
    assert len(there[0]) == 1
    assert [tuple(row) for row in there[0]] == [tuple(row) for row in there[1]]


async def test_a_second_node_shares_each_database_evenly(spread: SpreadEngine, dsns: list[str]) -> None:
    from harness.several import TurnedClock, several_config

    other = await SpreadEngine(several_config(dsns), TurnedClock()).start()
    try:
        for _ in range(2):
            await spread.ownership.run_once()
            await other.ownership.run_once()
        for low in (0, 512):
            mine, theirs = (sum(one.ownership.held[low : low + 512]) for one in (spread, other))
            assert (mine, theirs) == (256, 256)
        assert not any(a and b for a, b in zip(spread.ownership.held, other.ownership.held, strict=True))
    finally:
        await other.stop()
