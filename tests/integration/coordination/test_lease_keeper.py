"""A lease is kept by a thread of its own: while the event loop is busy, and no longer once it is stuck."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from duetime.clock.system import SystemClock
from duetime.coordination.lease_keeper import LeaseKeeper
from duetime.coordination.ownership import Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.postgres.pool import Pool

TTL, EVERY = 0.5, 0.05
BOUND = 20.0


@asynccontextmanager
async def node(dsn: str, *, patience: float) -> AsyncIterator[tuple[Ownership, LeaseKeeper, PostgresCoordinator]]:
    pool = Pool(dsn, size=2)
    await pool.open()
    coordinator = PostgresCoordinator(pool)
    clock = SystemClock(pool.clock)
    ownership = Ownership(coordinator, clock, name="busy", roles=("scheduler",), version="0", ttl=TTL)
    await ownership.join()
    keeper = LeaseKeeper(ownership, lambda: PostgresCoordinator(Pool(dsn, size=1)), EVERY, patience=patience)
    keeper.start()
    try:
        yield ownership, keeper, coordinator
    finally:
        keeper.stop()
        await coordinator.close()
        await pool.close()


def block_loop(until: Callable[[], bool]) -> None:
    """Hold the event loop until something has happened in another thread."""
    end = time.monotonic() + BOUND
    while not until():
        assert time.monotonic() < end, "it never happened"
        time.sleep(EVERY)


async def test_a_busy_loop_keeps_its_lease(dsn: str) -> None:
    async with node(dsn, patience=BOUND) as (ownership, keeper, coordinator):
        before, me = time.monotonic(), ownership.node
        block_loop(lambda: time.monotonic() > before + 3 * TTL)
        assert ownership.trusted
        assert await coordinator.fence() == []
        renewed = keeper.renewed
        assert renewed > 2
        await ownership.renew()
        assert ownership.node == me


async def test_a_stuck_loop_loses_its_lease(dsn: str) -> None:
    async with node(dsn, patience=TTL) as (ownership, keeper, coordinator):
        me = ownership.node
        block_loop(lambda: not ownership.trusted)
        assert keeper.renewed > 0
        block_loop(lambda: ownership.quiet_for > 4 * TTL)
        assert await coordinator.fence() == [me]
        await ownership.renew()
        assert ownership.node != me
        assert ownership.trusted


async def test_a_lease_that_was_ended_is_not_trusted_again(dsn: str) -> None:
    """The thread sees that the lease has ended, and the node's own duty joins again."""
    async with node(dsn, patience=BOUND) as (ownership, keeper, coordinator):
        me = ownership.node
        await coordinator.leave(me)
        block_loop(lambda: not ownership.trusted)
        await ownership.renew()
        assert ownership.node != me
        assert ownership.trusted
        seen = keeper.renewed
        block_loop(lambda: keeper.renewed > seen)


async def test_without_the_database_trust_ends(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with node(dsn, patience=BOUND) as (ownership, _, __):

        async def away(*_: object, **__: object) -> None:
            raise OSError

        monkeypatch.setattr("duetime.coordination.reserved.ReservedConnection._open", away)
        block_loop(lambda: not ownership.trusted)
