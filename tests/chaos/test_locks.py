"""Locks of a node that stopped in a transaction end with its session, soon enough for other nodes to take over."""

from __future__ import annotations

import pytest

from duetime.coordination.postgres import PostgresCoordinator
from duetime.model.errors import StoreAway
from duetime.postgres.pool import Pool
from harness.waiting import eventually


async def test_a_node_that_sleeps_inside_a_transaction_can_be_fenced(dsn: str) -> None:
    asleep, awake = Pool(dsn, size=2), Pool(dsn, size=2)
    await asleep.open()
    coordinator = PostgresCoordinator(awake)
    try:
        node = await coordinator.join("sleeper", ("scheduler", "executor"), "0", 0.5)

        async def fenced() -> bool:
            try:
                return node in await coordinator.fence()
            except StoreAway:
                return False

        async def sleep_inside() -> None:
            async with asleep.transaction() as connection:
                await connection.fetch("SELECT FROM leases WHERE node_id = $1 FOR KEY SHARE", node)
                await eventually(fenced, 12.0)

        with pytest.raises(StoreAway):
            await sleep_inside()
        assert await asleep.clock(), "the pool does not go on"
    finally:
        await coordinator.close()
        await asleep.close()
