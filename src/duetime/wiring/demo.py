"""The demo on a running server: its past by the database, what goes on by the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from secrets import SystemRandom, token_urlsafe

from msgspec import Struct

from duetime.api.auth.passwords import hash_password
from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.demo.living import create_living
from duetime.demo.past import fill_past, remove_demo
from duetime.model.errors import ConfigError, StoreAway
from duetime.postgres.pool import Pool
from duetime.store.postgres.embedded import EmbeddedServer


class Demo(Struct, frozen=True):
    """What was created: the password of all its users, and how many records, schedules and jobs each has."""

    password: str
    past: dict[str, int]
    living: dict[str, int]


def make_demo(config: Config, url: str) -> Demo:
    """Create the users of the demo with a week behind them and work ahead of them."""
    return asyncio.run(_make(config, url))


def clear_demo(config: Config) -> int:
    """Remove the users of the demo with everything they have. Returns how many there were."""

    async def remove() -> int:
        async with _opened(config) as pool:
            return await remove_demo(pool)

    return asyncio.run(remove())


async def _make(config: Config, url: str) -> Demo:
    password = token_urlsafe(9)
    async with _opened(config) as pool:
        clock = SystemClock(pool.clock)
        await clock.measure()
        now = clock.now()
        past = await fill_past(pool, hash_password(password), now, SystemRandom().random)
        return Demo(password, past, await create_living(url, password, now))


@asynccontextmanager
async def _opened(config: Config) -> AsyncGenerator[Pool]:
    """Connects to the database of a server that runs."""
    if config.several:
        raise ConfigError("The demo is for a server with one database.")
    pool = Pool(config.home or EmbeddedServer(config.data / "postgres").dsn, size=2)
    try:
        await pool.open()
        if not await pool.rows("SELECT FROM information_schema.tables WHERE table_name = 'activity'"):
            raise ConfigError("The database has no schema of this release: start 'duetime up' first.")
        yield pool
    except StoreAway as error:
        where = "--database" if config.home else "--data"
        raise ConfigError(
            f"The database cannot be reached ({error.message}): start 'duetime up' first, or name it with {where}."
        ) from None
    finally:
        await pool.close()
