"""`python -m bench.cells`: drains, shares, moves and unit costs of cells, each on an embedded server."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg

from duetime.bench.api import admin_of
from duetime.bench.feed import feed_same
from duetime.bench.record import Span, launches, span
from duetime.bench.server import Server, temporary_directory
from duetime.bench.shares import shares_of
from duetime.store.postgres.embedded import EmbeddedServer

WEIGHTS = (1.0, 2.0, 4.0)
WINDOW = 1000
FED_A_SECOND = 20_000
"""At least so many jobs are stored in a second."""
STARTED_AFTER = 8.0
"""After so many seconds every cell of the node has started: jobs that are due from then on drain from all at once."""
SETTINGS = {"shared_buffers": "256MB", "max_connections": "100"}


@asynccontextmanager
async def cells(count: int, directory: Path) -> AsyncGenerator[list[str]]:
    """Starts embedded servers, one for each cell. Yields their DSNs."""
    servers = [EmbeddedServer(directory / f"cell{number}", SETTINGS, None) for number in range(count)]
    for server in servers:
        await asyncio.to_thread(server.start)
    try:
        yield [server.dsn for server in servers]
    finally:
        for server in servers:
            await asyncio.to_thread(server.stop)


def options(dsns: list[str], directory: Path, roles: str) -> tuple[str, ...]:
    """Returns the options of a node on these databases, each with an equal part of the shards."""
    if len(dsns) == 1:
        return ("--database", dsns[0], "--roles", roles)
    edges = [1024 * at // len(dsns) for at in range(len(dsns) + 1)]
    listed = [
        {"dsn": dsn, "shards": f"{low}-{high - 1}"} for dsn, low, high in zip(dsns, edges, edges[1:], strict=False)
    ]
    lines = "\n".join(
        f"[[databases]]\ndsn = {json.dumps(one['dsn'])}\nshards = {json.dumps(one['shards'])}" for one in listed
    )
    file = directory / "cells.toml"
    file.write_text(lines)
    return ("--config", str(file), "--roles", roles)


async def drained(count: int, jobs: int, rounds: int) -> list[float]:
    """Returns the rates at which so many cells drained jobs of one due instant, by the history of all of them."""
    rates: list[float] = []
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            dsns = await stack.enter_async_context(cells(count, directory))
            api = Server(directory / "api", options(dsns, directory, "api"))
            stack.push_async_callback(api.stop)
            await api.start()
            async with admin_of(api) as admin:
                user = await admin.user("drain", 1.0)
                for number in range(1, rounds + 1):
                    marks = [await _mark(dsn) for dsn in dsns]
                    await feed_same(user, jobs, at=after_the_start(jobs))
                    await _run(directory, dsns, lambda n=number: user.until_finished(jobs * n, lambda _: None))
                    spans = [await _span(dsn, since) for dsn, since in zip(dsns, marks, strict=True)]
                    done = sum(one.count for one in spans)
                    seconds = (max(one.last for one in spans) - min(one.first for one in spans)).total_seconds()
                    rates.append(done / seconds)
                    print(f"{count} cells, round {number}: {done:,} jobs at {rates[-1]:,.0f}/s", flush=True)
                    for at, (dsn, one, since) in enumerate(zip(dsns, spans, marks, strict=True)):
                        print(f"  cell {at}: {one.count:,} jobs in {await _launches(dsn, since)} launches")
    return rates


async def shared(count: int, each: int, slots: int, *, apart: bool) -> None:
    """Prints how far three users of different weights were from their shares. `apart`: lanes keep one in each cell."""
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            dsns = await stack.enter_async_context(cells(count, directory))
            api = Server(directory / "api", options(dsns, directory, "api"))
            stack.push_async_callback(api.stop)
            await api.start()
            async with admin_of(api) as admin:
                users = [await admin.user(f"share{weight:.0f}", weight) for weight in WEIGHTS]
                weights = {await user.id(): weight for user, weight in zip(users, WEIGHTS, strict=True)}
                if apart:
                    edges = [1024 * at // count for at in range(count + 1)]
                    for number, user in enumerate(weights):
                        low, high = edges[number % count], edges[number % count + 1]
                        body = json.dumps({"distribution": {"kind": "pin", "shards": list(range(low, high))}})
                        await admin.call("PATCH", f"/api/v1/users/{user}", body.encode())
                marks = [await _mark(dsn) for dsn in dsns]
                due = after_the_start(each * len(users))
                for user in users:
                    await feed_same(user, each, at=due)

                async def finished() -> None:
                    for user in users:
                        await user.until_finished(each, lambda _: None)

                await _run(directory, dsns, finished, "--slots", str(slots))
            merged: dict[datetime, Counter[int]] = {}
            for dsn, since in zip(dsns, marks, strict=True):
                connection = await asyncpg.connect(dsn)
                for at, found in await launches(connection, since):
                    merged.setdefault(at, Counter()).update(found)
                await connection.close()
            in_order = sorted(merged.items())
            found = shares_of(in_order, weights, each, WINDOW, _all_seen(in_order, len(users)))
            whole = _whole(in_order, weights, each, _all_seen(in_order, len(users)))
            rate = each * len(users) / (in_order[-1][0] - in_order[0][0]).total_seconds()
            how = "each user in one cell" if apart else "every user in every cell"
            print(
                f"{count} cells, {how}: {found.windows} windows, worst {found.worst:.1%}, "
                f"beyond 5 % {found.beyond:.1%}, "
                f"least Jain {found.jain:.4f}; over the whole backlog off by {whole:.1%}; "
                f"{rate:,.0f} jobs/s",
                flush=True,
            )


def _all_seen(found: list[tuple[datetime, Counter[int]]], users: int) -> datetime:
    """Returns the instant from which on every user is known to have a backlog: each has launched a job."""
    seen: set[int] = set()
    for at, some in found:
        seen.update(some)
        if len(seen) == users:
            return at
    raise ValueError("Not every user launched a job.")


def _whole(found: list[tuple[datetime, Counter[int]]], weights: dict[int, float], each: int, start: datetime) -> float:
    """Returns the largest deviation of a share while every user had a backlog."""
    counted, total = Counter[int](), sum(weights.values())
    for at, users in found:
        if at < start:
            continue
        counted.update(users)
        if max(counted.values()) >= each - WINDOW:
            break
    return max(abs(counted[user] / (counted.total() * weight / total) - 1) for user, weight in weights.items())


async def _run(directory: Path, dsns: list[str], finished: object, *more: str) -> None:
    node = Server(directory / f"node{os.getpid()}", (*options(dsns, directory, "scheduler,executor"), *more))
    await node.start()
    try:
        await finished()  # type: ignore[operator]
    finally:
        await node.stop()


def after_the_start(jobs: int) -> datetime:
    """Returns an instant at which so many jobs are stored, and every cell of a node that starts then has started."""
    return datetime.now(UTC) + timedelta(seconds=jobs / FED_A_SECOND + STARTED_AFTER)


async def _mark(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval("SELECT coalesce(max(id), 0) FROM history")
    finally:
        await connection.close()


async def _launches(dsn: str, since: int) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval("SELECT count(DISTINCT launched_at) FROM history WHERE id > $1", since)
    finally:
        await connection.close()


async def _span(dsn: str, since: int) -> Span:
    connection = await asyncpg.connect(dsn)
    try:
        return await span(connection, since)
    finally:
        await connection.close()


def main() -> int:
    """Measures what the arguments say."""
    from bench import cell_costs

    parser = argparse.ArgumentParser(prog="python -m bench.cells", description=__doc__)
    parser.add_argument("what", choices=["drain", "shares", "move", "costs"])
    parser.add_argument("--cells", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slots", type=int, default=64, help="of the node, where shares are measured")
    parser.add_argument("--pending", type=int, default=1_000_000, help="far-off jobs, where shards move")
    given = parser.parse_args()
    if given.what == "drain":
        alone = asyncio.run(drained(1, given.jobs, given.rounds))
        several = asyncio.run(drained(given.cells, given.jobs, given.rounds))
        print(f"{given.cells} cells : 1 cell = {max(several) / max(alone):.3f} (best rounds)")
    elif given.what == "costs":
        asyncio.run(cell_costs.unit_costs(given.jobs))
    elif given.what == "move":
        asyncio.run(cell_costs.moved(given.pending))
    else:
        for apart in (False, True):
            asyncio.run(shared(given.cells, given.jobs, given.slots, apart=apart))
    return 0


if __name__ == "__main__":
    sys.exit(main())
