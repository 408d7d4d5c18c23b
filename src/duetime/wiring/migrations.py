"""Brings the schema of every database up to date, and registers several databases as one cluster."""

from __future__ import annotations

import structlog

from duetime.config import Config
from duetime.config.databases import initial_shards
from duetime.model.errors import StoreAway
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.register import Candidate, check_alone, register

log = structlog.get_logger()


async def migrate_and_register(config: Config, home: Pool) -> list[str]:
    """Bring every schema up to date. Returns the names of the applied migrations.

    A database that cannot be reached is left out; it is migrated at a later start.
    """
    applied = await apply_migrations(home)
    if not config.several:
        await check_alone(home)
        return applied
    pools: list[Pool | None] = [home]
    try:
        for number, one in enumerate(config.databases[1:], 1):
            pool = Pool(one.dsn, size=2)
            try:
                await pool.open()
                applied += [f"{name} (database {number})" for name in await apply_migrations(pool)]
                pools.append(pool)
            except StoreAway:
                await pool.close()
                pools.append(None)
                log.warning("a database cannot be reached: it is not migrated now", database=number)
        shards = initial_shards(config)
        candidates = [
            Candidate(number, pool, None if shards is None else shards[number]) for number, pool in enumerate(pools)
        ]
        for sentence in await register(candidates):
            log.warning(sentence)
    finally:
        for pool in pools[1:]:
            if pool is not None:
                await pool.close()
    return applied
