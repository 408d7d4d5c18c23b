"""Draining: jobs that are due wait while nobody schedules; then a scheduler starts, and the record tells the rate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from duetime.bench.api import Api
from duetime.bench.bench import Bench
from duetime.bench.record import Span, mark, span
from duetime.bench.server import Server

API_ONLY = ("--roles", "api")


async def drained(
    bench: Bench, server: Server, api: Api, count: int, submit: Callable[[], Awaitable[None]], *options: str
) -> Span:
    """Submit, start a scheduler, and wait for all to be on record; from the first launch to the last end."""
    async with server.database() as database:
        since = await mark(database)
        before = await api.finished()
        bench.say(f"submitting {count:,} jobs")
        await submit()
        async with server.scheduler(*options):
            await api.until_finished(before + count, bench.say)
        found = await span(database, since)
    if found.count != count:
        bench.note(f"Of {count:,} jobs only {found.count:,} succeeded.")
    return found
