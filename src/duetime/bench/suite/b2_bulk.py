"""B2: ten thousand jobs per request."""

from __future__ import annotations

import asyncio
import time

from duetime.bench.api import JOBS, ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY
from duetime.bench.feed import CHUNK, FAR_OFF, line, same

NAME = "b2"
TITLE = "Submit in bulk over HTTP, 10,000 a call"


async def run(bench: Bench) -> None:
    """Measures NDJSON and JSON arrays, on one connection and on two, without a scheduler."""
    calls = bench.size(20, 2)
    json = b"[" + b",".join([line(FAR_OFF)] * CHUNK) + b"]"
    ndjson = same(CHUNK, at=FAR_OFF)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        await _rate(api, ndjson, "x-ndjson", 1, 1)
        for _ in bench.each_round():
            for label, body, kind, width in (
                ("NDJSON, 1 connection", ndjson, "x-ndjson", 1),
                ("NDJSON, 2 connections", ndjson, "x-ndjson", 2),
                ("JSON, 1 connection", json, "json", 1),
                ("JSON, 2 connections", json, "json", 2),
            ):
                bench.say(label)
                bench.rate(label, await _rate(api, body, kind, calls, width))
        bench.figure("peak RSS of the process", server.usage().python_rss, "MB", "lower")


async def _rate(api: ApiLoad, body: bytes, kind: str, calls: int, width: int) -> float:
    left = iter(range(calls))

    async def work(own: ApiLoad) -> None:
        for _ in left:
            await own.call("POST", JOBS + "/bulk", body, kind=kind)
        own.close()

    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(work(api.twin()))
    return calls * CHUNK / (time.perf_counter() - start)
