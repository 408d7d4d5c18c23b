"""The store in memory and the real one: every test of this suite runs on both, with the same words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contract.store.place import MemoryPlace, Place, PostgresPlace
from harness.database import TestServer


@pytest.fixture(params=["memory", "postgres"])
def real(request: pytest.FixtureRequest) -> TestServer | None:
    """The real server, started before there is a loop; None for the store in memory."""
    return request.getfixturevalue("server") if request.param == "postgres" else None


@pytest.fixture
async def place(real: TestServer | None) -> AsyncIterator[Place]:
    """An empty store with one user and one node that owns every shard."""
    if real is None:
        yield await MemoryPlace().prepare()
        return
    made = PostgresPlace(await real.fresh())
    try:
        yield await made.open()
    finally:
        await made.close()
        await real.drop(made.dsn)
