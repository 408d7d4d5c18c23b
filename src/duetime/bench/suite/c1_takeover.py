"""C1: how long shards have no owner when a node joins, stops or is killed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

from msgspec import Struct

from duetime.bench.api import ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import evenly_due, feed
from duetime.bench.record import lateness, mark
from duetime.bench.server import Server
from duetime.postgres.pool import Connection

NAME = "c1"
TITLE = "Takeover: a node joins, stops and is killed, under load"
LOOK_EVERY = 0.01
LOOKS = 3000
LOAD_SECONDS = 8
NOW = "SELECT clock_timestamp()"
OWNED = """
SELECT clock_timestamp() AS now, count(*) AS shards, min(n.joined_at) AS joined
FROM shards s JOIN leases l ON l.node_id = s.owner JOIN nodes n ON n.id = l.node_id
WHERE (split_part(n.name, ':', 2) = $1::text) = $2::bool"""


class Setup(Struct, frozen=True):
    """A node with the API only, a scheduler that stays, and a connection to their database."""

    server: Server
    stays: Server
    api: ApiLoad
    database: Connection

    async def until_it_owns(self, shards: int, *, stays: bool) -> Any:
        """Waits until the scheduler that stays, or the other one, owns this many shards."""
        for _ in range(LOOKS):
            seen = await self.database.fetchrow(OWNED, str(self.stays.pid), stays)
            if seen["shards"] >= shards:
                return seen
            await asyncio.sleep(LOOK_EVERY)
        raise TimeoutError(f"No node got {shards} shards.")


async def run(bench: Bench) -> None:
    """Measures each event under an even load."""
    async with (
        bench.server("--roles", "api") as server,
        admin_of(server) as api,
        server.database() as database,
        server.scheduler() as stays,
    ):
        setup = Setup(server, stays, api, database)
        await setup.until_it_owns(1024, stays=True)
        for _ in bench.each_round():
            await _join(bench, setup)
            for label, number in (("clean stop", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)):
                await _leave(bench, setup, label, number)
    bench.note(
        "The lease is the default, 2 s; every shard has a job due now and then. Lateness is launched − due of all jobs "
        "that were due after the event."
    )


async def _join(bench: Bench, setup: Setup) -> None:
    async with AsyncExitStack() as stack:

        async def join() -> float:
            starting = asyncio.create_task(stack.enter_async_context(setup.server.scheduler()))
            seen = await setup.until_it_owns(512, stays=False)
            await starting
            return (seen["now"] - seen["joined"]).total_seconds()

        await _under_load(bench, setup, "join", join)


async def _leave(bench: Bench, setup: Setup, label: str, number: signal.Signals) -> None:
    async with setup.server.scheduler() as leaving:
        await setup.until_it_owns(512, stays=False)

        async def leave() -> float:
            sent = await setup.database.fetchval(NOW)
            leaving.signal(number)
            return ((await setup.until_it_owns(1024, stays=True))["now"] - sent).total_seconds()

        await _under_load(bench, setup, label, leave)


async def _under_load(bench: Bench, setup: Setup, label: str, event: Callable[[], Awaitable[float]]) -> None:
    """Measures how long the shards take to move, and the lateness of jobs that are due after the event."""
    rate = bench.size(500, 200)
    before, count, since = await setup.api.finished(), rate * LOAD_SECONDS, await mark(setup.database)
    bench.say(f"{label}, at {rate} jobs/s")
    start = await setup.database.fetchval(NOW) + timedelta(seconds=1)
    await feed(setup.api, count, lambda first, n: evenly_due(first, n, start, rate))
    begun = max(start, await setup.database.fetchval(NOW)) + timedelta(seconds=1)
    await asyncio.sleep((begun - await setup.database.fetchval(NOW)).total_seconds())
    bench.milliseconds(f"{label}: shards moved after", await event())
    await setup.api.until_finished(before + count, bench.say)
    found = await lateness(setup.database, since, f"due_at >= '{begun.isoformat()}'")
    bench.milliseconds(f"{label}: launched − due, p99", found.launched[1])
    bench.milliseconds(f"{label}: launched − due, worst", found.launched[2])
