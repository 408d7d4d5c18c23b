"""M1: what metrics and notifications cost the drain of due jobs."""

from __future__ import annotations

from typing import Any

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY, drain_jobs
from duetime.bench.feed import feed_same

NAME = "m1"
TITLE = "Drain of due jobs with and without counters, and with notification rules"
AS_IT_IS = "counters, no rule"
WAYS = {
    "no counters": ("duetime.bench.uncounted", None),
    AS_IT_IS: ("duetime", None),
    "a rule of another user": ("duetime", False),
    "a rule for failures of the jobs' user": ("duetime", True),
}
"""For each way, the program, and whose rule there is."""
STATES = ["dead", "lost", "succeeded", "cancelled"]
"""The ends that a rule for `failed` and `recovered` must learn of."""


async def run(bench: Bench) -> None:
    """Alternates between the ways. The order turns round with every round: a later drain meets a larger history."""
    count = bench.size(200_000, 6_000)
    async with bench.server(*API_ONLY) as server, admin_of(server) as api:
        for number in bench.each_round():
            rates: dict[str, float] = {}
            for name, (module, rule) in list(WAYS.items())[:: 1 if number % 2 else -1]:
                async with server.database() as database:
                    await _watch(database, rule)
                found = await drain_jobs(bench, server, api, count, lambda: feed_same(api, count), module=module)
                rates[name] = found.rate
                bench.rate(name, found.rate)
            bench.figure("counters / no counters", rates[AS_IT_IS] / rates["no counters"], "×", "higher")
            for name in list(WAYS)[2:]:
                bench.figure(f"{name} / no rule", rates[name] / rates[AS_IT_IS], "×", "higher")
    bench.note("Without counters: the methods that count do nothing (duetime.bench.uncounted).")
    bench.note("Rules are rows of notified_users: what ends of jobs pay for a rule, without the duty that judges them.")


async def _watch(database: Any, rule: bool | None) -> None:
    await database.execute("DELETE FROM notified_users")
    await database.execute("DELETE FROM outbox")
    if rule is not None:
        user = "SELECT id, $1::text[]::job_state[] FROM users" if rule else "SELECT -1, $1::text[]::job_state[]"
        await database.execute(f"INSERT INTO notified_users (user_id, states) {user}", STATES)
