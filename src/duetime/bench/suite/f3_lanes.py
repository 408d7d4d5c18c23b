"""F3: what lanes cost."""

from __future__ import annotations

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed, feed_same, line

NAME = "f3"
TITLE = "Lanes: a job in each of 100,000 lanes, and one behind it, against as many plain jobs"


async def run(bench: Bench) -> None:
    """Drains the same number of jobs with and without ordering keys, with one and with two jobs per lane."""
    lanes = bench.size(100_000, 3_000)

    def in_lanes(first: int, size: int) -> bytes:
        return b"\n".join([line(lane=f"lane-{n % lanes}") for n in range(first, first + size)])

    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for _ in bench.each_round():
            for each, label in ((1, "one in each lane"), (2, "two in each lane")):
                count = each * lanes
                before = await drain_jobs(bench, server, api, count, lambda count=count: feed_same(api, count))
                laned = await drain_jobs(bench, server, api, count, lambda count=count: feed(api, count, in_lanes))
                after = await drain_jobs(bench, server, api, count, lambda count=count: feed_same(api, count))
                plain = (before.rate + after.rate) / 2
                bench.rate(f"{label}: plain, before and after", plain)
                bench.rate(f"{label}: in lanes", laned.rate)
                bench.figure(f"{label}: time / time plain", plain / laned.rate, "×", "lower")
