"""Hot statements go by index, whatever the tables look like when their plans are made."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any, NamedTuple

import asyncpg
import msgspec
import pytest

from duetime.postgres.pool import SETTINGS
from duetime.store.postgres.literals import numerals, texts
from duetime.store.postgres.queries import sql
from harness.engine import Engine

HOT = {
    "due.look_ahead": {"jobs_due"},
    "due.backlog": {"jobs_flow", "in_flight_pkey"},
    "due.flows": {"jobs_flow"},
    "settle.succeed": {"in_flight_pkey", "jobs_pkey"},
    "settle.finish": {"in_flight_pkey"},  # its function: below
    "settle.retry": {"in_flight_pkey", "jobs_pkey"},
    "lanes.promote": {"jobs_lane", "jobs_behind"},
    "submit.store": {"jobs_lane"},
    "placement.submit": {"jobs_lane"},
    "placement.absent": {"jobs_pkey"},
    "lanes.hold_back": {"jobs_pkey", "jobs_lane"},
    "lanes.waited_in": {"jobs_behind"},
    "lanes.sweep": {"jobs_behind", "jobs_lane"},
    "settle.orphans": {"jobs_pkey"},
    "schedules.lock_jobs": {"jobs_pkey"},
    "mint.move_jobs": {"jobs_pkey"},
    "schedules.drop_jobs": {"jobs_pkey"},
    "insight.job": {"jobs_pkey", "in_flight_pkey"},
    "insight.list_open": {"jobs_pkey"},
    "control.cancel_requests": set(),
    "lanes.blocked": {"jobs_parked", "jobs_lane"},
    "offers.take": {"in_flight_offered", "in_flight_pkey", "leases_pkey", "jobs_pkey"},
    "offers.take_back": {"in_flight_offered", "in_flight_pkey"},
    "offers.in_flight": {"in_flight_pkey"},
    "offers.hand_over": {"in_flight_pkey"},
}
WALKS = {"due.flows"}
"""Statements that hop along an index from its start."""
MAY_SCAN = {"in_flight", "leases", "nodes", "subscriptions", "placement"}
"""Tables that are small whatever the load: as many rows as runs under way, nodes or subscribers, or one."""


@pytest.fixture(params=["new", "vacuumed empty", "emptied", "full", "in lanes", "one of two cells"])
async def connection(engine: Engine, request: pytest.FixtureRequest) -> AsyncIterator[asyncpg.Connection]:
    """The same settings as the pool's, over tables whose statistics say all sorts of things."""
    if request.param == "one of two cells":
        away = list(range(512, 1024))
        await engine.pool.run(sql("placement.register"), "a cluster", 0, 2, away, [0] * 512 + [1] * 512)
        await engine.pool.run(sql("placement.set_away"), away)
    if request.param in ("full", "emptied", "in lanes", "one of two cells"):
        lanes, ready = ("'lane ' || n % 5000", "n < 5000") if request.param == "in lanes" else ("NULL", "true")
        await engine.pool.run(
            "INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,"
            f" message, lane) SELECT n * 1024 + n % 1024, 1 + n % 50, 1, 5, {ready}, (1 + n % 50)::bigint << 32,"
            f" now() + interval '1 year', now() + interval '1 year', now(), 'far off', {lanes}"
            " FROM generate_series(1, 30000) n"
        )
        if request.param == "emptied":
            await engine.pool.run("DELETE FROM jobs")
        await engine.pool.run("ANALYZE jobs")
        await engine.pool.run("ANALYZE in_flight")
    if request.param == "vacuumed empty":
        await engine.pool.run("VACUUM ANALYZE jobs, in_flight")
    made = await asyncpg.connect(engine.pool.dsn, server_settings=SETTINGS)
    yield made
    await made.close()


async def plan_of(connection: asyncpg.Connection, name: str) -> list[dict[str, object]]:
    """The nodes of the generic plan that a pooled connection would use."""
    text = sql(name)
    await connection.execute(f'PREPARE "{name}" AS {text}')
    places = max((int(n) for n in re.findall(r"\$(\d+)", text)), default=0)
    arguments = f"({', '.join(['NULL'] * places)})" if places else ""
    found = await connection.fetchval(f'EXPLAIN (FORMAT JSON) EXECUTE "{name}"{arguments}')
    return nodes_of(msgspec.json.decode(found)[0]["Plan"])


