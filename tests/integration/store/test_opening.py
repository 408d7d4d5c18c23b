"""A database that is there but cannot be used so, or is not there: said with its address, never with its password."""

from __future__ import annotations

import pytest

from duetime.model.errors import ConfigError, StoreAway
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import apply_migrations, check_version
from harness.database import TestServer


async def test_a_wrong_name_a_wrong_user_and_an_address_that_cannot_be_read(server: TestServer) -> None:
    right = server.dsn("duetime")
    for dsn, said in (
        (server.dsn("nowhere"), 'nowhere.* cannot be used: database "nowhere" does not exist.'),
        (
            right.replace("duetime@", "nobody:hunter2@"),
            r'nobody:\*\*\*@.* cannot be used: role "nobody" does not exist.',
        ),
        ("postgresql://duetime:hunter2@h:port/duetime", "cannot be used: its address cannot be read."),
        (f"{right}&sslmode=perhaps", "cannot be used: its address cannot be read."),
    ):
        with pytest.raises(ConfigError, match=said) as caught:
            await Pool(dsn, size=2).open()
        assert "hunter2" not in caught.value.message


async def test_one_that_is_away_is_named() -> None:
    with pytest.raises(StoreAway, match=r"postgresql://u:\*\*\*@127.0.0.1:1/d cannot be reached"):
        await Pool("postgresql://u:hunter2@127.0.0.1:1/d", size=2).open()


async def test_a_user_who_may_not_change_the_schema_is_told_what_to_do(server: TestServer) -> None:
    await server.execute("CREATE DATABASE locked")
    await server.execute("CREATE ROLE guest LOGIN")
    dsn = server.dsn("locked")
    pool = Pool(dsn.replace("duetime@", "guest@"), size=2)
    await pool.open()
    try:
        with pytest.raises(
            ConfigError, match=r"permission denied for schema public\): run 'duetime migrate' as a user who may"
        ):
            await apply_migrations(pool)
    finally:
        await pool.close()
        await server.drop(dsn)
        await server.execute("DROP ROLE guest")


def test_an_old_server_is_refused() -> None:
    check_version(18)
    with pytest.raises(ConfigError, match="is PostgreSQL 17, and 18 or later is needed"):
        check_version(17)
