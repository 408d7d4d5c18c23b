"""A cluster on several databases. The second one crashes and comes back, the last one has a synchronous standby."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import asyncpg

from chaos.cluster import SETTINGS, Cluster
from chaos.proxy import Mode, Proxy
from chaos.standby import Pair
from duetime.store.postgres.embedded import EmbeddedServer
from harness.database import postgres_programs

SHARDS = 1024


class Ways(Proxy):
    """The proxies of one node to all databases: a fault of the node's network strikes all of them."""

    def __init__(self, ways: list[Proxy]) -> None:
        super().__init__(Path())
        self._ways = ways

    @property
    def happened(self) -> Counter[str]:
        """How often each fault really happened."""
        return sum((way.happened for way in self._ways), Counter[str]())

    @happened.setter
    def happened(self, given: Counter[str]) -> None:
        """Each proxy counts for itself."""

    async def stop(self) -> None:
        for way in self._ways:
            await way.stop()

    def set(self, mode: Mode, latency: float = 0.0) -> None:
        for way in self._ways:
            way.set(mode, latency)

    def heal(self) -> None:
        for way in self._ways:
            way.heal()

    def reset(self) -> None:
        for way in self._ways:
            way.reset()

    def cut_after_commit(self, times: int) -> None:
        for way in self._ways:
            way.cut_after_commit(times)


class CellsCluster(Cluster):
    """Nodes on `count` databases with equal parts of the shards."""

    count = 3

    def __init__(self, directory: Path, server: EmbeddedServer) -> None:
        super().__init__(directory, server)
        self.parts: list[Cluster] = [Cluster(directory, server)]
        for number in range(1, self.count):
            beside = directory / f"cell{number}"
            beside.mkdir()
            kind = Pair if number == self.count - 1 else Cluster
            self.parts.append(kind(beside, EmbeddedServer(beside / "pg", SETTINGS, postgres_programs())))

    @property
    def dsns(self) -> list[str]:
        """The DSNs of all databases, without proxies."""
        return [part.dsn for part in self.parts]

    async def start_database(self) -> None:
        """Start every database."""
        for part in self.parts:
            await part.start_database()

    async def way_to_database(self) -> tuple[Proxy, str]:
        """Proxies for one node, and the list of DSNs that uses them."""
        made = [await part.way_to_database() for part in self.parts]
        edges = [SHARDS * at // len(made) for at in range(len(made) + 1)]
        listed = [{"dsn": dsn, "shards": f"{edges[at]}-{edges[at + 1] - 1}"} for at, (_, dsn) in enumerate(made)]
        return Ways([way for way, _ in made]), json.dumps(listed)

    async def restart_database(self) -> int:
        """Kill the second database's server, and start it again."""
        return await self.parts[1].restart_database()

    async def fail_over(self, seconds: float) -> int:
        """Lose the last database's primary, and promote its standby."""
        return await self.parts[-1].fail_over(seconds)

    async def terminate_backends(self) -> int:
        """End every session of every node, in all databases."""
        return sum(await asyncio.gather(*(part.terminate_backends() for part in self.parts)))

    async def values(self, query: str, *arguments: Any) -> list[Any]:
        """One value from each database."""
        found: list[Any] = []
        for dsn in self.dsns:
            connection = await asyncpg.connect(dsn)
            try:
                found.append(await connection.fetchval(query, *arguments))
            finally:
                await connection.close()
        return found

    async def end_database(self) -> None:
        """Stop every server."""
        for part in self.parts:
            await part.end_database()


def of_cells(count: int) -> type[Cluster]:
    """The kind of a cluster with so many databases."""
    return Cluster if count == 1 else type(f"Cells{count}", (CellsCluster,), {"count": count})
