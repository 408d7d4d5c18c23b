"""B6: a million jobs of three users due within one second."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed
from duetime.bench.record import finished_per, launches, mark, span
from duetime.bench.shares import shares_of

NAME = "b6"
TITLE = "A million due in one second"
WEIGHTS = (1.0, 2.0, 4.0)


async def run(bench: Bench) -> None:
    """Measures the drain, the memory, and the shares of three users with weights 1, 2 and 4."""
    each = bench.size(333_334, 7_000)
    count = each * len(WEIGHTS)
    async with bench.server() as server, admin_of(server) as admin, server.database() as database:
        users = [await admin.user(f"burst{weight:.0f}", weight) for weight in WEIGHTS]
        weights = {await user.id(): weight for user, weight in zip(users, WEIGHTS, strict=True)}
        for number in bench.each_round():
            since, now = await mark(database), await database.fetchval("SELECT clock_timestamp()")
            start = now + timedelta(seconds=2 + count / 15_000)
            bench.say(f"submitting {count:,} jobs")
            for user in users:
                await feed(user, each, lambda first, n, at=start: evenly_due(first, n, at, each))
            ahead = (start - await database.fetchval("SELECT clock_timestamp()")).total_seconds()
            if ahead < 0:
                bench.note(
                    f"Submitting took {-ahead:.1f} s longer than planned: some jobs were due before all were submitted."
                )
            await asyncio.sleep(max(0.0, ahead))
            for user in users:
                await user.until_finished(each * number, bench.say, every=1.0)
            found = await span(database, since)
            bench.rate("drained", found.rate)
            bench.figure("peak RSS of the process", server.usage().python_rss, "MB", "lower")
            shares = shares_of(await launches(database, since), weights, each, 1000, start + timedelta(seconds=1))
            bench.figure("windows of 1,000 judged", shares.windows, "windows")
            bench.figure("windows of 1,000 beyond 5 % of the shares", shares.beyond * 100, "%", "lower")
            bench.figure("worst deviation of a share in a window", shares.worst * 100, "%", "lower")
            bench.curve("drain of a million", "seconds", "finished", await finished_per(database, since, start, 0.5))
