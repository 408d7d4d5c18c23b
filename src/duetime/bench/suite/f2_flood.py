"""F2: a quiet user beside one with a million jobs due."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from duetime.bench.api import JOBS, ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed, line
from duetime.bench.record import lateness, mark
from duetime.postgres.pool import Connection

NAME = "f2"
TITLE = "Flood: the lateness of a quiet user, alone and beside a million due jobs"
PER_SECOND = 10


async def run(bench: Bench) -> None:
    """A quiet user submits ten jobs a second, long enough that its first jobs do not decide its p99."""
    flood, seconds = bench.size(1_000_000, 20_000), bench.size(45, 1)
    async with bench.server() as server, admin_of(server) as admin, server.database() as database:
        loud, quiet = await admin.user("loud"), await admin.user("quiet")
        for number in bench.each_round():
            bench.say("the quiet user alone")
            await _quiet(bench, quiet, database, seconds, "alone")
            start = await database.fetchval("SELECT clock_timestamp()") + timedelta(seconds=2 + flood / 15_000)
            bench.say(f"submitting a flood of {flood:,}")
            await feed(loud, flood, lambda first, n, at=start: evenly_due(first, n, at, flood))
            ahead = (start - await database.fetchval("SELECT clock_timestamp()")).total_seconds()
            await asyncio.sleep(max(0.0, ahead) + 0.5)
            bench.say("the quiet user beside the flood")
            await _quiet(bench, quiet, database, seconds, "beside the flood")
            left = flood * number - await loud.finished()
            bench.figure("of the flood left when the quiet user was done", left / flood * 100, "%")
            await loud.until_finished(flood * number, bench.say, every=1.0)
    bench.note("Where nothing of the flood was left, it had ended before the quiet user was done.")


async def _quiet(bench: Bench, api: ApiLoad, database: Connection, seconds: int, label: str) -> None:
    before, since = await api.finished(), await mark(database)
    body, count = line(), PER_SECOND * seconds
    loop = asyncio.get_running_loop()
    start = loop.time()
    for n in range(count):
        await asyncio.sleep(max(0.0, start + n / PER_SECOND - loop.time()))
        await api.call("POST", JOBS, body)
    await api.until_finished(before + count, bench.say)
    found = await lateness(database, since, f"user_id = {await api.id()}")
    bench.milliseconds(f"{label}, started − due, p50", found.started[0])
    bench.milliseconds(f"{label}, started − due, p99", found.started[1])
    bench.milliseconds(f"{label}, started − due, worst", found.started[2])
