"""Real processes for the acceptance suite: one Duetime and one sink that tests share, and others of their own."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack

import pytest

from harness.calls import Api, calling
from harness.process import DuetimeProcess, running_duetime
from harness.sink import Sink, running_sink

StartDuetime = Callable[..., DuetimeProcess]


@pytest.fixture(scope="session")
def shared_duetime() -> Iterator[DuetimeProcess]:
    """One Duetime for all tests that do it no harm."""
    with running_duetime() as process:
        yield process


@pytest.fixture(scope="session")
def sink() -> Iterator[Sink]:
    """One sink for all tests; each uses paths of its own."""
    with running_sink() as running:
        yield running


@pytest.fixture
def start_duetime() -> Iterator[StartDuetime]:
    """Starts a Duetime of the test's own, with options of `duetime up`; it is ended after the test."""
    with ExitStack() as stack:

        def start(*options: str, **env: str) -> DuetimeProcess:
            return stack.enter_context(running_duetime(*options, env=env))

        yield start


@pytest.fixture
async def anyone(shared_duetime: DuetimeProcess) -> AsyncIterator[Api]:
    """A caller of the shared Duetime without a token."""
    async with calling(shared_duetime.url) as api:
        yield api


@pytest.fixture
async def ada(anyone: Api) -> Api:
    """A new user of the shared Duetime, logged in."""
    return await anyone.new_user("ada")


@pytest.fixture
async def admin(anyone: Api) -> Api:
    """The administrator of the shared Duetime."""
    return await anyone.admin()


@pytest.fixture
def path(request: pytest.FixtureRequest) -> str:
    """A path at the sink that is this test's own."""
    return "/" + re.sub(r"[^A-Za-z0-9]+", "-", request.node.name)
