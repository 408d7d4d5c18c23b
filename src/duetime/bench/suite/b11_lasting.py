"""B11: load that lasts. Each part offers a fixed rate to a new server, and reports the backlog's curve."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from duetime.bench.api import admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import Bodies, as_clients_send, feed_same, same, with_everything
from duetime.bench.offered import OfferedRate, offered

NAME = "b11"
TITLE = "Load that lasts: does the backlog grow, and does it shrink again?"
PLAIN, AS_SENT, EVERYTHING, BESIDE_BACKLOG = 35_000, 30_000, 8_000, 25_000
BACKLOG = 500_000
FILL_SECONDS = 25
GONE = 0.5
"""A backlog is gone when it is less than what comes in during so many seconds."""


async def run(bench: Bench) -> None:
    """Measures each kind of body, and then a backlog, every one on a server of its own."""
    for _ in bench.each_round():
        await _hold(bench, "plain", PLAIN, 600, same)
        await _hold(bench, "delay and target", AS_SENT, 150, as_clients_send)
        await _hold(bench, "everything, 1 KB", EVERYTHING, 150, with_everything)
        await _shrink(bench)


async def _hold(bench: Bench, name: str, rate: int, seconds: int, bodies: Bodies) -> None:
    rate, seconds = bench.size(rate, 2_000), bench.size(seconds, 3)
    async with bench.server("--processes", "1") as server, admin_of(server) as api:
        bench.say(f"{name}: offering {rate:,}/s for {seconds} s")
        held = await offered(server, api, rate, seconds, bodies)
        _report(bench, name, held)
        if not held.holds:
            bench.note(f"{name}: {rate:,}/s did not hold for {seconds} s: {held.why}")


async def _shrink(bench: Bench) -> None:
    """A backlog comes due at once, and jobs keep coming in."""
    backlog, rate, seconds = bench.size(BACKLOG, 5_000), bench.size(BESIDE_BACKLOG, 1_000), bench.size(120, 4)
    async with bench.server("--processes", "1") as server, admin_of(server) as api:
        due = datetime.now(UTC) + timedelta(seconds=bench.size(FILL_SECONDS, 2))
        bench.say(f"storing a backlog of {backlog:,}")
        await feed_same(api, backlog, at=due)
        await asyncio.sleep(max(0.0, (due - datetime.now(UTC)).total_seconds()))
        await api.until_finished(1, bench.say)
        bench.say(f"offering {rate:,}/s beside a backlog of {backlog:,}")
        held = await offered(server, api, rate, seconds, waiting_before=backlog)
        _report(bench, "beside a backlog", held)
        gone = next((at for at, waiting in held.backlogs if waiting < GONE * rate), None)
        bench.figure("backlog gone after", float("inf") if gone is None else gone, "s", "lower")


def _report(bench: Bench, name: str, held: OfferedRate) -> None:
    bench.rate(f"{name}: accepted", held.rate)
    bench.figure(f"{name}: largest backlog", max(waiting for _, waiting in held.backlogs), "jobs", "lower")
    bench.figure(f"{name}: backlog at the end", held.backlog, "jobs", "lower")
    bench.figure(f"{name}: processor, Python", held.python_cpu / held.seconds, "cores", "lower")
    bench.figure(f"{name}: processor, PostgreSQL", held.postgres_cpu / held.seconds, "cores", "lower")
    bench.curve(f"{name}: backlog", "seconds", "jobs waiting", held.backlogs)
