"""E1: what the outbox costs: nothing without a subscription, and how much with one."""

from __future__ import annotations

from typing import Any

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same

NAME = "e1"
TITLE = "Drain of due jobs with and without subscriptions to their ends"
WAYS = {"no subscription": (), "a subscription to dead jobs": ("dead",), "a subscription to successes": ("succeeded",)}


async def run(bench: Bench) -> None:
    """Alternates between no subscription, one that no job of the load meets, and one that every job meets."""
    count = bench.size(200_000, 6_000)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for _ in bench.each_round():
            rates: dict[str, float] = {}
            for name, states in WAYS.items():
                async with server.database() as database:
                    await _subscribe(database, states)
                found = await drain_jobs(bench, server, api, count, lambda: feed_same(api, count))
                rates[name] = found.rate
                bench.rate(name, found.rate)
            for name in list(WAYS)[1:]:
                bench.figure(f"{name} / no subscription", rates[name] / rates["no subscription"], "×", "higher")
    bench.note("Nothing reads the outbox meanwhile: the figures are those of writing it.")


async def _subscribe(database: Any, states: tuple[str, ...]) -> None:
    await database.execute("DELETE FROM subscriptions")
    await database.execute("DELETE FROM outbox")
    if states:
        await database.execute(
            "INSERT INTO subscriptions (name, states, read_xid, read_id) "
            "VALUES ('bench', $1::text[]::job_state[], pg_current_xact_id(), 0)",
            list(states),
        )
