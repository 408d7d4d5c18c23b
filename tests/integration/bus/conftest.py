"""Schedulers and executors apart, in the test's own process, on one real database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from duetime.clock.manual import ManualClock
from duetime.model.labels import spelled
from duetime.store.offer_port import Abilities
from harness.engine import Engine
from harness.waiting import eventually

Start = Callable[..., Awaitable["Apart"]]


class Apart(Engine):
    """A node of one role; the far end of its bus is the test."""

    async def report(self, free: int | None = None) -> None:
        """Say how many slots there are, as an executor does."""
        slots = self.bus.slots
        said = Abilities(slots, slots, slots if free is None else free, spelled(self.labels))
        await self.stores.offers.report(self.ownership.node, said, first=False)

    async def schedule(self) -> None:
        """Learn what executors report, and offer what is due."""
        await self.offers.run_once()
        await self.settle_down()

    async def work(self) -> int:
        """Take what is on offer, run it, record it; how much."""
        count = await self.take.run_once()
        await self.settle.drain()
        return count

    async def hears_of_the_end(self) -> None:
        """Wait until the scheduler knows of nothing that is out."""
        await eventually(lambda: not self.offers.out)

    async def lease_runs_out(self) -> None:
        await self.pool.run(
            "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", self.ownership.node
        )


@pytest.fixture
async def start(dsn: str) -> AsyncIterator[Start]:
    """Starts nodes on one database and one clock."""
    clock = ManualClock()
    async with AsyncExitStack() as stack:

        async def start_one(*roles: str, slots: int = 100, **labels: str) -> Apart:
            made = Apart(dsn, clock, slots=slots if "executor" in roles else 0, roles=roles, labels=labels)
            await made.start()
            stack.push_async_callback(made.stop)
            if "executor" in roles:
                await made.report()
            return made

        yield start_one


@pytest.fixture
async def scheduler(start: Start) -> Apart:
    """The one that owns all shards, and executes nothing."""
    return await start("scheduler")


@pytest.fixture
async def executor(start: Start) -> Apart:
    """One without labels."""
    return await start("executor")
