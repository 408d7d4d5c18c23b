"""F1: shares of three users of different weight, all with a backlog."""

from __future__ import annotations

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.drain import API_ONLY
from duetime.bench.feed import feed_same
from duetime.bench.record import launches, mark
from duetime.bench.shares import shares_of

NAME = "f1"
TITLE = "Fairness: three users of weights 1, 2 and 4"
WEIGHTS = (1.0, 2.0, 4.0)
WINDOW = 1000


async def run(bench: Bench) -> None:
    """Gives each user the same backlog and 64 slots to share. Judges windows of a thousand launches."""
    each = bench.size(100_000, 4_000)
    async with bench.server(*API_ONLY) as server, admin_of(server) as admin, server.database() as database:
        users = [await admin.user(f"share{weight:.0f}", weight) for weight in WEIGHTS]
        weights = {await user.id(): weight for user, weight in zip(users, WEIGHTS, strict=True)}
        for number in bench.each_round():
            since = await mark(database)
            bench.say("submitting")
            for user in users:
                await feed_same(user, each)
            async with server.scheduler("--slots", "64"):
                for user in users:
                    await user.until_finished(each * number, bench.say)
            shares = shares_of(await launches(database, since), weights, each, WINDOW)
            bench.figure("windows judged", shares.windows, "windows")
            bench.figure("worst deviation of a share in a window", shares.worst * 100, "%", "lower")
            bench.figure("windows beyond 5 %", shares.beyond * 100, "%", "lower")
            bench.figure("Jain's index, least", shares.jain, "", "higher")
    bench.note("Windows are cut between launch instants: the jobs of one launch statement have no order.")
