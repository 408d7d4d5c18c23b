"""`duetime check` finds what `duetime up` refuses, all of it at once, and changes nothing."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetime.config import Config
from duetime.config.tree import EtcdConfig
from duetime.model.errors import ConfigError
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import migrations
from duetime.wiring import doctor, migrate_databases
from duetime.wiring.bootstrap import KEY_FILE
from duetime.wiring.data_directory import locked
from duetime.wiring.database import with_pool
from duetime.wiring.doctor import Finding
from harness.database import TestServer
from harness.process import duetime_directory


@pytest.fixture
def data() -> Iterator[Path]:
    with duetime_directory() as made:
        made.chmod(0o700)
        yield made


@pytest.fixture
def database(server: TestServer) -> Iterator[str]:
    """The DSN of a database without a schema."""
    asyncio.run(server.execute("CREATE DATABASE to_check"))
    yield server.dsn("to_check")
    asyncio.run(server.drop(server.dsn("to_check")))


def wrong(found: list[Finding]) -> dict[str, str]:
    return {one.name: one.text for one in found if not one.ok}


def right(found: list[Finding]) -> dict[str, str]:
    return {one.name: one.text for one in found if one.ok}


def refusal(config: Config) -> str:
    """The sentence of a start."""
    with pytest.raises(ConfigError) as caught:
        migrate_databases(config)
    return caught.value.message


def test_all_is_well_and_nothing_is_changed(database: str, data: Path) -> None:
    config = Config(database=database, data=data, port=0)
    found = doctor(config)
    assert not wrong(found)
    assert right(found)["schema"].startswith("At migration 0 of")
    assert set(data.iterdir()) <= {data / "lock"}
    migrate_databases(config)
    found = doctor(config)
    assert not wrong(found)
    assert right(found)["schema"] == f"At migration {len(migrations())} of {len(migrations())}."
    assert not (data / "cluster").exists()


def test_everything_that_is_wrong_is_found_at_once(database: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate_databases(Config(database=database, data=data))
    (data / KEY_FILE).write_text("short")
    monkeypatch.setenv("DUETIME_ADMIN_PASSWORD", "short")
    monkeypatch.setattr("duetime.clock.system.SystemClock.skew", 7200.0)
    (data / "cluster").write_text("another cluster's\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        etcd = EtcdConfig(endpoints=("http://127.0.0.1:1",))
        found = wrong(doctor(Config(database=database, data=data, port=port, coordinator="etcd", etcd=etcd)))
    assert f"Cannot listen on 127.0.0.1:{port}" in found["address"]
    assert "etcd cannot do" in found["coordinator"]
    assert f"{data / KEY_FILE} is too short for a signing key" in found["signing key"]
    assert "This machine's clock is 2:00:00 ahead" in found["clock"]
    assert f"{data} belongs to the cluster another cluster's" in found["cluster"]
    assert "DUETIME_ADMIN_PASSWORD is too short" in found["administrator"]


@pytest.mark.parametrize("migrated", [False, True])
def test_a_server_that_a_start_refuses_is_refused_with_the_same_words(
    server: TestServer, database: str, data: Path, monkeypatch: pytest.MonkeyPatch, migrated: bool
) -> None:
    config = Config(database=database, data=data, port=0)
    if migrated:
        migrate_databases(config)
    asyncio.run(server.execute("CREATE ROLE visitor LOGIN"))
    try:
        visiting = Config(database=database.replace("duetime@", "visitor@"), data=data, port=0)
        assert wrong(doctor(visiting)) == {"database": refusal(visiting)}
        assert "'visitor' may not create tables" in refusal(visiting)
    finally:
        asyncio.run(server.execute("DROP ROLE visitor"))
    monkeypatch.setattr("duetime.store.postgres.server.OLDEST_SERVER", 99)
    assert wrong(doctor(config)) == {"database": refusal(config)}
    assert "99 or later is needed" in refusal(config)


def test_a_schema_of_a_newer_release_is_refused_with_the_same_words(database: str, data: Path) -> None:
    config = Config(database=database, data=data, port=0)
    migrate_databases(config)

    async def upgrade(pool: Pool) -> None:
        await pool.run("INSERT INTO schema_migrations (version, name, oldest_reader) VALUES (99, '0099_newer', 99)")

    with_pool(database, upgrade)
    (text,) = wrong(doctor(config)).values()
    assert text.startswith("The database has migration 0099_newer, made by a newer Duetime")


def test_a_directory_in_use_does_not_hide_the_rest(database: str, data: Path) -> None:
    with locked(data), socket.create_server(("127.0.0.1", 0)) as taken:
        given = Config(database=database, data=data, port=taken.getsockname()[1])
        found = doctor(given)
        assert wrong(found).keys() == {"data directory", "address"}
        assert {"database", "schema", "clock"} <= right(found).keys()
        alone = wrong(doctor(Config(data=data, port=0)))
        assert alone.keys() == {"data directory", "database"}
        assert "was not checked" in alone["database"]


def test_a_directory_that_others_can_write_to_or_that_is_anothers_is_refused(database: str, data: Path) -> None:
    ours = data / "ours"
    ours.mkdir()
    ours.chmod(0o777)
    link = data / "link"
    link.symlink_to(ours)
    expected = {ours: "every user may write to", link: "every user may write to"}
    if os.geteuid() == 0:
        theirs = data / "theirs"
        theirs.mkdir()
        planted = data / "planted"
        planted.symlink_to(data)
        os.chown(theirs, 54321, 54321)
        os.chown(planted, 54321, 54321, follow_symlinks=False)
        expected |= {theirs: "is a directory of another user", planted: "is a link of another user"}
    for path, said in expected.items():
        config = Config(database=database, data=path, port=0)
        assert said in wrong(doctor(config))["data directory"]
        assert said in refusal(config)
    assert list(ours.iterdir()) == []
