"""Statements about schedules and calendars go by index, and cost no more with ten times as many schedules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import asyncpg
import msgspec
import pytest

from duetime.model.errors import Conflict
from duetime.postgres.pool import SETTINGS
from duetime.store.postgres.queries import STATEMENTS, sql
from harness.engine import Engine
from plans.test_hot_plans import plan_of

NOW = "'2026-01-01T00:00:00Z'::timestamptz"
LATER = "'2027-01-01T00:00:00Z'::timestamptz"
NOON, MINUTE = datetime(2026, 1, 1, 12, tzinfo=UTC), timedelta(minutes=1)
GOING = 50
USERS = 20
FEW, MANY = 2000, 20_000
LARGE = {"schedules", "jobs", "history", "calendars"}
"""Tables that grow with what people register."""


class Call(NamedTuple):
    """A statement as it is called: the indexes that must serve (one of several where none is named), and arguments."""

    indexes: set[str]
    arguments: str


def rows_of(*columns: str) -> str:
    return ", ".join(f"ARRAY[{column}]" for column in columns)


JOB = rows_of("2", "1001 * 1024 + 1")
EXTRA = rows_of(NOW, NOW, "'m'", "NULL::text", "NULL::timestamptz")
MISSED = rows_of(NOW, LATER, "7", "'missed'")
NEXT = f"ROW(1001, {LATER}, {LATER}, NULL, 2, 'm', {NOW}, NULL, {NOW}, 'active')::next_row"
WHERE_TO = NEXT.removeprefix("ROW(").removesuffix("::next_row")
GO = f"ROW(1001 * 1024 + 1, 2, 1, 1, NULL, true, 'lane', {NOW}, {WHERE_TO}::occurrence_row"
CALLS = {
    "schedules.needing_repair": Call({"schedules_needing_repair", "schedules_pkey"}, "100"),
    "schedules.by_id": Call(set(), "2, 1001"),
    "schedules.by_names": Call({"schedules_by_name"}, "2, ARRAY['s1001', 's1021', 'none']"),
    "schedules.columns": Call({"schedules_pkey"}, "ARRAY[1001]"),
    "schedules.owner": Call({"schedules_pkey"}, "1001"),
    "schedules.count": Call(set(), "2"),
    "schedules.delete": Call({"schedules_pkey"}, "1001"),
    "schedules.drop_jobs": Call({"jobs_pkey"}, JOB),
    "schedules.edit": Call(
        {"schedules_pkey"}, "1001, 'other', '{}', NULL, 1, 2, 3, 'm', NULL, 5, NULL, NULL, NULL, 'skip', NULL"
    ),
    "schedules.every": Call({"schedules_pkey"}, "1001, 100"),
    "mint.launch_occurrences": Call(set(), f"1, {NOW}, ARRAY[{GO}]"),  # a function: below
    "schedules.history": Call({"jobs_schedule"}, "1001, 9007199254740992, 100, 2"),
    "schedules.insert_jobs": Call({"schedules_pkey"}, f"1001, {EXTRA}, {NOW}"),
    "mint.read_launched": Call({"jobs_pkey"}, f"{JOB}, {NOW}"),
    "schedules.list": Call({"schedules_by_user"}, "2, 1001, NULL, NULL, 40"),
    "mint.lock_schedules": Call({"schedules_pkey"}, rows_of("1001", "1", "1001 * 1024 + 1")),
    "schedules.lock_jobs": Call({"jobs_pkey"}, f"{JOB}, {NOW}"),
    "mint.store_next": Call({"schedules_pkey"}, f"ARRAY[{NEXT}], {NOW}, true"),
    "mint.move_jobs": Call(
        {"jobs_pkey"},
        rows_of("2", "1001 * 1024 + 1", LATER, LATER, "NULL::timestamptz", "'m'", "'lane'", "true", "'m'", LATER),
    ),
    "schedules.of_calendar": Call({"schedules_by_calendar"}, "7, 0, 100"),
    "mint.release": Call({"in_flight_pkey"}, "0, ARRAY[1001 * 1024 + 1]"),
    "mint.need_repair": Call({"schedules_pkey"}, "ARRAY[1001]"),
    "mint.skip_jobs": Call(set(), f"{JOB}, {MISSED}, {NOW}"),
    "mint.skip_ranges": Call({"schedules_pkey"}, f"ARRAY[1001], {MISSED}, {NOW}"),
    "mint.to_launch": Call({"schedules_pkey", "jobs_schedule"}, "ARRAY[1001, 1021]"),
    "control.unpend": Call({"schedules_pkey"}, "1001, 1001 * 1024 + 1"),
    "calendars.by_id": Call(set(), "7, 7"),
    "calendars.by_names": Call({"calendars_by_name"}, "7, ARRAY['c7', 'none']"),
    "calendars.edit": Call(set(), f"7, 7, '{{}}', {NOW}"),
    "calendars.lock": Call(set(), "7, 7"),
    "calendars.list": Call({"calendars_by_user"}, "7, 0, 5"),
}
NOT_HERE = {
    "schedules.create",  # inserts what it is given
    "schedules.numbers",  # a sequence
    "mint.lock_occurrences",  # in test_hot_plans
    "schedules.fact",  # one row for each fact
    "schedules.remember",
    "calendars.create",
    "calendars.delete",  # below, for what its foreign key does
}


@pytest.fixture
async def session(engine: Engine) -> AsyncIterator[asyncpg.Connection]:
    """A connection with the pool's settings."""
    made = await asyncpg.connect(engine.pool.dsn, server_settings=SETTINGS)
    yield made
    await made.close()


