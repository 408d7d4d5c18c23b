"""Closed gates are made visible in the home database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.broken_host import BrokenHost
from duetime.model.gate import ClosedGate, NodeGate
from duetime.model.ids import NodeId
from duetime.store.spread.members import Members


class SpreadGates:
    """`GateStore` of the home database."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def publish(self, node: NodeId, gates: Sequence[ClosedGate]) -> list[int]:
        """Store the closed gates of this node."""
        home = self._members.home
        return await home.ask(lambda stores: stores.gates.publish(home.lease.node, gates))

    async def closed_gates(self, user_id: int) -> list[NodeGate]:
        """The closed gates that hold back a user."""
        return await self._members.home.ask(lambda stores: stores.gates.closed_gates(user_id))

    async def broken_hosts(self, user_id: int | None) -> list[BrokenHost]:
        """The hosts whose breaker is open."""
        return await self._members.home.ask(lambda stores: stores.gates.broken_hosts(user_id))

    async def reset_breakers(self, user_id: int | None, host: str, now: datetime, actor: int) -> int:
        """Request that schedulers close their breakers of a host."""
        return await self._members.home.ask(lambda stores: stores.gates.reset_breakers(user_id, host, now, actor))

    async def reset_requests(self, node: NodeId) -> list[int]:
        """The breakers of this node that are requested to close."""
        home = self._members.home
        return await home.ask(lambda stores: stores.gates.reset_requests(home.lease.node))