def nodes_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """A plan's nodes, flat."""
    nodes: list[dict[str, Any]] = []

    def walk(node: dict[str, Any]) -> None:
        nodes.append(node)
        for child in node.get("Plans", []):
            walk(child)

    walk(plan)
    return nodes


def faults_of(name: str, nodes: list[dict[str, Any]]) -> list[str]:
    """What a plan has that would cost more with more jobs."""
    scanned = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
    large = {table for table in scanned if not str(table).startswith(("history", "runs"))} - MAY_SCAN
    faults = [f"{name} scans {table}" for table in large]
    by_key = {"Index Cond", "TID Cond"}
    for node in nodes:
        of_jobs = node.get("Relation Name") == "jobs" and node["Node Type"] != "ModifyTable"
        if of_jobs and "Scan" in node["Node Type"] and not by_key & node.keys() and name not in WALKS:
            faults.append(f"{name} goes through all of jobs: {node}")
    used = {node.get("Index Name") for node in nodes}
    return faults + [f"{name} does not use {index}" for index in HOT[name] - used]


async def test_by_index(connection: asyncpg.Connection) -> None:
    faults = list[str]()
    for name in HOT:
        faults += faults_of(name, await plan_of(connection, name))
    assert faults == []


class Batch(NamedTuple):
    """Jobs that are each the first of a lane of their own, to be launched by the node that owns their shard."""

    node: int
    term: int
    ids: list[int]
    at: datetime

    @property
    def lanes(self) -> list[str]:
        return [f"lane {one // 1024}" for one in self.ids]

    @property
    def columns(self) -> list[str]:
        many = len(self.ids)
        terms, ones = numerals([self.term] * many), numerals([1] * many)
        return [numerals(self.ids), numerals([90] * many), terms, ones, texts(self.lanes)]


async def as_jobs(connection: asyncpg.Connection, batch: Batch, careful: bool) -> list[int]:
    rows = await connection.fetch(
        sql("launch.commit"), batch.node, batch.at, careful, *batch.columns, [batch.at] * len(batch.ids)
    )
    assert {row["message"] for row in rows} == {"due"}
    return [row["id"] for row in rows]


async def at_once(connection: asyncpg.Connection, batch: Batch) -> list[int]:
    return await as_jobs(connection, batch, careful=False)


async def carefully(connection: asyncpg.Connection, batch: Batch) -> list[int]:
    return await as_jobs(connection, batch, careful=True)


async def as_offers(connection: asyncpg.Connection, batch: Batch) -> list[int]:
    rows = await connection.fetch(sql("offers.offer"), batch.node, batch.at, *batch.columns, None)
    return [row["job_id"] for row in rows]


async def as_occurrences(connection: asyncpg.Connection, batch: Batch) -> list[int]:
    many = len(batch.ids)
    columns = batch.ids, [90] * many, [batch.term] * many, batch.lanes, [batch.at] * many
    rows = await connection.fetch(sql("mint.lock_occurrences"), batch.node, batch.at, *columns)
    return [row["job_id"] for row in rows]


@pytest.mark.parametrize("jobs", [20, 200])
@pytest.mark.parametrize("launched", [at_once, carefully, as_offers, as_occurrences])
async def test_a_launch_touches_what_it_launches(
    connection: asyncpg.Connection, jobs: int, launched: Callable[[asyncpg.Connection, Batch], Awaitable[list[int]]]
) -> None:
    """Its plans are inside functions: what they read is counted instead."""
    node, term = await connection.fetchrow("SELECT owner, term FROM shards WHERE shard = 5") or (0, 0)
    await connection.execute(
        "INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at, message,"
        " lane) SELECT n * 1024 + 5, 90, 1, 5, true, 90::bigint << 32, now(), now(), now(), 'due', 'lane ' || n"
        " FROM generate_series(100000, 100000 + $1 - 1) n",
        jobs,
    )
    at = await connection.fetchval("SELECT max(execute_at) FROM jobs WHERE user_id = 90")
    batch = Batch(node, term, [n * 1024 + 5 for n in range(100_000, 100_000 + jobs)], at)
    async with connection.transaction():
        assert await launched(connection, batch) == batch.ids
        counts = await connection.fetch(
            "SELECT relname, seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = ANY($1)",
            ["jobs", "in_flight", "shards", "leases"],
        )
    read = {row["relname"]: row for row in counts}
    assert all(row["seq_scan"] == 0 for name, row in read.items() if name not in MAY_SCAN)
    assert read["jobs"]["idx_tup_fetch"] <= 3 * jobs
    assert read["shards"]["idx_tup_fetch"] <= 1100, "each once, whatever the batch"


