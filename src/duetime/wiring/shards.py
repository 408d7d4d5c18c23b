"""Shows which database each shard lives in, and moves shards. Works on the databases, whether nodes run or not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from msgspec import Struct

from duetime.cells.mover import Moved, Mover, Side
from duetime.clock.system import SystemClock
from duetime.config import Config, mask_dsn
from duetime.model.errors import ConfigError, Invalid, StoreAway
from duetime.model.shard_ranges import written_shards
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import state
from duetime.store.postgres.moves import PostgresMoves
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.placement import PostgresPlacement
from duetime.store.postgres.register import EVERY, check_identity


class DatabaseShards(Struct, frozen=True):
    """One database, with the shards that live in it, leave it, and are expected in it."""

    database: int
    dsn: str
    answers: bool
    shards: str
    jobs: int | None
    leaving: str
    expected: str


def shards_by_database(config: Config) -> list[DatabaseShards]:
    """Every database with its shards. For one that cannot be reached, what the home database records."""
    return asyncio.run(_shards_by_database(config))


def move_shards(
    config: Config,
    shards: frozenset[int] | None,
    to: int | None,
    *,
    patience: float,
    dry_run: bool,
    announce: Callable[[str], None],
) -> list[Moved]:
    """Finish the moves that were interrupted, then move shards if some are given. Returns what was moved."""
    _need_several(config)
    if to is not None and not 0 <= to < len(config.databases):
        raise Invalid(f"There is no database {to}: databases are numbered from 0 to {len(config.databases) - 1}.")
    return asyncio.run(_move(config, shards, to, patience=patience, dry_run=dry_run, announce=announce))


async def _move(
    config: Config,
    shards: frozenset[int] | None,
    to: int | None,
    *,
    patience: float,
    dry_run: bool,
    announce: Callable[[str], None],
) -> list[Moved]:
    async with _sides(config) as (sides, clock):
        mover = Mover(sides, clock, patience=patience, announce=announce)
        if shards is None or to is None:
            return await mover.finish()
        if dry_run:
            for source, some in (await mover.plan(shards, to)).items():
                counts = await sides[source].moves.jobs_by_shard()
                jobs = sum(counts.get(shard, 0) for shard in some)
                announce(f"Would move shards {written_shards(some)} with {jobs} jobs from database {source} to {to}.")
            return []
        return await mover.move(shards, to)


@asynccontextmanager
async def _sides(config: Config) -> AsyncGenerator[tuple[list[Side], SystemClock]]:
    async with AsyncExitStack() as stack:
        pools: list[Pool] = []
        for number, one in enumerate(config.databases):
            pool = Pool(one.dsn, size=2)
            stack.push_async_callback(pool.close)
            try:
                await pool.open()
            except StoreAway as error:
                raise StoreAway(f"Database {number} ({mask_dsn(one.dsn)}): {error.message}") from error
            pools.append(pool)
        await _check(pools)
        clock = SystemClock(pools[0].clock)
        await clock.measure()
        yield [_side(number, pool) for number, pool in enumerate(pools)], clock


async def _check(pools: list[Pool]) -> None:
    schemas = {(await state(pool)).version for pool in pools}
    if len(schemas) > 1:
        raise ConfigError("The databases' schemas differ: bring them up to date with 'duetime migrate' first.")
    cluster = (await PostgresPlacement(pools[0]).placement()).cluster
    if cluster is None:
        raise ConfigError("These databases are not one cluster yet: start a node with this list first.")
    for number, pool in enumerate(pools):
        await check_identity(pool, number, cluster)


def _side(number: int, pool: Pool) -> Side:
    return Side(number, PostgresMoves(pool), PlacedSubmit(pool), PostgresPlacement(pool))


async def _shards_by_database(config: Config) -> list[DatabaseShards]:
    _need_several(config)
    found: list[DatabaseShards] = []
    homes: tuple[int, ...] = ()
    for number, one in enumerate(config.databases):
        pool = Pool(one.dsn, size=2)
        try:
            await pool.open()
            placement, moves = await PostgresPlacement(pool).placement(), PostgresMoves(pool)
            homes = placement.homes or homes
            found.append(
                DatabaseShards(
                    database=number,
                    dsn=mask_dsn(one.dsn),
                    answers=True,
                    shards=written_shards(EVERY - placement.away),
                    jobs=sum((await moves.jobs_by_shard()).values()),
                    leaving=written_shards(await moves.leaving()),
                    expected=written_shards(one.shard for one in await moves.arrivals()),
                )
            )
        except StoreAway:
            there = written_shards(shard for shard, home in enumerate(homes) if home == number)
            found.append(DatabaseShards(number, mask_dsn(one.dsn), False, there, None, "none", "none"))
        finally:
            await pool.close()
    return found


def _need_several(config: Config) -> None:
    if not config.several:
        raise ConfigError("There is one database, which has all shards: list several under 'databases' first.")
