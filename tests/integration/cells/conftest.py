"""Engines on two real databases."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from harness.cells import CellEngines, TurnedClock, prepare, several_config
from harness.database import TestServer


@pytest.fixture
async def dsns(server: TestServer) -> AsyncIterator[list[str]]:
    """Two fresh, migrated databases."""
    made = [await server.fresh(), await server.fresh()]
    yield made
    for dsn in made:
        await server.drop(dsn)


@pytest.fixture
async def cells(dsns: list[str]) -> AsyncIterator[CellEngines]:
    """A whole engine on two databases, each with half of the shards."""
    config = several_config(dsns)
    await prepare(config)
    made = await CellEngines(config, TurnedClock()).start()
    yield made
    await made.stop()
