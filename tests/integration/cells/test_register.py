"""Databases remember which one of a cluster each is; a list that mixes them up is refused with a sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from duetime.model.errors import ConfigError
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.register import check_alone
from harness.cells import CellEngines, TurnedClock, prepare, several_config
from harness.database import TestServer
from harness.engine import Engine


async def test_a_list_in_another_order_or_with_another_database_is_refused(dsns: list[str], server: TestServer) -> None:
    await prepare(several_config(dsns))
    await prepare(several_config(dsns))
    with pytest.raises(ConfigError, match="The first database of the list is number 1"):
        await prepare(several_config(dsns[::-1], (None, None)))
    fresh = await server.fresh()
    try:
        with pytest.raises(ConfigError, match=r"Database 1 of the list is no part of a cluster"):
            await prepare(several_config([dsns[0], fresh]))
    finally:
        await server.drop(fresh)


async def test_nodes_that_start_together_for_the_first_time_found_one_cluster(dsns: list[str]) -> None:
    pools = [Pool(dsn, size=2) for dsn in dsns]
    for pool in pools:
        await pool.open()
        await apply_migrations(pool)
        await pool.close()
    await asyncio.gather(*(prepare(several_config(dsns)) for _ in range(6)))
    await prepare(several_config(dsns))


async def test_one_of_several_is_not_worked_with_alone(dsns: list[str]) -> None:
    await prepare(several_config(dsns))
    for number, dsn in enumerate(dsns):
        pool = Pool(dsn, size=2)
        await pool.open()
        try:
            with pytest.raises(ConfigError, match=f"number {number} of 2 of a cluster"):
                await check_alone(pool)
        finally:
            await pool.close()


async def test_a_shorter_list_is_refused(dsns: list[str], server: TestServer) -> None:
    third = await server.fresh()
    try:
        await prepare(several_config([*dsns, third], ("0-511", "512-1000", "1001-1023")))
        with pytest.raises(ConfigError, match="The cluster has 3 databases, and 2 are listed"):
            await prepare(several_config(dsns, (None, None)))
    finally:
        await server.drop(third)


async def test_a_database_in_use_is_neither_split_nor_taken_in(dsns: list[str]) -> None:
    engine = await Engine(dsns[0], TurnedClock()).start()
    user = await engine.user()
    for _ in range(4):
        await engine.submit.many([engine.job(user, after=60) for _ in range(600)])
    await engine.ownership.leave()
    await engine.stop()
    with pytest.raises(ConfigError, match="jobs or schedules in shards 512-1023"):
        await prepare(several_config(dsns))
    with pytest.raises(ConfigError, match="Database 1 has users or jobs of its own"):
        await prepare(several_config(dsns[::-1]))
    await prepare(several_config(dsns, ("0-1023", None)))
    cells = await CellEngines(several_config(dsns, ("0-1023", None)), TurnedClock()).start()
    try:
        assert cells.ownership.count == 1024
        assert await cells.count_in(1, "jobs") == 0
    finally:
        await cells.stop()


async def test_a_node_starts_while_another_database_than_home_is_away(dsns: list[str], tmp_path: Path) -> None:
    """The second is reached by a way that can be taken away."""
    database, sockets = dsns[1].split("?host=")
    way = tmp_path / "way"
    way.symlink_to(sockets)
    config = several_config([dsns[0], f"{database}?host={way}"])
    await prepare(config)
    way.unlink()
    await prepare(config)
    cells = await CellEngines(config, TurnedClock()).start()
    try:
        assert (cells.ownership.count, cells.routed.health()[1].answers) == (512, False)
        user = await cells.user()
        assert await cells.add(user) & 1023 < 512
        way.symlink_to(sockets)
        await cells.back(1)
        await cells.look()
        assert cells.ownership.count == 1024
    finally:
        await cells.stop()
