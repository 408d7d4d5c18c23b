"""B3: how fast due jobs are launched, run and recorded."""

from __future__ import annotations

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same

NAME = "b3"
TITLE = "Drain of due jobs (target log)"


async def run(bench: Bench) -> None:
    """Alternates between one process and two."""
    count = bench.size(200_000, 6_000)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for _ in bench.each_round():
            for processes in (1, 2):
                found = await drain_jobs(
                    bench, server, api, count, lambda: feed_same(api, count), "--processes", str(processes)
                )
                bench.rate(f"{processes} process{'es' if processes > 1 else ''}", found.rate)
    bench.note(f"{count:,} jobs per round, from the first launch to the last end, by the history.")