async def grow(engine: Engine, first: int, last: int) -> None:
    """Schedules of some users, each with a pending job and five records; one in ten goes by a calendar."""
    for number in range(USERS if first == 1 else 0):
        await engine.user(f"user {number}")
    await engine.pool.run(
        "INSERT INTO calendars (id, user_id, name, content, created_at, updated_at) OVERRIDING SYSTEM VALUE"
        f""" SELECT n, 1 + (n - 1) % {USERS}, 'c' || n, '{{"name": "c", "dates": []}}', now(), now()"""
        " FROM generate_series($1::int / 10 + 1, $2::int / 10) n ON CONFLICT DO NOTHING",
        *(first, last),
    )
    await engine.pool.run(
        "INSERT INTO schedules (id, user_id, name, spec, calendar_id, definition_id, flow, shard, message, priority,"
        " overlap, state, effective_from, created_at, updated_at, pending_job, pending_nominal, pending_due)"
        f" SELECT n, 1 + n % {USERS}, 's' || n, '{{}}', CASE WHEN n % 10 = 0 THEN n / 10 END, 1, 1, 1, 'm', 5,"
        " 'skip', 'active', now(), now(), now(), n * 1024 + 1, now() + interval '1 year', now() + interval '1 year'"
        " FROM generate_series($1::int, $2::int) n",
        *(first, last),
    )
    await engine.pool.run(
        "INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,"
        " schedule_id, occurrence, message)"
        " SELECT pending_job, user_id, 1, 5, true, 1, pending_nominal, pending_due, now(), id, 1, 'm'"
        " FROM schedules WHERE id BETWEEN $1 AND $2",
        *(first, last),
    )
    await engine.pool.run(
        "INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,"
        " finished_at, schedule_id, occurrence, message)"
        f" SELECT pending_job + k, user_id, 1, 5, 1, 'succeeded', {NOW}, {NOW}, {NOW}, {NOW}, id, k, 'm'"
        " FROM schedules CROSS JOIN generate_series(1, 5) k WHERE id BETWEEN $1 AND $2",
        *(first, last),
    )
    await engine.pool.run("SELECT setval('job_number', 1000000)")
    await engine.pool.run("VACUUM ANALYZE")


def test_no_statement_is_forgotten() -> None:
    there = {f"{file}.{block}" for file in ("mint", "schedules", "calendars") for block in STATEMENTS.blocks(file)} | {
        "control.unpend"
    }
    assert CALLS.keys() | NOT_HERE == there


async def test_by_index_whatever_the_tables_look_like(engine: Engine, session: asyncpg.Connection) -> None:
    await check_plans(session)
    await engine.pool.run("VACUUM ANALYZE")
    await check_plans(session)
    await grow(engine, 1, FEW)
    await check_plans(session)


