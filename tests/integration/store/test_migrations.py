"""Migrations: forward only, one transaction each, under a lock, and refused by a Duetime that cannot work with them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from duetime.model.errors import ConfigError, SchemaTooNew, StoreAway
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import Migration, apply_migrations, migrations, state
from harness.database import TestServer
from harness.waiting import eventually

NAMES = [one.name for one in migrations()]
NEWER = migrations()[-1].version + 1
HARMLESS = "CREATE TABLE newer (id int);\n"
BREAKING = f"-- Older releases cannot live with it.\n-- breaking\n{HARMLESS}"


def newer(text: str, version: int = NEWER) -> Migration:
    """A step of a later release."""
    return Migration(version, f"{version:04}_newer", text)


@pytest.fixture
async def empty(server: TestServer) -> AsyncIterator[str]:
    """The DSN of a database without a schema."""
    await server.execute("CREATE DATABASE to_migrate")
    yield server.dsn("to_migrate")
    await server.drop(server.dsn("to_migrate"))


@pytest.fixture
async def pool(empty: str) -> AsyncIterator[Pool]:
    """A pool over the empty database. Each call that migrates opens a connection of its own."""
    made = Pool(empty, size=2)
    await made.open()
    yield made
    await made.close()


async def has(dsn: str, table: str) -> bool:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", table)
    finally:
        await connection.close()


async def test_they_are_applied_once_and_in_order(pool: Pool) -> None:
    assert (await state(pool)).pending == tuple(NAMES)
    assert await apply_migrations(pool) == NAMES
    assert (await state(pool)).pending == ()
    assert await apply_migrations(pool) == []


async def test_versions_ascend_without_a_gap() -> None:
    assert [one.version for one in migrations()] == list(range(1, NEWER))


async def test_two_nodes_at_once_apply_each_of_them_once(pool: Pool) -> None:
    applied = await asyncio.gather(*(apply_migrations(pool) for _ in range(4)))
    assert sorted(applied) == [[], [], [], NAMES]


async def test_a_newer_schema_that_breaks_older_ones_is_refused(pool: Pool) -> None:
    await apply_migrations(pool, [*migrations(), newer(BREAKING)])
    with pytest.raises(SchemaTooNew, match=rf"has migration {NEWER:04}_newer, .* knows only up to {NEWER - 1}:"):
        await apply_migrations(pool)


async def test_one_after_a_breaking_one_does_not_make_it_harmless(pool: Pool) -> None:
    later = newer("CREATE TABLE later (id int);", NEWER + 1)
    await apply_migrations(pool, [*migrations(), newer(BREAKING), later])
    with pytest.raises(SchemaTooNew):
        await apply_migrations(pool)


async def test_a_newer_schema_that_breaks_nothing_is_worked_with(pool: Pool, empty: str) -> None:
    await apply_migrations(pool, [*migrations(), newer(HARMLESS)])
    assert await apply_migrations(pool) == []
    assert await has(empty, "newer")


async def test_what_says_breaking_elsewhere_than_in_a_line_of_its_own_breaks_nothing() -> None:
    assert newer("-- nothing is\n-- breaking here\nSELECT '-- breaking';").oldest_reader == 1
    assert newer("SELECT 1;\n-- breaking").oldest_reader == NEWER


async def test_an_interrupted_one_leaves_nothing_and_is_applied_by_the_next_call(pool: Pool, empty: str) -> None:
    steps = [*migrations(), newer(f"{HARMLESS} SELECT pg_advisory_xact_lock(1);")]
    blocker = await asyncpg.connect(empty)
    await blocker.execute("SELECT pg_advisory_lock(1)")
    call = asyncio.create_task(apply_migrations(pool, steps))

    async def waits() -> bool:
        return await blocker.fetchval(
            "SELECT count(pg_terminate_backend(pid)) = 1 FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event = 'advisory'"
        )

    await eventually(waits, 5.0)
    with pytest.raises(StoreAway):
        await call
    assert not await has(empty, "newer")
    assert (await state(pool)).version == NEWER - 1
    await blocker.close()
    assert await apply_migrations(pool, steps) == [f"{NEWER:04}_newer"]
    assert await has(empty, "newer")


async def test_one_that_fails_leaves_what_was_before_it(pool: Pool, empty: str) -> None:
    with pytest.raises(asyncpg.DivisionByZeroError):
        await apply_migrations(pool, [*migrations(), newer(f"{HARMLESS} SELECT 1 / 0;")])
    assert not await has(empty, "newer")
    assert (await state(pool)).version == NEWER - 1


async def test_a_schema_of_an_unreleased_version_is_refused(pool: Pool) -> None:
    first, *rest = migrations()
    await apply_migrations(pool, [first._replace(name="0001_core"), *rest])
    with pytest.raises(ConfigError, match="has migration 0001_core where this Duetime has 0001_tables"):
        await apply_migrations(pool)
