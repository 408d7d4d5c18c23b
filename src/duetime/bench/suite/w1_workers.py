"""W1: jobs of a queue, pulled by workers over HTTP and settled at once."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import feed, feed_same, line
from duetime.bench.puller import pulling
from duetime.bench.record import mark, span
from duetime.bench.server import Server

NAME = "w1"
TITLE = "Jobs that workers pull"
SLOTS = 64
RATE = 500
IDLE_SECONDS = 10.0


async def run(bench: Bench) -> None:
    """Drains a queue by one worker process and by two, then measures lateness and what waiting costs."""
    count = bench.size(60_000, 1_000)
    target = {"kind": "queue", "queue": "bench"}
    async with bench.server() as server, admin_of(server) as api, server.database() as database:
        for _ in bench.each_round():
            for processes in (1, 2) if not bench.quick else (1,):
                since, before = await mark(database), await api.finished()
                await feed_same(api, count, target=target)
                async with AsyncExitStack() as stack:
                    for _ in range(processes):
                        await stack.enter_async_context(pulling(api, "bench", SLOTS))
                    await api.until_finished(before + count, bench.say)
                bench.rate(f"{processes} process{'es' if processes > 1 else ''}", (await span(database, since)).rate)
            seconds, before = bench.size(10, 1), await api.finished()
            async with pulling(api, "bench", SLOTS) as workers:
                now = await database.fetchval("SELECT clock_timestamp()")
                start, step = now + timedelta(seconds=2), timedelta(seconds=1 / RATE)
                await feed(
                    api,
                    RATE * seconds,
                    lambda first, n, start=start, step=step: b"\n".join(
                        [line(start + k * step, target=target) for k in range(first, first + n)]
                    ),
                )
                await asyncio.sleep(seconds)
                await api.until_finished(before + RATE * seconds, bench.say)
            bench.milliseconds(f"{RATE}/s, taken − due, p50", workers.lateness["p50"])
            bench.milliseconds(f"{RATE}/s, taken − due, p99", workers.lateness["p99"])
            if not bench.quick:
                alone = await _idle(server)
                for waiting in (1, 200):
                    async with pulling(api, "bench", SLOTS, waiting):
                        beside = await _idle(server)
                    bench.figure(f"{waiting} waiting, of a core", 100 * (beside - alone), "%", "lower")
    bench.note(f"A worker has {SLOTS} slots, settles each run at once, and runs on the same cores.")
    bench.note("What waiting workers cost is what the server and its database use more than without workers.")


async def _idle(server: Server) -> float:
    """Returns which part of a core the server and its database use while nothing runs."""
    await asyncio.sleep(5)
    used = server.usage()
    await asyncio.sleep(IDLE_SECONDS)
    after = server.usage()
    return (after.python_cpu + after.postgres_cpu - used.python_cpu - used.postgres_cpu) / IDLE_SECONDS
