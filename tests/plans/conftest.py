"""Where the engine of a budget stands: alone, beside another node, or in one cell of two. The budget is the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import pytest

from duetime.clock.manual import ManualClock
from duetime.model.user import UserChange
from harness.engine import Engine, WorkingBus

Layout = Literal["one node", "one of two nodes", "one of two cells"]


@pytest.fixture(params=["one node", "one of two nodes", "one of two cells"])
def layout(request: pytest.FixtureRequest) -> Layout:
    """Adding a node or a cell must change no statement's cost."""
    return request.param


@asynccontextmanager
async def working(layout: Layout, dsn: str, slots: int, *, heard: str = "") -> AsyncIterator[Engine]:
    """A whole engine with a real executor in its place. `heard` is another way to the same database, for it alone."""
    clock = ManualClock()
    made = await Engine(heard or dsn, clock, bus=WorkingBus(clock, slots), cell=layout == "one of two cells").start()
    other = await Engine(dsn, clock).start() if layout == "one of two nodes" else None
    if other is not None:
        await made.ownership.run_once()
        await other.ownership.run_once()
        assert 0 < made.ownership.count < 1024
    yield made
    await made.stop()
    if other is not None:
        await other.stop()


async def user_here(engine: Engine) -> int:
    """A user whose jobs are all in the shards that this engine owns."""
    user, held = await engine.user(), engine.ownership.held
    if not all(held):
        pins = tuple(shard for shard, mine in enumerate(held) if mine)
        await engine.stores.accounts.change_user(user, UserChange(pinned_to=pins), engine.clock.now(), user)
    return user
