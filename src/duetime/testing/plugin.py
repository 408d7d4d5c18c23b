"""The pytest plugin: the fixture `duetime`. It is loaded wherever Duetime is installed, and imports it when used."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from duetime.testing.databases import TestDatabases
    from duetime.testing.instance import DuetimeInstance
    from duetime.work import Duetime


@pytest.fixture
def duetime_app() -> Duetime:
    """The app whose tasks the worker of a test runs. Define this fixture in conftest.py to return your own."""
    from duetime.work import Duetime

    return Duetime(name="test")


@pytest.fixture
def duetime_start() -> datetime:
    """The instant at which the clock of a test starts. Define this fixture to choose another."""
    return datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def duetime_databases() -> Iterator[TestDatabases]:
    """One PostgreSQL server for all tests of the session."""
    from duetime.testing.databases import TestDatabases
    from duetime.wiring.loop_thread import CallThread

    # Not below pytest's own directory: the path of a Unix socket must be short.
    directory = Path(tempfile.mkdtemp(prefix="duetime-test-"))
    thread = CallThread("duetime-databases")
    databases = TestDatabases(directory / "pg")
    thread.run(databases.start)
    try:
        yield databases
    finally:
        thread.run(databases.stop)
        thread.close()
        shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def duetime(
    duetime_app: Duetime, duetime_start: datetime, duetime_databases: TestDatabases
) -> Iterator[DuetimeInstance]:
    """A server with a worker for the app, on a database of its own, with a clock that the test advances."""
    from duetime.testing.instance import DuetimeInstance
    from duetime.wiring.loop_thread import CallThread

    thread = CallThread("duetime-test")
    dsn = thread.run(duetime_databases.fresh)
    directory = Path(tempfile.mkdtemp(prefix="duetime-test-"))
    instance = DuetimeInstance(dsn, duetime_app, duetime_start, directory / "data")
    try:
        thread.run(instance.start)
        yield instance
    finally:
        thread.run(instance.stop)
        thread.run(lambda: duetime_databases.drop(dsn))
        thread.close()
        shutil.rmtree(directory, ignore_errors=True)
