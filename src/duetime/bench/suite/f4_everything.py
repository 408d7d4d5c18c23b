"""F4: what fair share, lanes and limits cost together."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drained, drained_of_all
from duetime.bench.feed import feed, feed_same, line

NAME = "f4"
TITLE = "Everything on: eight users with weights and limits, some of the jobs in lanes, against plain due order"
WEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8)
LIMITS = {"max_concurrency": 100_000, "rate": 1_000_000, "per": "second"}
"""Never reached: it is the keeping of them that costs."""
PER_LANE = 4
SHARES = {"no lanes": 0, "a fifth in lanes": 5, "half in lanes": 2}
"""One job of so many is in a lane."""


async def run(bench: Bench) -> None:
    """The same number of jobs, of eight users with everything on, and before and after of one user and plain."""
    each = bench.size(25_000, 1_000)
    count = each * len(WEIGHTS)
    async with bench.server(*API_ONLY) as server, admin_of(server) as admin:
        users = [await admin.user(f"everything{weight}", float(weight)) for weight in WEIGHTS]
        for user in users:
            body = msgspec.json.encode({"limits": LIMITS})
            await admin.call("PATCH", f"/api/v1/users/{await user.id()}", body)
        for _ in bench.turns():
            before = (await drained(bench, server, admin, count, lambda: feed_same(admin, count))).rate
            bench.rate("plain due order", before)
            for label, one_of in SHARES.items():
                made = _lines(one_of)
                mixed = await drained_of_all(bench, server, users, each, lambda api, made=made: feed(api, each, made))
                after = (await drained(bench, server, admin, count, lambda: feed_same(admin, count))).rate
                bench.rate(f"everything on, {label}", mixed.rate)
                plain, before = (before + after) / 2, after
                bench.figure(f"everything on / plain, {label}", mixed.rate / plain, "×", "higher")


def _lines(one_of: int) -> Callable[[int, int], bytes]:
    """Makes jobs, one of so many in a lane of `PER_LANE`; with 0 none."""

    def lane(n: int) -> str | None:
        return f"lane-{n // (one_of * PER_LANE)}" if one_of and n % one_of == one_of - 1 else None

    return lambda first, size: b"\n".join(line(lane=lane(n)) for n in range(first, first + size))
