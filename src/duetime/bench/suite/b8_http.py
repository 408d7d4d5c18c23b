"""B8: HTTP targets, against a sink on the same machine."""

from __future__ import annotations

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same
from duetime.bench.sink import running_sink

NAME = "b8"
TITLE = "HTTP targets"
TO_THE_SINK = ("--set", "outgoing.allow_loopback=true")
"""A node without the API role may call its own machine only if this is set."""


async def run(bench: Bench) -> None:
    """Drains jobs that are HTTP requests, each answered at once."""
    count = bench.size(30_000, 1_000)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api, running_sink() as url:
        target = {"kind": "http", "url": url}
        for _ in bench.each_round():
            for processes in (1, 2) if not bench.quick else (1,):
                found = await drain_jobs(
                    bench,
                    server,
                    api,
                    count,
                    lambda: feed_same(api, count, target=target),
                    *("--processes", str(processes), *TO_THE_SINK),
                )
                bench.rate(f"{processes} process{'es' if processes > 1 else ''}", found.rate)
    bench.note("The sink answers 200 at once and runs on the same cores.")
