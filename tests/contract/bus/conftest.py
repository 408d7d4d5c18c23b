"""The buses that the conformance suite runs on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from contract.bus.sites import LocalSite, PostgresSite, Site
from duetime.postgres.pool import Pool

SLOTS = 5
BUSES: dict[str, type[Site]] = {"local": LocalSite, "postgres": PostgresSite}
OFFERING = ("postgres",)
"""The buses whose launches name no holder until an executor takes them."""


async def opened(bus: str, dsn: str, stack: AsyncExitStack) -> Site:
    pool = Pool(dsn, size=4)
    await pool.open()
    stack.push_async_callback(pool.close)
    return await BUSES[bus](pool, SLOTS).open(stack)


@pytest.fixture(params=BUSES)
async def site(request: pytest.FixtureRequest, dsn: str) -> AsyncIterator[Site]:
    """A fresh site of each kind."""
    async with AsyncExitStack() as stack:
        yield await opened(request.param, dsn, stack)


@pytest.fixture(params=OFFERING)
async def offering(request: pytest.FixtureRequest, dsn: str) -> AsyncIterator[Site]:
    """A fresh site of each kind that offers launches."""
    async with AsyncExitStack() as stack:
        yield await opened(request.param, dsn, stack)
