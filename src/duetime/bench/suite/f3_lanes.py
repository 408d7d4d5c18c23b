"""F3: what order costs."""

from __future__ import annotations

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drained
from duetime.bench.feed import feed, feed_same, line

NAME = "f3"
TITLE = "Lanes: 100,000 lanes of two jobs against as many plain jobs"


async def run(bench: Bench) -> None:
    """The same number of jobs, with and without ordering keys."""
    lanes = bench.size(100_000, 3_000)
    count = 2 * lanes

    def in_lanes(first: int, size: int) -> bytes:
        return b"\n".join([line(lane=f"lane-{n % lanes}") for n in range(first, first + size)])

    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for _ in bench.turns():
            plain = await drained(bench, server, api, count, lambda: feed_same(api, count))
            laned = await drained(bench, server, api, count, lambda: feed(api, count, in_lanes))
            bench.rate("plain", plain.rate)
            bench.rate("in lanes", laned.rate)
            bench.figure("time in lanes / time plain", plain.rate / laned.rate, "×", "lower")
