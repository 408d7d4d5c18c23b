"""The embedded server: private, whatever other users of the machine prepare, and without this process's secrets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from duetime.model.errors import EmbeddedServerError
from duetime.store.postgres.embedded import LONGEST_SOCKET_DIRECTORY, EmbeddedServer
from duetime.store.postgres.private_directory import make_private
from harness.database import postgres_programs
from harness.process import duetime_directory

SMALL = {"shared_buffers": "16MB", "fsync": "off"}
STRANGER = 54321


@pytest.fixture
def directory() -> Iterator[Path]:
    with duetime_directory() as made:
        yield made


def facts(path: Path) -> tuple[int, int, list[Path]]:
    """The owner, the mode and the content of a directory."""
    found = path.stat()
    return found.st_uid, stat.S_IMODE(found.st_mode), sorted(path.iterdir())


def variables(pid: int | None) -> bytes:
    """The environment that a process was started with."""
    return Path(f"/proc/{pid}/environ").read_bytes()


def test_a_link_in_the_place_of_its_directory_is_refused_and_what_it_leads_to_is_left_alone(directory: Path) -> None:
    victim = directory / "victim"
    victim.mkdir(mode=0o755)
    (victim / "file").touch()
    (directory / "pg").symlink_to(victim)
    before = facts(victim)
    with pytest.raises(EmbeddedServerError, match="pg is a link"):
        EmbeddedServer(directory / "pg", SMALL, postgres_programs()).start()
    assert facts(victim) == before


def test_a_directory_of_another_user_is_refused_and_left_alone(directory: Path) -> None:
    theirs = Path("/usr")
    if os.geteuid() == 0:
        theirs = directory / "theirs"
        theirs.mkdir(mode=0o755)
        os.chown(theirs, STRANGER, STRANGER)
    before = facts(theirs)
    with pytest.raises(EmbeddedServerError, match="belongs to another user"):
        make_private(theirs, None)
    assert facts(theirs) == before


def test_a_link_in_the_place_of_its_log_is_not_followed(directory: Path) -> None:
    victim = directory / "victim"
    victim.write_text("precious")
    (directory / "pg").mkdir(mode=0o700)
    (directory / "pg" / "postgres.log").symlink_to(victim)
    with pytest.raises(EmbeddedServerError, match=r"Cannot write to .*postgres\.log"):
        EmbeddedServer(directory / "pg", SMALL, postgres_programs()).start()
    assert victim.read_text() == "precious"


async def test_with_a_long_path_its_socket_is_where_nobody_can_wait_for_it(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the server receives none of the variables that this process was given."""
    monkeypatch.setenv("DUETIME_ADMIN_PASSWORD", "hunter2 hunter2")
    sockets = directory / "sockets"
    sockets.mkdir(mode=0o755)
    monkeypatch.setattr("tempfile.tempdir", str(sockets))
    far = directory / ("d" * LONGEST_SOCKET_DIRECTORY)
    server = EmbeddedServer(far, SMALL, postgres_programs())
    for _ in range(2):
        server.start()
        try:
            (made,) = sockets.iterdir()
            assert facts(made)[:2] == (facts(far)[0], 0o700)
            environment = variables(server.pid)
            assert b"DUETIME" not in environment
            assert b"hunter2" not in environment
            connection = await asyncpg.connect(server.dsn)
            assert await connection.fetchval("SELECT 1") == 1
            await connection.close()
        finally:
            server.stop()
        assert not list(sockets.iterdir())


def test_programs_that_are_not_there_are_named(directory: Path) -> None:
    with pytest.raises(EmbeddedServerError, match=f"no program 'postgres' in {directory}: correct postgres.programs"):
        EmbeddedServer(directory / "pg", SMALL, directory).start()
