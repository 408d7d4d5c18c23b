"""Hints: when they go, and how what was lost with a connection is made up for by whoever could not hear or speak."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from duetime.coordination.port import EVERYTHING
from duetime.coordination.postgres import HINT_SPACING, PostgresCoordinator
from duetime.model.errors import StoreAway
from duetime.postgres.pool import Pool
from harness.waiting import eventually

TOPICS = ("due", "offers")
CUT = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%leases%' AND pid <> pg_backend_pid()
"""


async def test_a_node_that_could_not_hear_is_told_everything_when_it_can_again(dsn: str) -> None:
    pool, heard = Pool(dsn, size=2), defaultdict[str, list[str]](list)
    await pool.open()
    one, other = PostgresCoordinator(pool), PostgresCoordinator(pool)
    try:
        for topic in TOPICS:
            one.listen(topic, heard[topic].append)
        await one.members()
        assert not any(heard.values()), "at the beginning there is nothing to make up for"
        other.send("due", "7")
        await eventually(lambda: heard["due"] == ["7"])
        assert (await pool.row(CUT))[0] == 1

        async def again() -> bool:
            try:
                await one.members()
            except StoreAway:
                return False
            return True

        await eventually(again)
        assert heard == {"due": ["7", EVERYTHING], "offers": [EVERYTHING]}
    finally:
        await one.close()
        await other.close()
        await pool.close()


async def test_a_hint_that_could_not_be_sent_is_sent_as_everything_later(dsn: str) -> None:
    pool, away, heard = Pool(dsn, size=2), Pool("postgresql://nobody@127.0.0.1:1/none", size=1), list[str]()
    await pool.open()
    one, other = PostgresCoordinator(pool), PostgresCoordinator(pool)
    try:
        one.listen("due", heard.append)
        await one.members()
        other._line._pool = away
        other.send("due", "7")
        await eventually(lambda: other._undelivered == {"due"})
        other._line._pool = pool
        other.send("due", "8")
        await eventually(lambda: EVERYTHING in heard)
        assert set(heard) <= {"8", EVERYTHING}
    finally:
        await one.close()
        await other.close()
        await pool.close()


async def test_the_first_hint_goes_at_once_and_the_next_ones_together(dsn: str) -> None:
    pool, heard, loop = Pool(dsn, size=2), list[str](), asyncio.get_running_loop()
    await pool.open()
    one, other = PostgresCoordinator(pool), PostgresCoordinator(pool)
    try:
        one.listen("due", heard.append)
        await one.members()
        other.send("due", "7")
        assert other._sender is not None
        assert other._sender.when() <= loop.time()
        await eventually(lambda: other._sender is None)
        sent_at = loop.time()
        for flow in ("8", "9"):
            other.send("due", flow)
        assert other._sender.when() <= sent_at + HINT_SPACING
        await eventually(lambda: heard == ["7", "8,9"])
    finally:
        await one.close()
        await other.close()
        await pool.close()
