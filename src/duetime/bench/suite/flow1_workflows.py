"""Flow1: steps of workflows against plain jobs in the same run: what dependencies cost, and that others pay nothing."""

from __future__ import annotations

import asyncio
from itertools import count as counting

import msgspec

from duetime.bench.api import ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import PAYLOAD, feed_same

NAME = "flow1"
TITLE = "Workflows of five steps"
PARENTS = {"a": [], "b": ["a"], "c": ["a"], "d": ["a"], "e": ["b", "c", "d"]}
CLIENTS = 16
WORKFLOWS = "/api/v1/me/workflows"


async def run(bench: Bench) -> None:
    """Drains plain jobs, then as many steps of workflows, then plain jobs again beside the tables that these left."""
    count = bench.size(100_000, 2_000) // 5 * 5
    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for _ in bench.each_round():
            plain = await drain_jobs(bench, server, api, count, lambda: feed_same(api, count))
            steps = await drain_jobs(bench, server, api, count, lambda: _create(api, count // 5))
            after = await drain_jobs(bench, server, api, count, lambda: feed_same(api, count))
            bench.rate("plain jobs", plain.rate)
            bench.rate("steps", steps.rate)
            bench.figure("steps / plain jobs", steps.rate / plain.rate, "×", "higher")
            bench.figure("plain jobs after workflows / before", after.rate / plain.rate, "×", "higher")
    bench.note("A workflow is one step, then three side by side, then one. Each is a `log` job of 100 bytes.")


async def _create(api: ApiLoad, workflows: int) -> None:
    """Creates workflows, one a call, over some connections."""
    steps = [{"ref": ref, "message": PAYLOAD, "depends_on": parents} for ref, parents in PARENTS.items()]
    body, numbers = msgspec.json.encode({"name": "bench", "steps": steps}), counting()

    async def work(own: ApiLoad) -> None:
        try:
            while next(numbers) < workflows:
                await own.call("POST", WORKFLOWS, body)
        finally:
            own.close()

    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(work(api.twin()))
