"""The schema of every database, and the databases made known to each other."""

from __future__ import annotations

import structlog

from duetime.config import Config
from duetime.config.databases import initial_shards
from duetime.model.errors import StoreAway
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.pool import Pool
from duetime.store.postgres.register import Candidate, check_alone, register

log = structlog.get_logger()


async def migrate_all(config: Config, home: Pool) -> list[str]:
    """Bring every schema up to date; the migrations applied. A database that is away follows when it is back."""
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
                log.warning("a database is away: it is left as it is", database=number)
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
