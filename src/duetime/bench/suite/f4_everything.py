"""F4: what fair share, lanes and limits cost together."""

from __future__ import annotations

import msgspec

from duetime.bench.api import Api, admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY
from duetime.bench.feed import feed, feed_same, line
from duetime.bench.record import mark, span
from duetime.bench.server import Server

NAME = "f4"
TITLE = "Everything on: eight users with weights and limits, half of the jobs in lanes, against plain due order"
WEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8)
LIMITS = {"max_concurrency": 100_000, "rate": 1_000_000, "per": "second"}
"""Never reached: it is the keeping of them that costs."""
PER_LANE = 4


async def run(bench: Bench) -> None:
    """The same number of jobs, once of one user and plain, once of eight with everything on."""
    each = bench.size(25_000, 1_000)
    count = each * len(WEIGHTS)
    async with bench.server(*API_ONLY) as server, admin_of(server) as admin:
        users = [await admin.user(f"everything{weight}", float(weight)) for weight in WEIGHTS]
        for user in users:
            body = msgspec.json.encode({"limits": LIMITS})
            await admin.call("PATCH", f"/api/v1/users/{await user.id()}", body)
        for number in bench.turns():
            bench.say(f"submitting {count:,} plain jobs")
            plain = await _rate(bench, server, [(admin, count)], number)
            bench.say(f"submitting {count:,} jobs of {len(users)} users")
            mixed = await _rate(bench, server, [(user, each) for user in users], number)
            bench.rate("plain due order", plain)
            bench.rate("everything on", mixed)
            bench.figure("everything on / plain", mixed / plain, "×", "higher")


async def _rate(bench: Bench, server: Server, parts: list[tuple[Api, int]], number: int) -> float:
    async with server.database() as database:
        since = await mark(database)
        for api, count in parts:
            if len(parts) == 1:
                await feed_same(api, count)
            else:
                await feed(api, count, _half_in_lanes)
        async with server.scheduler():
            for api, count in parts:
                await api.until_finished(count * number, bench.say)
        return (await span(database, since)).rate


def _half_in_lanes(first: int, size: int) -> bytes:
    lines = (line(lane=f"lane-{n // (2 * PER_LANE)}" if n % 2 else None) for n in range(first, first + size))
    return b"\n".join(lines)
