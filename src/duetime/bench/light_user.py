"""A light user, who submits a few jobs a second, and how late they start."""

from __future__ import annotations

import asyncio

from duetime.bench.api import JOBS, ApiLoad
from duetime.bench.bench import Bench
from duetime.bench.record import lateness, mark
from duetime.postgres.pool import Connection

PER_SECOND = 10


async def submit_lightly(
    bench: Bench, api: ApiLoad, database: Connection, seconds: int, body: bytes, label: str
) -> None:
    """Submits one job after the other, waits until all have ended, and reports their lateness."""
    before, since = await api.finished(), await mark(database)
    count, loop = PER_SECOND * seconds, asyncio.get_running_loop()
    start = loop.time()
    for n in range(count):
        await asyncio.sleep(max(0.0, start + n / PER_SECOND - loop.time()))
        await api.call("POST", JOBS, body)
    await api.until_finished(before + count, bench.say)
    found = await lateness(database, since, f"user_id = {await api.id()}")
    bench.milliseconds(f"{label}, started − due, p50", found.started[0])
    bench.milliseconds(f"{label}, started − due, p99", found.started[1])
    bench.milliseconds(f"{label}, started − due, worst", found.started[2])
