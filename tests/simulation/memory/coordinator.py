"""`Coordinator` in memory: as the statements in sql/leases.sql, judged by the store's clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from duetime.coordination.port import Member as Living
from duetime.coordination.port import Owners
from duetime.model.ids import NodeId
from simulation.memory.link import Link
from simulation.memory.tables import Member, Tables


class MemoryCoordinator:
    """Leases and shards."""

    def __init__(self, tables: Tables, link: Link, told: Callable[[], None] = lambda: None) -> None:
        """`told` is called when shards became free: the hint that others get."""
        self._tables, self._link, self._told = tables, link, told

    async def join(self, name: str, roles: Sequence[str], version: str, ttl: float, standby: int = 0) -> NodeId:
        """Become a member with a lease."""
        return await self._link.call("join", lambda: _join(self._tables, name, tuple(roles), ttl, standby))

    async def renew(self, node: NodeId, ttl: float) -> bool:
        """Prolong the lease."""
        return await self._link.call("renew", lambda: _renew(self._tables, node, ttl))

    async def fence(self) -> list[int]:
        """Take away leases that ran out."""
        return await self._link.call("fence", lambda: _fence(self._tables))

    async def members(self) -> list[Living]:
        """The living schedulers."""
        return await self._link.call("members", lambda: _members(self._tables))

    async def owners(self) -> Owners:
        """The owner of each shard, dead or alive; 0 where nobody is."""
        shards = self._tables.shards
        return await self._link.call(
            "owners", lambda: Owners([shard.owner or 0 for shard in shards], [shard.term for shard in shards])
        )

    async def drain(self, node: NodeId, draining: bool) -> bool:
        """Say that a node is to own nothing, or that it may again."""
        known = await self._link.call("drain", lambda: _drain(self._tables, node, draining))
        self._told()
        return known

    async def acquire(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        """Take shards that are free."""
        return await self._link.call("acquire", lambda: _acquire(self._tables, node, sorted(shards)))

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        """Give shards back, and tell the others."""
        await self._link.call("release", lambda: _release(self._tables, node, sorted(shards)))
        self._told()

    async def leave(self, node: NodeId) -> None:
        """End the lease at once."""
        await self._link.call("leave", lambda: _leave(self._tables, node))
        self._told()


def _join(tables: Tables, name: str, roles: tuple[str, ...], ttl: float, standby: int) -> NodeId:
    node = NodeId(tables.number("node"))
    tables.node_names[node] = name
    tables.leases[node] = Member(node, name, roles, tables.clock() + timedelta(seconds=ttl), standby)
    tables.note("joined", node=node)
    tables.on_lease(node)
    return node


def _renew(tables: Tables, node: int, ttl: float) -> bool:
    lease = tables.leases.get(node)
    if lease is not None:
        lease.until = tables.clock() + timedelta(seconds=ttl)
        tables.on_lease(node)
    return lease is not None


def _fence(tables: Tables) -> list[int]:
    now = tables.clock()
    gone = [node for node, lease in tables.leases.items() if lease.until < now]
    for node in gone:
        del tables.leases[node]
        tables.note("fenced", node=node)
    return gone


def _members(tables: Tables) -> list[Living]:
    return [
        _living(lease, sum(shard.owner == lease.id for shard in tables.shards))
        for _, lease in sorted(tables.leases.items())
        if "scheduler" in lease.roles
    ]


def _living(lease: Member, shards: int) -> Living:
    known = {"id": lease.id, "name": lease.name, "shards": shards, "standby": lease.standby, "draining": lease.draining}
    return Living(**{name: known[name] for name in Living._fields})


def _drain(tables: Tables, node: int, draining: bool) -> bool:
    lease = tables.leases.get(node)
    if lease is not None:
        lease.draining = draining
    return lease is not None


def _acquire(tables: Tables, node: int, shards: Sequence[int]) -> dict[int, int]:
    if node not in tables.leases:
        return {}
    taken: dict[int, int] = {}
    for number in shards:
        shard = tables.shards[number]
        if shard.owner in (None, node) or shard.owner not in tables.leases:
            shard.owner, shard.term = node, shard.term + 1
            taken[number] = shard.term
            tables.note("taken", node=node, term=shard.term, shard=number)
    return taken


def _release(tables: Tables, node: int, shards: Sequence[int]) -> None:
    for number in shards:
        if tables.shards[number].owner == node:
            tables.shards[number].owner = None
            tables.note("released", node=node, shard=number)


def _leave(tables: Tables, node: int) -> None:
    if tables.leases.pop(node, None) is not None:
        tables.note("left", node=node)
