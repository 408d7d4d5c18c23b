"""B7: a million schedules: creating them, idling with them, and launching ten thousand a minute."""

from __future__ import annotations

import asyncio
import time

import msgspec

from duetime.bench.api import ApiLoad, RequestRefused, admin_of
from duetime.bench.bench import Bench, Skipped
from duetime.bench.feed import CHUNK, PAYLOAD
from duetime.bench.record import lateness, mark
from duetime.postgres.pool import Connection

NAME = "b7"
TITLE = "A million schedules"
PATH = "/api/v1/me/schedules"
FIRINGS = 2


async def run(bench: Bench) -> None:
    """Each round creates its part of the million, so that the last round has all of them."""
    total, idle = bench.size(1_000_000, 2_000), bench.size(20, 1)
    async with bench.server() as server, admin_of(server) as api, server.database() as database:
        await _require_schedules(api)
        for number in bench.each_round():
            share = total // bench.rounds
            bench.say(f"registering {share:,} schedules")
            start = time.perf_counter()
            await _register(api, f"far-{number}", share, {"cron": "0 H H H 1 *"})
            bench.figure("registered in bulk", share / (time.perf_counter() - start), "schedules/s", "higher")
            bench.say("idling")
            await asyncio.sleep(1)
            before = server.usage()
            await asyncio.sleep(idle)
            after = server.usage()
            bench.figure("idle, Python", (after.python_cpu - before.python_cpu) / idle * 100, "% of a core", "lower")
            spent = after.postgres_cpu - before.postgres_cpu
            bench.figure("idle, PostgreSQL", spent / idle * 100, "% of a core", "lower")
            bench.figure("peak RSS of the process", after.python_rss, "MB", "lower")
            for label, cron in _crons(bench):
                await _fire(bench, api, database, f"{label}-{number}", label, cron)


def _crons(bench: Bench) -> list[tuple[str, str]]:
    if bench.quick:
        return [("at once", "*/2 * * * * *")]
    return [("at once", "0 * * * * *"), ("spread", "H * * * * *")]


async def _fire(bench: Bench, api: ApiLoad, database: Connection, name: str, label: str, cron: str) -> None:
    """Measures the lateness of schedules that launch twice and end."""
    count = bench.size(10_000, 200)
    before, since = await api.finished(), await mark(database)
    bench.say(f"{count:,} schedules a minute, {label}")
    await _register(api, name, count, {"cron": cron, "max_occurrences": FIRINGS})
    await api.until_finished(before + count * FIRINGS, bench.say, every=1.0)
    found = await lateness(database, since, "schedule_id IS NOT NULL")
    p50, p99, worst = found.started
    bench.milliseconds(f"{count:,} a minute, {label}, started − due, p50", p50)
    bench.milliseconds(f"{count:,} a minute, {label}, started − due, p99", p99)
    bench.milliseconds(f"{count:,} a minute, {label}, started − due, worst", worst)
    bench.figure(f"{count:,} a minute, {label}, not fired", count * FIRINGS - found.count, "occurrences", "lower")
    bench.figure(f"{count:,} a minute, {label}, early", found.early, "occurrences", "lower")


async def _require_schedules(api: ApiLoad) -> None:
    try:
        await api.call("GET", PATH)
    except RequestRefused as error:
        if error.status in (404, 405):
            raise Skipped("this release has no schedules.") from None
        raise


async def _register(api: ApiLoad, prefix: str, count: int, timing: dict[str, object]) -> None:
    encode = msgspec.json.encode
    for first in range(0, count, CHUNK):
        names = (f"{prefix}-{n}" for n in range(first, min(first + CHUNK, count)))
        body = b"\n".join(encode({"name": name, "message": PAYLOAD, **timing}) for name in names)
        await api.call("POST", PATH + "/bulk", body, kind="x-ndjson")
