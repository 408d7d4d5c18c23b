"""`python -m bench.cells costs` and `move`: what a job costs a cell, and how long jobs wait while shards move."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta

import asyncpg

from bench.cells import FED_A_SECOND, SETTINGS, after_the_start, cells, options
from duetime.bench.api import admin_of
from duetime.bench.feed import CHUNK, FAR_OFF, bulk, evenly_due, feed_same
from duetime.bench.server import Server, temporary_directory
from duetime.bench.usage import usage_below
from duetime.store.postgres.embedded import EmbeddedServer

MOVED = "0-63"
MOVED_RATE = 500.0
"""Jobs that fall due in a second while shards move."""
MOVED_FOR = 30
"""Seconds."""
FEW = 250
"""Jobs in a call: all of a call are stored in one cell, so there are many calls."""


async def unit_costs(jobs: int) -> None:
    """Prints what a job costs one cell: processor time of the node and of PostgreSQL, log, and room on the disk."""
    with temporary_directory() as directory:
        server = EmbeddedServer(directory / "cell", SETTINGS, None)
        await asyncio.to_thread(server.start)
        async with AsyncExitStack() as stack:
            stack.push_async_callback(asyncio.to_thread, server.stop)
            connection = await asyncpg.connect(server.dsn)
            stack.push_async_callback(connection.close)

            async def cost(node: Server, what: str, work: Awaitable[object], table: str) -> None:
                log = "SELECT pg_current_wal_insert_lsn() - '0/0'"
                python, postgres, written = node.usage().python_cpu, _postgres(server), await connection.fetchval(log)
                await work
                python, postgres = node.usage().python_cpu - python, _postgres(server) - postgres
                written = int(await connection.fetchval(log) - written)
                size = await connection.fetchval(
                    "SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables WHERE relname ~ $1", f"^{table}"
                )
                print(
                    f"{what}: node {python / jobs * 1e6:.1f} µs, PostgreSQL {postgres / jobs * 1e6:.1f} µs, "
                    f"log {written / jobs:.0f} bytes; {table} has {int(size) / jobs:.0f} bytes a job",
                    flush=True,
                )

            api = await Server(directory / "api", options([server.dsn], directory, "api")).start()
            stack.push_async_callback(api.stop)
            async with admin_of(api) as admin:
                user = await admin.user("costs", 1.0)
                await feed_same(user, CHUNK)
                due = after_the_start(jobs)
                await cost(api, "accept in bulk and store", feed_same(user, jobs, at=due), "jobs")
                node = await Server(directory / "node", options([server.dsn], directory, "scheduler,executor")).start()
                stack.push_async_callback(node.stop)
                await user.until_finished(CHUNK, lambda _: None)
                await asyncio.sleep((due - datetime.now(UTC)).total_seconds() - 3)
                whole = user.until_finished(jobs + CHUNK, lambda _: None)
                await cost(node, "launch, run and record", whole, "history")


def _postgres(server: EmbeddedServer) -> float:
    return usage_below(server.pid or 0).postgres_cpu


async def moved(pending: int) -> None:
    """Prints how late the jobs of moving shards were, beside those of the other shards, with `pending` far-off ones."""
    jobs = int(MOVED_RATE * MOVED_FOR)
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            dsns = await stack.enter_async_context(cells(2, directory))
            given = options(dsns, directory, "api,scheduler,executor")
            node = Server(directory / "node", given)
            stack.push_async_callback(node.stop)
            await node.start()
            async with admin_of(node) as admin:
                user = await admin.user("move", 1.0)
                await feed_same(user, pending, at=FAR_OFF)
                start = datetime.now(UTC) + timedelta(seconds=jobs / FED_A_SECOND + 3)
                for first in range(0, jobs, FEW):
                    await bulk(user, evenly_due(first, FEW, start, MOVED_RATE))
                await asyncio.sleep((start - datetime.now(UTC)).total_seconds() + 1)
                began = time.monotonic()
                mover = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "duetime", "shards", "move", MOVED, "--to", "1", *given[:2])
                )
                if await mover.wait():
                    raise RuntimeError("The shards were not moved.")
                took = time.monotonic() - began
                await user.until_finished(jobs, lambda _: None)
            late: dict[bool, list[float]] = {True: [], False: []}
            for dsn in dsns:
                connection = await asyncpg.connect(dsn)
                query = "SELECT id & 1023 <= 63, extract(epoch FROM launched_at - due_at)::float8 FROM history"
                for moving, seconds in await connection.fetch(query):
                    late[moving].append(seconds)
                await connection.close()
    print(f"64 shards with {pending // 1024 * 64:,} pending jobs moved in {took:.1f} s, at {MOVED_RATE:.0f} jobs/s")
    for moving, found in late.items():
        found.sort()
        p50, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
        which = "moved" if moving else "other"
        print(f"  {which} shards: {len(found):,} jobs late by p50 {p50:.3f}, p99 {p99:.3f}, most {found[-1]:.3f} s")
