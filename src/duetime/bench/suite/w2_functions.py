"""W2: functions that workers pull, whole way, with the history kept."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

import msgspec

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed, feed_same
from duetime.bench.function_workers import running_workers
from duetime.bench.functions import LATENESS_FILE
from duetime.bench.percentiles import percentile
from duetime.bench.record import mark, span

NAME = "w2"
TITLE = "Functions pulled by workers"
SLOTS = ("--slots", "64")
RATE = 500
TIMERS = {"kind": "queue", "queue": "timers", "task": "note"}


async def run(bench: Bench) -> None:
    """Drains a backlog of functions that do nothing, then calls functions at an even rate."""
    count, seconds = bench.size(60_000, 2_000), bench.size(10, 2)
    nothing = {"kind": "queue", "queue": "bench", "task": "nothing"}
    async with bench.server() as server, admin_of(server) as api, server.database() as database:
        for _ in bench.each_round():
            for processes in (1, 2):
                bench.say(f"{processes} worker processes")
                since, before = await mark(database), await api.finished()
                await feed_same(api, count, target=nothing)
                async with running_workers(server, *SLOTS, "--processes", str(processes)):
                    await api.until_finished(before + count, bench.say)
                bench.rate(
                    f"{processes} worker process{'es' if processes > 1 else ''}", (await span(database, since)).rate
                )
            before = await api.finished()
            with tempfile.TemporaryDirectory() as directory:
                file = Path(directory) / "lateness"
                async with running_workers(server, *SLOTS, **{LATENESS_FILE: str(file)}):
                    now = await database.fetchval("SELECT clock_timestamp()")
                    start = now + timedelta(seconds=2)
                    await feed(
                        api, RATE * seconds, lambda first, n, at=start: evenly_due(first, n, at, RATE, target=TIMERS)
                    )
                    await asyncio.sleep(seconds)
                    await api.until_finished(before + RATE * seconds, bench.say)
                late = sorted(msgspec.json.decode(file.read_bytes(), type=list[float]))
            bench.milliseconds(f"{RATE}/s, first line − due, p50", percentile(late, 0.5))
            bench.milliseconds(f"{RATE}/s, first line − due, p99", percentile(late, 0.99))
    bench.note(
        f"{count:,} jobs per round and 64 slots per process, from the first launch to the last end, by the history."
    )
