"""Makes databases parts of one cluster. Each stores which one it is, so that a mix-up is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_hex
from typing import NamedTuple

from duetime.model.errors import ConfigError, StoreAway
from duetime.model.ids import SHARDS
from duetime.model.shard_ranges import written_shards
from duetime.postgres.pool import Pool
from duetime.store.cell_port import Placement
from duetime.store.postgres.placement import PostgresPlacement
from duetime.store.postgres.queries import sql

EVERY = frozenset(range(SHARDS))
LOCK = 0x6475655F6A6F696E
"""Nodes that start together for the first time register one after the other, so that they found one cluster."""


class Candidate(NamedTuple):
    """A database as the configuration lists it. It has no pool when it cannot be reached now."""

    number: int
    pool: Pool | None
    shards: frozenset[int] | None
    """The shards that it holds at first, if the configuration says so."""


async def check_alone(pool: Pool) -> None:
    """Refuse to work with one database of several as if it were the only one."""
    placement = await PostgresPlacement(pool).placement()
    if placement.cluster is not None:
        raise ConfigError(
            f"This database is number {placement.number} of {placement.databases} of a cluster: list all of them "
            "under 'databases'."
        )


async def register(candidates: Sequence[Candidate]) -> list[str]:
    """Make the databases one cluster, or check that they still are. Returns sentences about what differs."""
    home = candidates[0].pool
    if home is None:
        raise StoreAway("The home database, the first of the list, cannot be reached: it is needed to start.")
    async with home.acquired() as connection:
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
        try:
            return await _register(candidates, home)
        finally:
            await connection.execute("SELECT pg_advisory_unlock($1)", LOCK)


async def _register(candidates: Sequence[Candidate], home: Pool) -> list[str]:
    known = await PostgresPlacement(home).placement()
    if known.cluster is None:
        await _found(candidates, home)
        known = await PostgresPlacement(home).placement()
    if known.number != 0:
        raise ConfigError(f"The first database of the list is number {known.number} of the cluster: list it there.")
    if len(candidates) < known.databases:
        raise ConfigError(
            f"The cluster has {known.databases} databases, and {len(candidates)} are listed: list all of them."
        )
    for one in candidates[1:]:
        await _join(one, home, known)
    return _differences(candidates, known)


async def check_identity(pool: Pool, number: int, cluster: str | None) -> Placement:
    """Check that a database is the expected one of the cluster. Returns what it says about itself."""
    there = await PostgresPlacement(pool).placement()
    if there.cluster != cluster or there.number != number:
        what = "no part of a cluster" if there.cluster is None else f"number {there.number} of cluster {there.cluster}"
        raise ConfigError(
            f"Database {number} of the list is {what}, and not number {number} of cluster {cluster}: see that the "
            "list is in its former order, and that each DSN leads to the same database as before."
        )
    return there


async def _found(candidates: Sequence[Candidate], home: Pool) -> None:
    """Found the cluster: write into the home database where each shard lives."""
    shards = [one.shards for one in candidates]
    if all(one is None for one in shards):
        raise ConfigError('Say which shards each database holds at first, such as shards = "0-511".', key="databases")
    for one in candidates:
        if one.pool is None:
            raise StoreAway(f"Database {one.number} cannot be reached: the first time all of them are needed.")
        there = await PostgresPlacement(one.pool).placement()
        if there.cluster is not None:
            raise ConfigError(f"Database {one.number} is a part of another cluster: give it a database of its own.")
        if one.number:
            await _refuse_used(one.number, one.pool)
    away = EVERY - (shards[0] or frozenset())
    row = await home.row(sql("placement.strangers"), sorted(away))
    if row and row["found"]:
        raise ConfigError(
            f"The first database has jobs or schedules in shards {written_shards(away)}, which are to live elsewhere: "
            f'list it with shards = "0-{SHARDS - 1}" and the others without, start, and move them with '
            "'duetime shards move'."
        )
    homes = [0] * SHARDS
    for number, some in enumerate(shards):
        for shard in some or ():
            homes[shard] = number
    await _write(home, token_hex(8), 0, 1, away, homes)


async def _join(one: Candidate, home: Pool, known: Placement) -> None:
    new = one.number >= known.databases
    if one.pool is None:
        if new:
            raise StoreAway(f"Database {one.number} cannot be reached: the first time it is needed.")
        return
    if new and (await PostgresPlacement(one.pool).placement()).cluster is None:
        await _refuse_used(one.number, one.pool)
        homes = known.homes or ()
        here = frozenset(shard for shard, number in enumerate(homes) if number == one.number)
        if one.shards and one.shards != here:
            raise ConfigError(
                f"Database {one.number} is new, and shards {written_shards(one.shards)} live in others: list it "
                "without shards, start, and move them with 'duetime shards move'."
            )
        await _write(one.pool, known.cluster or "", one.number, one.number + 1, EVERY - here, None)
    await check_identity(one.pool, one.number, known.cluster)
    await home.run(sql("placement.extend"), one.number + 1)


async def _refuse_used(number: int, pool: Pool) -> None:
    row = await pool.row(sql("placement.used"))
    if row and row["used"]:
        raise ConfigError(f"Database {number} has users or jobs of its own: give it an empty database.")


async def _write(
    pool: Pool, cluster: str, number: int, databases: int, away: frozenset[int], homes: Sequence[int] | None
) -> None:
    async with pool.transaction() as connection:
        await connection.execute(sql("placement.register"), cluster, number, databases, sorted(away), homes)
        await connection.execute(sql("placement.set_away"), sorted(away))
        await connection.execute(sql("placement.adopt_names"))


def _differences(candidates: Sequence[Candidate], known: Placement) -> list[str]:
    found: list[str] = []
    for one in candidates:
        lives = frozenset(shard for shard, number in enumerate(known.homes or ()) if number == one.number)
        if one.shards is not None and one.shards != lives:
            found.append(
                f"Database {one.number} is listed with shards {written_shards(one.shards)}, and holds "
                f"{written_shards(lives)}: shards were moved, and the list can say so now."
            )
    return found
