"""F4: what fair share, lanes and limits cost together."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs, drain_users
from duetime.bench.feed import feed, feed_same, line

NAME = "f4"
TITLE = "Everything on: eight users with weights and limits, some of the jobs in lanes, against plain due order"
WEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8)
LIMITS = {"max_concurrency": 100_000, "rate": 1_000_000, "per": "second"}
"""Never reached: the benchmark measures what keeping count costs."""
PER_LANE = 4
SHARES = {"no lanes": 0, "a fifth in lanes": 5, "half in lanes": 2}
"""One job out of this many is in a lane; 0 means none."""


async def run(bench: Bench) -> None:
    """Drains jobs of eight users with weights, limits and lanes, between drains of as many plain jobs of one user."""
    each = bench.size(25_000, 1_000)
    count = each * len(WEIGHTS)
    async with bench.server(*API_ONLY) as server, admin_of(server) as admin:
        users = [await admin.user(f"everything{weight}", float(weight)) for weight in WEIGHTS]
        for user in users:
            body = msgspec.json.encode({"limits": LIMITS})
            await admin.call("PATCH", f"/api/v1/users/{await user.id()}", body)
        for _ in bench.each_round():
            before = (await drain_jobs(bench, server, admin, count, lambda: feed_same(admin, count))).rate
            bench.rate("plain due order", before)
            for label, one_of in SHARES.items():
                made = _lines(one_of)
                mixed = await drain_users(bench, server, users, each, lambda api, made=made: feed(api, each, made))
                after = (await drain_jobs(bench, server, admin, count, lambda: feed_same(admin, count))).rate
                bench.rate(f"everything on, {label}", mixed.rate)
                plain, before = (before + after) / 2, after
                bench.figure(f"everything on / plain, {label}", mixed.rate / plain, "×", "higher")


def _lines(one_of: int) -> Callable[[int, int], bytes]:
    """Returns a function that makes bodies: one job out of `one_of` is in a lane of `PER_LANE`; 0 means none."""

    def lane(n: int) -> str | None:
        return f"lane-{n // (one_of * PER_LANE)}" if one_of and n % one_of == one_of - 1 else None

    return lambda first, size: b"\n".join(line(lane=lane(n)) for n in range(first, first + size))
