"""The limit: how fast the same PostgreSQL runs the bare statements, without a scheduler."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

import asyncpg

from duetime.bench.bench import Bench
from duetime.bench.feed import PAYLOAD
from duetime.bench.server import temporary_directory
from duetime.config.tree import PostgresConfig
from duetime.postgres.pool import SETTINGS, Connection, Pool
from duetime.store.postgres.embedded import EmbeddedServer
from duetime.store.postgres.literals import microseconds, numerals
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.queries import sql
from duetime.store.postgres.retention import PostgresRetention

NAME = "limit"
TITLE = "The limit: bare statements, batches of 1,000, two connections"
WHOLE_WAY = "whole way, bare"
BATCH = 1000
WIDTH = 2

INSERT = """
INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at, message)
SELECT nextval('job_number') * 1024 + shard, user_id, definition_id, priority, ready, flow, execute_at, due_at, $2,
       message
FROM unnest($1::job_row[]) RETURNING id
"""
LAUNCH = """
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT id, 1, 1, 1, 1, $2 FROM unnest($1::bigint[]) AS id
"""
SETTLE = """
WITH released AS (
    DELETE FROM in_flight WHERE job_id = ANY($1::bigint[]) RETURNING job_id, user_id, launched_at
), ended AS (
    DELETE FROM jobs j USING released r WHERE j.user_id = r.user_id AND j.id = r.job_id RETURNING j.*, r.launched_at
)
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at, created_at,
                     launched_at, started_at, finished_at, message)
SELECT id, user_id, definition_id, priority, 1, 'succeeded', 1, execute_at, due_at, created_at, launched_at, $2, $2,
       message
FROM ended
"""
Way = Callable[[Connection, datetime], Awaitable[None]]


async def run(bench: Bench) -> None:
    """Measures the insert alone, the bare statements of the whole way, and Duetime's own statements."""
    seconds = 5.0 if not bench.quick else 0.7
    async with _database() as connections:
        for _ in bench.each_round():
            bench.say("insert")
            bench.rate("insert alone", await _rate(connections, seconds, _insert_only))
            await connections[0].execute("TRUNCATE jobs")
            bench.say("whole way")
            bench.rate(WHOLE_WAY, await _rate(connections, seconds, _whole_way))
            bench.rate("whole way, Duetime's own statements", await _rate(connections, seconds, _own_way))
            await connections[0].execute("TRUNCATE jobs, in_flight, history, tally_deltas")
    bench.note("Insert into jobs, insert into in_flight, delete from both and insert into history; each committed.")


def _rows(now: datetime) -> list[tuple[object, ...]]:
    job = (1, 1, 1 << 32, 5, True, now, now, None, None, None, None, PAYLOAD)
    return [(None, shard, *job) for shard in range(BATCH)]


async def _insert(connection: Connection, now: datetime) -> list[int]:
    return [row[0] for row in await connection.fetch(INSERT, _rows(now), now)]


async def _insert_only(connection: Connection, now: datetime) -> None:
    await _insert(connection, now)


async def _whole_way(connection: Connection, now: datetime) -> None:
    ids = await _insert(connection, now)
    await connection.fetch(LAUNCH, ids, now)
    await connection.fetch(SETTLE, ids, now)


async def _own_way(connection: Connection, now: datetime) -> None:
    shards, ones, instants = numerals(range(BATCH)), numerals([1] * BATCH), numerals(microseconds([now] * BATCH))
    flows, priorities = numerals([1 << 32] * BATCH), numerals([5] * BATCH)
    numbers = shards, ones, ones, flows, priorities, instants, instants
    ids = await connection.fetchval(sql("submit.store_plain"), [PAYLOAD] * BATCH, now, *numbers)
    await connection.fetch(sql("launch.commit"), 1, now, False, numerals(ids), ones, ones, ones, None, None)
    await connection.fetch(sql("settle.succeed"), 1, 1, numerals(ids), instants, instants)


async def _rate(connections: list[Connection], seconds: float, way: Way) -> float:
    """Returns the jobs per second over all connections together."""
    for connection in connections:
        await way(connection, datetime.now(UTC))
    start, batches = time.perf_counter(), 0

    async def work(connection: Connection) -> None:
        nonlocal batches
        while time.perf_counter() - start < seconds:
            await way(connection, datetime.now(UTC))
            batches += 1

    async with asyncio.TaskGroup() as group:
        for connection in connections:
            group.create_task(work(connection))
    return batches * BATCH / (time.perf_counter() - start)


@asynccontextmanager
async def _database() -> AsyncGenerator[list[Connection]]:
    """Starts the server that `duetime up` starts, with its schema and one node that owns all shards."""
    config = PostgresConfig()
    given = {"shared_buffers": config.shared_buffers, "max_connections": str(config.max_connections)}
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(temporary_directory())
        server = EmbeddedServer(directory / "postgres", given)
        stack.callback(server.stop)
        await asyncio.to_thread(server.start)
        pool = Pool(server.dsn, size=2)
        await pool.open()
        await apply_migrations(pool)
        today = datetime.now(UTC).date()
        await PostgresRetention(pool).make_days(today, today.fromordinal(today.toordinal() + 1))
        await pool.run(
            "INSERT INTO nodes (name, roles, version, joined_at) VALUES ('limit', '{scheduler}', '0', now())"
        )
        await pool.run("INSERT INTO leases (node_id, until) VALUES (1, now() + interval '1 day')")
        await pool.run("UPDATE shards SET owner = 1, term = 1")
        await pool.close()
        connections = [await asyncpg.connect(server.dsn, server_settings=SETTINGS) for _ in range(WIDTH)]
        for connection in connections:
            stack.push_async_callback(connection.close)
        yield connections
