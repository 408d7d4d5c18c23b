"""B5: how late jobs are launched and started."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed
from duetime.bench.record import lateness, mark

NAME = "b5"
TITLE = "Lateness of timers"


async def run(bench: Bench) -> None:
    """Submits jobs that are due at an even rate, some seconds before they are due."""
    seconds = bench.size(20, 1)
    async with bench.server() as server, admin_of(server) as api, server.database() as database:
        for _ in bench.each_round():
            for rate in (1_000, 5_000):
                bench.say(f"{rate:,} a second")
                count, before, since = rate * seconds, await api.finished(), await mark(database)
                now = await database.fetchval("SELECT clock_timestamp()")
                lead = timedelta(seconds=3 + count / 15_000)
                await feed(api, count, lambda first, n, at=now + lead, rate=rate: evenly_due(first, n, at, rate))
                late = await database.fetchval("SELECT clock_timestamp()") - now - lead
                if late.total_seconds() > -1:
                    bench.note(f"At {rate:,}/s some timers were due while they were still being submitted.")
                await asyncio.sleep(max(0.0, seconds - late.total_seconds()))
                await api.until_finished(before + count, bench.say)
                found = await lateness(database, since)
                for what, (p50, p99, worst) in (("launched", found.launched), ("started", found.started)):
                    bench.milliseconds(f"{rate:,}/s, {what} − due, p50", p50)
                    bench.milliseconds(f"{rate:,}/s, {what} − due, p99", p99)
                    bench.milliseconds(f"{rate:,}/s, {what} − due, worst", worst)
                bench.figure(f"{rate:,}/s, early", found.early, "jobs", "lower")
