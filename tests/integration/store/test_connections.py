"""Connections to a real server: never more than asked for, never one that is in the middle of something."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random

import asyncpg
import pytest

from duetime.model.errors import StoreAway
from duetime.postgres.pool import Pool
from harness.database import TestServer
from harness.waiting import eventually

SIZE = 3
BACKENDS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'duetime' AND datname = current_database()"
WHO = "SELECT pg_backend_pid()"


@pytest.fixture
async def pool(server: TestServer) -> AsyncIterator[Pool]:
    dsn = await server.fresh()
    pool = Pool(dsn, size=SIZE)
    await pool.open()
    yield pool
    await pool.close()
    await server.drop(dsn)


async def _who(pool: Pool) -> int:
    row = await pool.row(WHO)
    assert row is not None
    return row[0]


async def _backends(pool: Pool) -> int:
    row = await pool.row(BACKENDS)
    assert row is not None
    return row[0]


async def test_one_after_the_other_share_a_connection_and_many_at_once_have_no_more_than_the_size(pool: Pool) -> None:
    assert len({await _who(pool) for _ in range(20)}) == 1
    found = await asyncio.gather(*(pool.rows("SELECT pg_sleep(0.001), pg_backend_pid() AS who") for _ in range(50)))
    assert len({rows[0]["who"] for rows in found}) == SIZE
    assert await _backends(pool) == SIZE


async def test_who_waits_longest_is_served_first(pool: Pool) -> None:
    served: list[int] = []

    async def ask(number: int) -> None:
        async with pool.acquired():
            served.append(number)

    held = [pool.acquired() for _ in range(SIZE)]
    for one in held:
        await one.__aenter__()
    tasks = [asyncio.create_task(ask(number)) for number in range(10)]
    await asyncio.sleep(0)
    tasks[3].cancel()
    for one in held:
        await one.__aexit__(None, None, None)
    await asyncio.wait(tasks)
    assert served == [number for number in range(10) if number != 3]


async def test_a_statement_that_is_given_up_takes_its_connection_with_it(pool: Pool) -> None:
    asked = asyncio.create_task(pool.rows("SELECT pg_sleep(60)"))
    asleep = await eventually(lambda: _asleep(pool))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    found = await asyncio.gather(*(pool.rows("SELECT 7 AS seven, pg_backend_pid() AS who") for _ in range(2 * SIZE)))
    assert {rows[0]["seven"] for rows in found} == {7}
    assert asleep not in {rows[0]["who"] for rows in found}


async def _asleep(pool: Pool) -> int | None:
    """The backend that sleeps."""
    row = await pool.row("SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'")
    return None if row is None else row["pid"]


async def test_an_error_of_a_statement_leaves_the_connection_as_it_was(pool: Pool) -> None:
    before = await _who(pool)
    with pytest.raises(asyncpg.DivisionByZeroError):
        await pool.rows("SELECT 1 / 0")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await _fail_in_transaction(pool)
    assert await _who(pool) == before
    assert await pool.rows("SELECT FROM pg_class WHERE relname = 'gone'") == []


async def _fail_in_transaction(pool: Pool) -> None:
    async with pool.transaction() as connection:
        await connection.execute("CREATE TABLE gone (id int)")
        await connection.fetch("SELECT 1 / 0")


async def test_one_that_was_left_in_a_transaction_is_cut(pool: Pool) -> None:
    before = await _who(pool)
    async with pool.acquired() as connection:
        await connection.execute("BEGIN")
    assert await _who(pool) != before


async def test_connections_that_the_server_ended_are_made_anew(pool: Pool, server: TestServer) -> None:
    await asyncio.gather(*(pool.rows("SELECT pg_sleep(0.001)") for _ in range(SIZE)))
    await server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'duetime' AND datname = "
        f"'{(await pool.row('SELECT current_database()'))[0]}'"  # type: ignore[index]
    )

    async def answers() -> bool:
        try:
            return await _backends(pool) == 1
        except StoreAway:
            return False

    await eventually(answers)


async def test_no_mix_of_haste_errors_and_patience_loses_or_adds_a_connection(pool: Pool) -> None:
    chance = Random(7)

    async def one() -> None:
        kind = chance.random()
        if kind < 0.2:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(chance.random() * 0.01):
                    await pool.rows("SELECT pg_sleep(10)")
        elif kind < 0.3:
            with pytest.raises(asyncpg.DivisionByZeroError):
                await pool.rows("SELECT 1 / 0")
        elif kind < 0.4:
            async with pool.transaction() as connection:
                await connection.fetch("SELECT pg_sleep(0.001)")
        else:
            assert (await pool.rows("SELECT $1::int AS n", 5))[0]["n"] == 5

    await asyncio.gather(*(one() for _ in range(300)))
    async with asyncio.timeout(10):
        await asyncio.gather(*(pool.rows("SELECT pg_sleep(0.001)") for _ in range(SIZE)))
    await eventually(lambda: _has(pool, SIZE))


async def _has(pool: Pool, number: int) -> bool:
    return await _backends(pool) == number


async def test_closing_waits_for_what_is_under_way_and_turns_away_who_waits(server: TestServer) -> None:
    dsn = await server.fresh()
    pool = Pool(dsn, size=1)
    await pool.open()
    under_way = asyncio.create_task(pool.rows("SELECT pg_sleep(0.05), 1 AS one"))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(pool.rows("SELECT 2"))
    await asyncio.sleep(0)
    await pool.close()
    assert (await under_way)[0]["one"] == 1
    for asked in (waiting, pool.rows("SELECT 3")):
        with pytest.raises(StoreAway):
            await asked
    await server.drop(dsn)