@pytest.mark.parametrize("lane", [None, "lane"])
@pytest.mark.parametrize("planned_when", ["empty", "full"])
async def test_going_touches_what_goes(
    engine: Engine, session: asyncpg.Connection, planned_when: str, lane: str | None
) -> None:
    """Its plans are inside a function, and kept: what they read is counted instead."""
    if planned_when == "empty":
        assert await session.fetch(sql("mint.launch_occurrences"), 0, NOON, []) == []
    await grow(engine, 1, FEW)
    numbers = range(1001, 1001 + GOING)
    node, term = await session.fetchrow("SELECT owner, term FROM shards WHERE shard = 1") or (0, 0)
    before = NOON - MINUTE
    await engine.pool.run("UPDATE jobs SET execute_at = $1, due_at = $1 WHERE schedule_id > 1000", before)
    plans = [(n * 1024 + 1, 1 + n % USERS, term, 1, None, True, lane and f"{lane} {n}", before) for n in numbers]
    steps = [(n, NOON, NOON, None, 2, "m", NOON, None, NOON, "active") for n in numbers]
    rows = [(*one, *step) for one, step in zip(plans, steps, strict=True)]
    async with session.transaction():
        found = await session.fetch(sql("mint.launch_occurrences"), node, NOON, rows)
        counts = await session.fetch(
            "SELECT relname, seq_scan, idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = ANY($1)",
            ["jobs", "schedules", "shards", "calendars", "in_flight"],
        )
    assert [(row["id"], row["message"], row["lane"]) for row in found] == [(row[0], "m", row[6]) for row in rows]
    assert all(row["next_id"] for row in found)
    read = {row["relname"]: row for row in counts}
    assert all(row["seq_scan"] == 0 for name, row in read.items() if name != "in_flight"), read
    assert read["jobs"]["idx_tup_fetch"] <= 4 * GOING, read
    assert read["schedules"]["idx_tup_fetch"] <= 2 * GOING, read


async def check_plans(session: asyncpg.Connection) -> None:
    wrong: list[str] = []
    for name, (indexes, _) in CALLS.items():
        nodes = await plan_of(session, name)
        await session.execute(f'DEALLOCATE "{name}"')
        used = {node.get("Index Name") for node in nodes} - {None}
        if not indexes <= used:
            wrong.append(f"{name} goes by {used}")
        for node in nodes:
            table = str(node.get("Relation Name")).split("_2")[0]
            if table in LARGE and "Scan" in str(node["Node Type"]):
                walks = node.get("Index Name") == "schedules_needing_repair"  # empty most of the time
                if not ({"Index Cond", "TID Cond"} & node.keys() or walks):
                    wrong.append(f"{name} goes through all of {table} ({node.get('Index Name')})")
    assert not wrong, "\n".join(wrong)


async def test_ten_times_as_many_schedules_cost_the_same(engine: Engine, session: asyncpg.Connection) -> None:
    await grow(engine, 1, FEW)
    few = {name: await pages(session, name) for name in CALLS}
    await grow(engine, FEW + 1, MANY)
    for name, before in few.items():
        after = await pages(session, name)
        assert after <= before * 1.3 + 12, f"{name} touches {after} pages, not {before}"


async def pages(session: asyncpg.Connection, name: str) -> int:
    """How many pages a call touches when nothing else makes it look; nothing of what it does stays.

    The first one after a VACUUM also reads the maps of free space; the first one of a session the catalog, some 20
    pages. What others do in the same server may make a later one read more as well: the least of a few counts.
    """
    await session.execute(f"PREPARE one AS {sql(name)}")
    explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE one ({CALLS[name].arguments})"
    found: list[int] = []
    for _ in range(4):
        transaction = session.transaction()
        await transaction.start()
        found.append(touched(msgspec.json.decode(await session.fetchval(explain))[0]["Plan"]))
        await transaction.rollback()
    await session.execute("DEALLOCATE one")
    return min(found)


def touched(node: dict[str, object]) -> int:
    """Pages of a node and, for what runs after the last row, once more of each below it."""
    own = int(node["Shared Hit Blocks"]) + int(node["Shared Read Blocks"])  # type: ignore[call-overload]
    return own + sum(touched(child) for child in node.get("Plans", []))  # type: ignore[attr-defined]


async def test_whether_a_calendar_is_in_use_is_found_by_index(engine: Engine) -> None:
    await grow(engine, 1, FEW)
    read = "SELECT coalesce(sum(seq_tup_read), 0) AS n FROM pg_stat_user_tables WHERE relname = 'schedules'"
    await engine.pool.run("SELECT pg_stat_force_next_flush()")
    before = (await engine.pool.row(read))["n"]
    with pytest.raises(Conflict):
        await engine.calendars.delete(7, 7, 7)
    await engine.pool.run("DELETE FROM schedules WHERE calendar_id = 7")
    assert (await engine.calendars.delete(7, 7, 7)).id == 7
    await engine.pool.run("SELECT pg_stat_force_next_flush()")
    assert (await engine.pool.row(read))["n"] == before
