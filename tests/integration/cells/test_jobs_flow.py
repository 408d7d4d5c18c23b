"""Jobs go the whole way over two databases, as over one."""

from __future__ import annotations

import asyncio

from duetime.model.definition import Definition
from duetime.model.ids import shard_of, shard_of_lane
from duetime.model.policy import Limit, Policy
from duetime.model.states import JobState
from harness.cells import CellEngines


async def test_jobs_spread_and_run_once_each(cells: CellEngines) -> None:
    user = await cells.user()
    ids = [await cells.add(user, f"m{n}") for n in range(40)]
    assert {shard_of(one) < 512 for one in ids} == {True, False}
    assert await cells.count_in(0, "jobs") + await cells.count_in(1, "jobs") == 40
    assert min(await cells.count_in(0, "jobs"), await cells.count_in(1, "jobs")) > 5
    await cells.settle_down()
    assert sorted(run.job_id for run in cells.bus.sent) == sorted(ids)
    assert await cells.count("jobs") == await cells.count("in_flight") == 0
    assert await cells.count("history") == 40
    assert await cells.insight.stats(user) == {JobState.SUCCEEDED: 40}


async def test_each_job_is_in_the_database_of_its_shard(cells: CellEngines) -> None:
    user = await cells.user()
    await asyncio.gather(*(cells.add(user, lane=f"lane {n}", after=60) for n in range(50)))
    for number, low in ((0, 0), (1, 512)):
        rows = await cells.straight[number].rows("SELECT id & 1023 AS shard, lane FROM jobs")
        assert rows
        for row in rows:
            assert low <= row["shard"] < low + 512
            assert row["shard"] == shard_of_lane(user, row["lane"])


async def test_many_unordered_jobs_of_one_request_are_all_or_nothing_in_one_database(cells: CellEngines) -> None:
    user = await cells.user()
    for _ in range(6):
        ids = await cells.submit.many([cells.job(user, after=60) for _ in range(50)])
        assert len({shard_of(one) < 512 for one in ids}) == 1
        assert len({shard_of(one) for one in ids}) > 10
    assert min(await cells.count_in(0, "jobs"), await cells.count_in(1, "jobs")) > 0


async def test_a_lane_keeps_its_order_and_a_limit_holds(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    lanes = {f"lane {n}": [await cells.add(user, lane=f"lane {n}") for _ in range(3)] for n in range(6)}
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=1)))
    ones = [await cells.add(user, definition=limited) for _ in range(3)]
    for at in range(3):
        await cells.settle_down()
        running = set(cells.bus.open)
        assert running == {jobs[at] for jobs in lanes.values()} | {next(iter(running & set(ones)))}
        for job_id in running:
            cells.bus.end(job_id)
        await cells.settle.drain()
    await cells.settle_down()
    assert await cells.count("jobs") == 0


async def test_each_cell_stores_definitions_for_itself(cells: CellEngines) -> None:
    """Their ids differ; jobs with limits are in one shard all the same, found by the content."""
    user = await cells.user()
    await cells.straight[1].run("SELECT setval('definitions_id_seq', 70)")
    for _ in range(20):
        await cells.add(user, after=60)
    there = [await pool.rows("SELECT id, hash FROM definitions") for pool in cells.straight]
    assert [len(rows) for rows in there] == [1, 1]
    assert there[0][0]["hash"] == there[1][0]["hash"]
    assert there[0][0]["id"] != there[1][0]["id"]
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=2)))
    assert len({shard_of(await cells.add(user, definition=limited, after=60)) for _ in range(6)}) == 1


async def test_a_second_node_shares_each_database_evenly(cells: CellEngines, dsns: list[str]) -> None:
    from harness.cells import TurnedClock, several_config

    other = await CellEngines(several_config(dsns), TurnedClock()).start()
    try:
        for _ in range(2):
            await cells.ownership.run_once()
            await other.ownership.run_once()
        for low in (0, 512):
            mine, theirs = (sum(one.ownership.held[low : low + 512]) for one in (cells, other))
            assert (mine, theirs) == (256, 256)
        assert not any(a and b for a, b in zip(cells.ownership.held, other.ownership.held, strict=True))
    finally:
        await other.stop()
