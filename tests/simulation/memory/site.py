"""The coordinator in memory as a site of the coordinators' conformance suite (tests/contract/coordination)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from contract.coordination.sites import launch_new
from duetime.model.ids import NodeId
from simulation.memory.coordinator import MemoryCoordinator
from simulation.memory.launch import MemoryLaunch
from simulation.memory.link import DirectLink
from simulation.memory.submit import MemorySubmit
from simulation.memory.tables import Tables


class MemorySite:
    """One store in memory, judged by the clock of this machine."""

    ttl = 0.2

    def __init__(self) -> None:
        self.tables = Tables(lambda: datetime.now(UTC))

    def coordinator(self) -> MemoryCoordinator:
        """One more node's coordinator."""
        return MemoryCoordinator(self.tables, DirectLink())

    async def launch(self, node: NodeId, shard: int, term: int) -> bool:
        """Try to commit a launch of a new job in a node's name; whether it was."""
        link = DirectLink()
        return await launch_new(MemorySubmit(self.tables, link), MemoryLaunch(self.tables, link), node, shard, term)

    @asynccontextmanager
    async def launching(self, node: NodeId) -> AsyncIterator[None]:
        """Nothing here is ever in the middle of a commit."""
        pytest.skip("In memory nothing is ever in the middle of a commit.")
        yield

    async def terms(self) -> list[int]:
        """The term of each shard."""
        return [shard.term for shard in self.tables.shards]

    async def forget(self, node: NodeId) -> None:
        """Let a node's lease run out now."""
        self.tables.leases[node].until = self.tables.clock() - timedelta(seconds=1)
