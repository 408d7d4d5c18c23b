"""Draining: jobs that are due wait while nobody schedules; then a scheduler starts, and the record tells the rate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from duetime.bench.api import ApiLoad
from duetime.bench.bench import Bench
from duetime.bench.record import Span, mark, span
from duetime.bench.server import Server

API_ONLY = ("--roles", "api")


async def drained(
    bench: Bench, server: Server, api: ApiLoad, count: int, submit: Callable[[], Awaitable[None]], *options: str
) -> Span:
    """Submit, start a scheduler, and wait for all to be on record; from the first launch to the last end."""
    return await drained_of_all(bench, server, [api], count, lambda _: submit(), *options)


async def drained_of_all(
    bench: Bench,
    server: Server,
    users: Sequence[ApiLoad],
    each: int,
    submit: Callable[[ApiLoad], Awaitable[None]],
    *options: str,
) -> Span:
    """The same of several users, with so many jobs each."""
    count = each * len(users)
    async with server.database() as database:
        since = await mark(database)
        before = [await user.finished() for user in users]
        bench.say(f"submitting {count:,} jobs")
        for user in users:
            await submit(user)
        async with server.scheduler(*options):
            for user, done in zip(users, before, strict=True):
                await user.until_finished(done + each, bench.say)
        found = await span(database, since)
    if found.count != count:
        bench.note(f"Of {count:,} jobs only {found.count:,} succeeded.")
    return found