async def as_finished(connection: asyncpg.Connection, ids: list[int], at: datetime) -> None:
    await connection.execute(
        "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)"
        " SELECT id, 90, 7, 1, 1, $2 FROM unnest($1::bigint[]) AS id",
        *(ids, at),
    )
    endings = [(one, 7, 1, "dead", at, at, "failed", None) for one in ids]
    assert len(await connection.fetch(sql("settle.finish"), endings)) == len(ids)


async def as_skipped(connection: asyncpg.Connection, ids: list[int], at: datetime) -> None:
    many = len(ids)
    columns = [90] * many, ids, [at] * many, [None] * many, [None] * many, ["missed"] * many
    assert await connection.fetchval(sql("mint.skip_jobs"), *columns, at) == many


@pytest.mark.parametrize("ended", [as_finished, as_skipped])
async def test_an_end_touches_what_it_ends(
    engine: Engine,
    connection: asyncpg.Connection,
    ended: Callable[[asyncpg.Connection, list[int], datetime], Awaitable[None]],
) -> None:
    """Its plans are inside a function: what they read is counted instead."""
    await engine.retention.run_once()
    at, ids = engine.clock.now(), [n * 1024 + 5 for n in range(100_000, 100_200)]
    await connection.execute(
        "INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at, message)"
        " SELECT id, 90, 1, 5, true, 90::bigint << 32, $2, $2, $2, 'due' FROM unnest($1::bigint[]) AS id",
        *(ids, at),
    )
    async with connection.transaction():
        await ended(connection, ids, at)
        read = await connection.fetchrow(
            "SELECT seq_scan, idx_tup_fetch, n_tup_del FROM pg_stat_xact_user_tables WHERE relname = 'jobs'"
        )
    assert read["seq_scan"] == 0
    assert read["n_tup_del"] == len(ids)
    assert read["idx_tup_fetch"] <= 2 * len(ids)


async def test_the_look_ahead_reads_in_order_and_stops(connection: asyncpg.Connection) -> None:
    """No sort: the index gives the order, so a page costs a page, however much lies beyond it."""
    kinds = {node["Node Type"] for node in await plan_of(connection, "due.look_ahead")}
    assert "Sort" not in kinds
    assert kinds <= {"Limit", "Index Scan", "Index Only Scan"}


async def test_a_queues_head_is_read_in_order(connection: asyncpg.Connection) -> None:
    assert "Sort" not in {node["Node Type"] for node in await plan_of(connection, "due.backlog")}


async def test_a_queue_is_read_on_without_what_is_before_the_place(connection: asyncpg.Connection) -> None:
    (by_place,) = [node for node in await plan_of(connection, "due.backlog") if node.get("Index Name") == "jobs_flow"]
    assert "ROW(" in str(by_place["Index Cond"]), by_place


async def test_taking_reads_only_what_is_on_offer(engine: Engine) -> None:
    """However much is in flight, a batch of offers costs a batch: by the small index, in its order, and no further."""
    await engine.pool.run(
        "INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)"
        " SELECT n, 1, CASE WHEN n % 100 = 0 THEN -1 ELSE 7 END, 1, 1, now() - n * interval '1 s'"
        " FROM generate_series(1, 30000) n"
    )
    await engine.pool.run("VACUUM ANALYZE in_flight")
    connection = await asyncpg.connect(engine.pool.dsn, server_settings=SETTINGS)
    try:
        await connection.execute(f"PREPARE taking AS {sql('offers.take')}")
        node = engine.ownership.node
        found = await connection.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE taking({node}, '{{}}', 50, now())")
    finally:
        await connection.close()
    nodes = nodes_of(msgspec.json.decode(found)[0]["Plan"])
    assert "Sort" not in {node["Node Type"] for node in nodes}
    (offered,) = [node for node in nodes if node.get("Index Name") == "in_flight_offered"]
    assert offered["Actual Rows"] == 50
    read = [node["Actual Rows"] * node["Actual Loops"] for node in nodes if node.get("Relation Name") == "in_flight"]
    assert max(read) <= 50, read
