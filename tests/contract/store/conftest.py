"""Every test of this suite runs on every implementation of the store, with the same words."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contract.store.place import PLACES, Place
from harness.database import TestServer, postgres_programs

ON_A_GIVEN_SERVER = [name for name, place in PLACES.items() if place.needs_server or not postgres_programs()]
"""Without the implementations for which the server makes no difference, where a server to test on is given."""


@pytest.fixture(params=ON_A_GIVEN_SERVER)
def kind(request: pytest.FixtureRequest) -> tuple[type[Place], TestServer | None]:
    """An implementation, with the real server where it needs one: that is started before there is a loop."""
    chosen = PLACES[request.param]
    return chosen, request.getfixturevalue("server") if chosen.needs_server else None


@pytest.fixture
async def place(kind: tuple[type[Place], TestServer | None]) -> AsyncIterator[Place]:
    """An empty store with one user and one node that owns every shard."""
    chosen, server = kind
    async with chosen.opened(server) as made:
        yield made
