"""B10: how much many jobs of the far future slow down due ones."""

from __future__ import annotations

import time
from statistics import median

from duetime.bench.api import JOBS, admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import FAR_OFF, feed_same, line
from duetime.bench.fill import fill_pending

NAME = "b10"
TITLE = "Growth: time per job beside many pending ones"


async def run(bench: Bench) -> None:
    """Measures submitting and draining due jobs beside ever more jobs that are due in months."""
    levels = (10**4, 10**5, 10**6, 10**7) if not bench.quick else (10**4, 10**5)
    count = bench.size(50_000, 4_000)
    times: dict[int, list[float]] = {}
    async with bench.server(*API_ONLY) as server, admin_of(server) as admin:
        api, other = await admin.user("near"), await admin.user("far")
        await other.call("POST", JOBS, line(FAR_OFF))
        there, way_in = 0, list[float]()

        async def submit() -> None:
            start = time.perf_counter()
            await feed_same(api, count)
            way_in.append(time.perf_counter() - start)

        for level in levels:
            async with server.database() as database:
                await fill_pending(database, await other.id(), level - there, bench.say)
            there = level
            for _ in bench.each_round():
                found = await drain_jobs(bench, server, api, count, submit)
                label = f"10^{len(str(level)) - 1} pending"
                bench.figure(f"{label}, way in", way_in[-1] / count * 1e6, "µs/job", "lower")
                bench.figure(f"{label}, drained", 1e6 / found.rate, "µs/job", "lower")
                times.setdefault(level, []).append(1e6 / found.rate)
    points = [(float(n), median(took)) for n, took in times.items()]
    bench.curve("time per job", "pending", "µs/job", points, log_x=True)
    first, last = median(times[levels[0]]), median(times[levels[-1]])
    bench.note(f"Drained: {last / first - 1:+.1%} at {levels[-1]:,} pending against {levels[0]:,}.")
