"""C1: how long shards are without an owner that launches, when a node comes, stops or is killed."""

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
from duetime.bench.feed import feed, spread
from duetime.bench.record import lateness, mark
from duetime.bench.server import Server
from duetime.store.postgres.pool import Connection

NAME = "c1"
TITLE = "Takeover: a node comes, stops and is killed, under load"
LOOK_EVERY = 0.01
LOOKS = 3000
LOAD_SECONDS = 8
NOW = "SELECT clock_timestamp()"
OWNED = """
SELECT clock_timestamp() AS now, count(*) AS shards, min(n.joined_at) AS joined
FROM shards s JOIN leases l ON l.node_id = s.owner JOIN nodes n ON n.id = l.node_id
WHERE (split_part(n.name, ':', 2) = $1::text) = $2::bool"""


class Place(Struct, frozen=True):
    """An API that only takes jobs, one scheduler that stays, and a look at their database."""

    server: Server
    stays: Server
    api: ApiLoad
    database: Connection

    async def until_it_owns(self, shards: int, *, stays: bool) -> Any:
        """Wait until the node that stays, or the other one, has so many shards."""
        for _ in range(LOOKS):
            seen = await self.database.fetchrow(OWNED, str(self.stays.pid), stays)
            if seen["shards"] >= shards:
                return seen
            await asyncio.sleep(LOOK_EVERY)
        raise TimeoutError(f"No node got {shards} shards.")


async def run(bench: Bench) -> None:
    """Each event under an even load, in turn."""
    async with (
        bench.server("--roles", "api") as server,
        admin_of(server) as api,
        server.database() as database,
        server.scheduler() as stays,
    ):
        place = Place(server, stays, api, database)
        await place.until_it_owns(1024, stays=True)
        for _ in bench.turns():
            await _join(bench, place)
            for label, number in (("clean stop", signal.SIGTERM), ("SIGKILL", signal.SIGKILL)):
                await _leave(bench, place, label, number)
    bench.note(
        "The lease is the default, 2 s; every shard has a job due now and then. Lateness is launched − due of all that "
        "came due from the event on."
    )


async def _join(bench: Bench, place: Place) -> None:
    async with AsyncExitStack() as stack:

        async def comes() -> float:
            starting = asyncio.create_task(stack.enter_async_context(place.server.scheduler()))
            seen = await place.until_it_owns(512, stays=False)
            await starting
            return (seen["now"] - seen["joined"]).total_seconds()

        await _under_load(bench, place, "join", comes)


async def _leave(bench: Bench, place: Place, label: str, number: signal.Signals) -> None:
    async with place.server.scheduler() as goes:
        await place.until_it_owns(512, stays=False)

        async def leaves() -> float:
            sent = await place.database.fetchval(NOW)
            goes.signal(number)
            return ((await place.until_it_owns(1024, stays=True))["now"] - sent).total_seconds()

        await _under_load(bench, place, label, leaves)


async def _under_load(bench: Bench, place: Place, label: str, event: Callable[[], Awaitable[float]]) -> None:
    """The time until shards are where they should be, and the worst lateness from the event on."""
    rate = bench.size(500, 200)
    before, count, since = await place.api.finished(), rate * LOAD_SECONDS, await mark(place.database)
    bench.say(f"{label}, at {rate} jobs/s")
    start = await place.database.fetchval(NOW) + timedelta(seconds=1)
    await feed(place.api, count, lambda first, n: spread(first, n, start, rate))
    begun = max(start, await place.database.fetchval(NOW)) + timedelta(seconds=1)
    await asyncio.sleep((begun - await place.database.fetchval(NOW)).total_seconds())
    bench.milliseconds(f"{label}: shards moved after", await event())
    await place.api.until_finished(before + count, bench.say)
    found = await lateness(place.database, since, f"due_at >= '{begun.isoformat()}'")
    bench.milliseconds(f"{label}: launched − due, p99", found.launched[1])
    bench.milliseconds(f"{label}: launched − due, worst", found.launched[2])
