"""A database that is there but cannot be used so, or is not there: said with its address, never with its password."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from duetime.clock.manual import ManualClock
from duetime.model.errors import ConfigError, StoreAway
from duetime.postgres.pool import SETTINGS, Pool
from duetime.store.postgres.migrate import apply_migrations, state
from duetime.store.postgres.server import check_version, untested
from harness.database import TestServer
from harness.engine import Engine


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
        for asked in (apply_migrations, state):
            with pytest.raises(ConfigError, match="'guest' may not create tables in the schema 'public': connect as"):
                await asked(pool)
        await server.execute("GRANT duetime TO guest")
        await apply_migrations(pool)
    finally:
        await pool.close()
        await server.drop(dsn)
        await server.execute("DROP ROLE guest")


async def test_a_user_who_may_create_tables_but_does_not_own_those_that_are_there_is_refused(
    server: TestServer, dsn: str
) -> None:
    """A node creates and drops a table for each day."""
    await server.execute("CREATE ROLE tenant LOGIN")
    owner = await asyncpg.connect(dsn)
    await owner.execute("GRANT ALL ON SCHEMA public TO tenant; GRANT ALL ON ALL TABLES IN SCHEMA public TO tenant")
    pool = Pool(dsn.replace("duetime@", "tenant@"), size=2)
    await pool.open()
    try:
        for asked in (apply_migrations, state):
            with pytest.raises(ConfigError, match="belong to 'duetime', and the user 'tenant' may not change them"):
                await asked(pool)
    finally:
        await pool.close()
        await owner.execute("DROP OWNED BY tenant; DROP ROLE tenant")
        await owner.close()


async def test_an_ordinary_user_who_owns_a_database_can_do_everything(server: TestServer) -> None:
    """As with managed services: no superuser, no further right."""
    await server.execute("CREATE ROLE plain LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
    await server.execute("CREATE DATABASE plain OWNER plain")
    dsn = server.dsn("plain")
    try:
        engine = Engine(dsn.replace("duetime@", "plain@"), ManualClock())
        await engine.pool.open()
        await apply_migrations(engine.pool)
        await engine.pool.close()
        await engine.start()
        try:
            await engine.retention.run_once()
            user = await engine.user()
            await engine.submit.many([engine.job(user) for _ in range(3)])
            await engine.settle_down()
            assert await engine.count("history") == 3
        finally:
            await engine.stop()
    finally:
        await server.drop(dsn)
        await server.execute("DROP ROLE plain")


async def test_a_session_whose_settings_do_not_arrive_is_refused(
    server: TestServer, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As behind a pooler that ignores them: statements would have plans that nobody has tested."""
    kept = {name: value for name, value in SETTINGS.items() if name != "enable_seqscan"}
    monkeypatch.setattr("duetime.postgres.pool.SETTINGS", kept)
    pool = Pool(dsn, size=2)
    await pool.open()
    try:
        for asked in (apply_migrations, state):
            with pytest.raises(ConfigError, match="setting enable_seqscan is 'on' instead of 'off': a pooler"):
                await asked(pool)
    finally:
        await pool.close()


@pytest.mark.parametrize("asked", [apply_migrations, state])
async def test_an_old_server_is_refused(
    dsn: str, monkeypatch: pytest.MonkeyPatch, asked: Callable[[Pool], Awaitable[object]]
) -> None:
    pool = Pool(dsn, size=2)
    await pool.open()
    try:
        await asked(pool)
        monkeypatch.setattr("duetime.store.postgres.server.OLDEST_SERVER", 99)
        with pytest.raises(ConfigError, match=r"is PostgreSQL \d\d, and 99 or later is needed"):
            await asked(pool)
    finally:
        await pool.close()


def test_every_version_that_upstream_supports_is_accepted_and_a_newer_one_with_a_note() -> None:
    with pytest.raises(ConfigError, match="is PostgreSQL 14, and 15 or later is needed"):
        check_version(14)
    for major in range(15, 21):
        check_version(major)
    assert [untested(major) for major in range(15, 19)] == [None] * 4
    assert untested(19) == "PostgreSQL 19 is newer than the versions that this Duetime is tested with (15 to 18)."
