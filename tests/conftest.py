"""Fixtures that every suite shares."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import settings

from duetime.clock.manual import ManualClock
from harness.database import TestServer, running_server
from harness.engine import Engine
from harness.kafka import Broker, running_broker
from harness.wiretap import Wiretap, tapped

# Whoever runs the tests in the background may have SIGINT ignored, and every process that they start inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples at every run, so that the gate says the same twice; `HYPOTHESIS_PROFILE=explore` looks further.
settings.register_profile("gate", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


@pytest.fixture(scope="session")
def server() -> Iterator[TestServer]:
    """One real PostgreSQL for the session."""
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """One real Kafka broker for the session."""
    with running_broker() as running:
        yield running


@pytest.fixture
async def dsn(server: TestServer) -> AsyncIterator[str]:
    """A fresh, migrated database."""
    made = await server.fresh()
    yield made
    await server.drop(made)


@pytest.fixture
async def tap(dsn: str) -> AsyncIterator[Wiretap]:
    """A way to the database on which what is said can be heard."""
    async with tapped(dsn) as made:
        yield made


@pytest.fixture
async def engine(dsn: str) -> AsyncIterator[Engine]:
    """A whole engine on a fresh database, with a clock that stands still."""
    made = await Engine(dsn, ManualClock()).start()
    yield made
    await made.stop()
