"""F2: a quiet user beside one with a million jobs due."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed, line
from duetime.bench.light_user import submit_lightly

NAME = "f2"
TITLE = "Flood: the lateness of a quiet user, alone and beside a million due jobs"


async def run(bench: Bench) -> None:
    """A quiet user submits ten jobs a second, long enough that its first jobs do not decide its p99."""
    flood, seconds = bench.size(1_000_000, 20_000), bench.size(45, 1)
    async with bench.server() as server, admin_of(server) as admin, server.database() as database:
        loud, quiet = await admin.user("loud"), await admin.user("quiet")
        for number in bench.each_round():
            bench.say("the quiet user alone")
            await submit_lightly(bench, quiet, database, seconds, line(), "alone")
            start = await database.fetchval("SELECT clock_timestamp()") + timedelta(seconds=2 + flood / 15_000)
            bench.say(f"submitting a flood of {flood:,}")
            await feed(loud, flood, lambda first, n, at=start: evenly_due(first, n, at, flood))
            ahead = (start - await database.fetchval("SELECT clock_timestamp()")).total_seconds()
            await asyncio.sleep(max(0.0, ahead) + 0.5)
            bench.say("the quiet user beside the flood")
            await submit_lightly(bench, quiet, database, seconds, line(), "beside the flood")
            left = flood * number - await loud.finished()
            bench.figure("of the flood left when the quiet user was done", left / flood * 100, "%")
            await loud.until_finished(flood * number, bench.say, every=1.0)
    bench.note("Where nothing of the flood was left, it had ended before the quiet user was done.")
