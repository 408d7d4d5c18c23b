"""`HolderStore` in memory: leases of workers, beside those of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from duetime.model.ids import NodeId
from simulation.memory.link import Link
from simulation.memory.tables import Member, Tables


class MemoryHolders:
    """Leases of workers."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def join(self, name: str, ttl: float) -> NodeId:
        """A new holder with a lease."""
        return await self._link.call("join", lambda: _join(self._tables, name, ttl))

    async def renew(self, holders: Sequence[int], ttl: float) -> set[int]:
        """Prolong leases."""
        return await self._link.call("renew", lambda: _renew(self._tables, holders, ttl))

    async def leave(self, holder: NodeId) -> None:
        """End a lease at once."""
        await self._link.call("leave", lambda: self._tables.leases.pop(holder, None))


def _join(tables: Tables, name: str, ttl: float) -> NodeId:
    holder = NodeId(tables.number("node"))
    tables.node_names[holder] = name
    tables.leases[holder] = Member(holder, name, ("worker",), tables.clock() + timedelta(seconds=ttl))
    return holder


def _renew(tables: Tables, holders: Sequence[int], ttl: float) -> set[int]:
    standing = {holder for holder in holders if holder in tables.leases}
    for holder in standing:
        tables.leases[holder].until = tables.clock() + timedelta(seconds=ttl)
    return standing
