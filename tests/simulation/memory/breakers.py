"""`BreakerStore` in memory."""

from __future__ import annotations

from duetime.model.ids import NodeId
from duetime.store.port import BrokenHost
from simulation.memory.link import Link
from simulation.memory.tables import Tables


class MemoryBreakers:
    """Breakers made visible."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def opened(self, node: NodeId, broken: BrokenHost) -> None:
        """A breaker opened."""
        key = (broken.flow, node)
        return await self._link.call("opened", lambda: self._tables.broken_hosts.update({key: broken}))

    async def closed(self, node: NodeId, flow: int) -> None:
        """A breaker closed."""
        await self._link.call("closed", lambda: self._tables.broken_hosts.pop((flow, node), None))

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """The hosts that living schedulers take to be down for a user, each once."""
        return await self._link.call("broken_hosts", lambda: _broken_hosts(self._tables, user_id))


def _broken_hosts(tables: Tables, user_id: int) -> list[BrokenHost]:
    merged: dict[tuple[int, str], BrokenHost] = {}
    for (flow, node), one in tables.broken_hosts.items():
        if one.user_id != user_id or node not in tables.leases:
            continue
        other = merged.get((flow, one.host), one)
        merged[flow, one.host] = BrokenHost(
            flow, user_id, one.host, max(one.failures, other.failures), min(one.opened_at, other.opened_at)
        )
    return sorted(merged.values(), key=lambda one: one.host)
