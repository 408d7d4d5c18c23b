"""Two clusters on one database by mistake, and machines with a wild clock: refused with a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.coordination.postgres import PostgresCoordinator
from duetime.model.errors import ConfigError
from duetime.postgres.pool import Pool
from duetime.wiring.identity import check_clock, check_cluster


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    made = Pool(dsn, size=2)
    await made.open()
    yield made
    await made.close()


async def test_the_first_name_is_the_clusters_and_another_is_refused(pool: Pool, tmp_path: Path) -> None:
    await check_cluster(pool, Config(), tmp_path)
    await check_cluster(pool, Config(cluster="blue"), tmp_path)
    await check_cluster(pool, Config(cluster="blue"), tmp_path)
    await check_cluster(pool, Config(), tmp_path)
    with pytest.raises(ConfigError, match=r"belongs to the cluster 'blue', and .* configured for .* 'green'"):
        await check_cluster(pool, Config(cluster="green"), tmp_path)


async def test_a_data_directory_knows_its_database_again(pool: Pool, tmp_path: Path) -> None:
    await check_cluster(pool, Config(), tmp_path)
    await check_cluster(pool, Config(), tmp_path)
    await pool.run("UPDATE cluster SET id = gen_random_uuid()")
    with pytest.raises(ConfigError, match="point this node to its own database"):
        await check_cluster(pool, Config(), tmp_path)
    (tmp_path / "cluster").unlink()
    await check_cluster(pool, Config(), tmp_path)
    await check_cluster(pool, Config(), tmp_path / "not made")
    assert not (tmp_path / "not made").exists()


async def test_one_cluster_has_one_judge_of_leases(pool: Pool, tmp_path: Path) -> None:
    coordinator = PostgresCoordinator(pool)
    try:
        node = await coordinator.join("node", ("scheduler",), "0", 60.0)
        with pytest.raises(ConfigError, match="keep their leases in postgres"):
            await check_cluster(pool, Config(coordinator="etcd"), tmp_path)
        await coordinator.leave(node)
        await check_cluster(pool, Config(coordinator="etcd"), tmp_path)
        node = await coordinator.join("node", ("scheduler",), "0", 60.0)
        await coordinator.confirm(node)
        with pytest.raises(ConfigError, match="keep their leases in etcd"):
            await check_cluster(pool, Config(), tmp_path)
    finally:
        await coordinator.close()


@pytest.mark.parametrize(("hours", "words"), [(-2, "2:00:00 ahead of"), (2, "2:00:00 behind")])
async def test_a_machine_with_a_wild_clock_does_not_start(hours: float, words: str) -> None:
    async def database() -> datetime:
        return datetime.now(UTC) + timedelta(hours=hours)

    clock = SystemClock(database)
    await clock.measure()
    with pytest.raises(ConfigError, match=f"This machine's clock is {words} the database's"):
        check_clock(clock, Config())
    check_clock(clock, Config(max_clock_skew=3 * 3600.0))


async def test_an_ordinary_clock_is_good_enough(pool: Pool) -> None:
    clock = SystemClock(pool.clock)
    await clock.measure()
    check_clock(clock, Config(max_clock_skew=1.0))
