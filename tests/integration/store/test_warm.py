"""Warm connections: what jobs wait for is planned beforehand, on every connection, and nothing comes of it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from duetime.engine.intake.submit import READY_TOGETHER
from duetime.store.postgres.queries import sql
from duetime.store.postgres.warm import HOT, warm
from harness.engine import Engine

TABLES = ("jobs", "in_flight", "history", "runs", "schedules", "tally_deltas")
STATEMENTS = {sql(name) for statements in HOT.values() for name, _ in statements}
PLANNED = "SELECT statement FROM pg_prepared_statements"


async def test_every_connection_knows_the_statements_of_a_jobs_way(engine: Engine) -> None:
    before = [await engine.count(table) for table in TABLES]
    await warm(engine.pool, HOT)
    async with AsyncExitStack() as stack:
        acquired = [stack.enter_async_context(engine.pool.acquired()) for _ in range(engine.pool.size)]
        for connection in await asyncio.gather(*acquired):
            planned = {row["statement"] for row in await connection.fetch(PLANNED)}
            assert planned >= STATEMENTS
    assert [await engine.count(table) for table in TABLES] == before


async def test_a_job_goes_its_way_by_statements_that_were_warm(engine: Engine) -> None:
    """What a job's way asks of the store, and is not made ready beforehand, shows here when the way changes."""
    await warm(engine.pool, HOT)
    user = await engine.user()
    asked: set[str] = set()
    rows = engine.pool.rows

    async def noted(query: str, *arguments: Any) -> Any:
        asked.add(query)
        return await rows(query, *arguments)

    engine.pool.rows = noted
    await engine.submit.many([engine.job(user) for _ in range(3)])
    for _ in range(READY_TOGETHER + 1):
        await engine.add(user, lane="k")
    await engine.settle_down()
    assert len(engine.bus.sent) == 3 + READY_TOGETHER + 1
    seldom = {sql(name) for name in ("due.flows", "submit.intern", "launch.definitions")}
    assert asked - seldom <= STATEMENTS
    assert {sql("launch.commit"), sql("settle.succeed"), sql("lanes.waited_in"), sql("lanes.promote")} <= asked
