"""Drains a backlog: due jobs wait while no scheduler runs; then one starts, and the history gives the rate."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from duetime.bench.api import ApiLoad
from duetime.bench.bench import Bench
from duetime.bench.record import Span, mark, span
from duetime.bench.server import Server

API_ONLY = ("--roles", "api")


async def drain_jobs(
    bench: Bench,
    server: Server,
    api: ApiLoad,
    count: int,
    submit: Callable[[], Awaitable[None]],
    *options: str,
    module: str = "duetime",
) -> Span:
    """Submits jobs, starts a scheduler, and waits until all have ended. Returns the span of their runs."""
    return await drain_users(bench, server, [api], count, lambda _: submit(), *options, module=module)


async def drain_users(
    bench: Bench,
    server: Server,
    users: Sequence[ApiLoad],
    each: int,
    submit: Callable[[ApiLoad], Awaitable[None]],
    *options: str,
    module: str = "duetime",
) -> Span:
    """Does the same for several users, with `each` jobs per user."""
    count = each * len(users)
    async with server.database() as database:
        since = await mark(database)
        before = [await user.finished() for user in users]
        bench.say(f"submitting {count:,} jobs")
        for user in users:
            await submit(user)
        async with server.scheduler(*options, module=module):
            for user, done in zip(users, before, strict=True):
                await user.until_finished(done + each, bench.say)
        found = await span(database, since)
    if found.count != count:
        bench.note(f"Of {count:,} jobs only {found.count:,} succeeded.")
    return found
