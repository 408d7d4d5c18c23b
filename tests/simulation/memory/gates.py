"""`GateStore` in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from duetime.model.broken_host import BrokenHost
from duetime.model.gate import ClosedGate, NodeGate
from duetime.model.ids import NodeId
from simulation.memory.link import Link
from simulation.memory.tables import Tables


class MemoryGates:
    """Closed gates made visible."""

    def __init__(self, tables: Tables, link: Link) -> None:
        self._tables, self._link = tables, link

    async def publish(self, node: NodeId, gates: Sequence[ClosedGate]) -> list[int]:
        """Store the closed gates of a node."""
        return await self._link.call("publish", lambda: _publish(self._tables, node, gates))

    async def closed_gates(self, user_id: int) -> list[NodeGate]:
        """The closed gates that hold back a user."""
        return await self._link.call(
            "closed_gates", lambda: [one for one in _living(self._tables) if one.gate.user_id in (0, user_id)]
        )

    async def broken_hosts(self, user_id: int | None) -> list[BrokenHost]:
        """The hosts whose breaker is open, each once."""
        return await self._link.call("broken_hosts", lambda: broken_hosts(self._tables, user_id))

    async def reset_breakers(self, user_id: int | None, host: str, now: datetime, actor: int) -> int:
        """Request that schedulers close their breakers of a host."""
        return await self._link.call("reset_breakers", lambda: _reset(self._tables, user_id, host, now, actor))

    async def reset_requests(self, node: NodeId) -> list[int]:
        """The breakers of a node that are requested to close."""
        resets = self._tables.resets
        return await self._link.call("reset_requests", lambda: sorted(flow for one, flow in resets if one == node))


def _living(tables: Tables) -> list[NodeGate]:
    found = [
        NodeGate(node, gate) for node, gates in tables.closed_gates.items() if node in tables.leases for gate in gates
    ]
    return sorted(found, key=lambda one: one.gate.since)


def _publish(tables: Tables, node: NodeId, gates: Sequence[ClosedGate]) -> list[int]:
    if node in tables.leases:
        tables.closed_gates[node] = list(gates)
    resets = sorted(flow for one, flow in tables.resets if one == node)
    tables.resets = {one for one in tables.resets if one[0] != node}
    return resets


def broken_hosts(tables: Tables, user_id: int | None) -> list[BrokenHost]:
    """The hosts whose breaker is open, each once."""
    merged: dict[tuple[str, int], BrokenHost] = {}
    for _, gate in ((one.node, one.gate) for one in _living(tables)):
        if gate.kind != "breaker" or user_id not in (None, gate.user_id):
            continue
        key = (gate.name, gate.user_id)
        one = BrokenHost(gate.user_id, gate.name, gate.failures, gate.since, gate.until)
        other = merged.get(key, one)
        probes = [at for at in (one.next_probe_at, other.next_probe_at) if at is not None]
        merged[key] = BrokenHost(
            gate.user_id,
            gate.name,
            max(one.failures, other.failures),
            min(one.opened_at, other.opened_at),
            min(probes, default=None),
        )
    return [merged[key] for key in sorted(merged)]


def _reset(tables: Tables, user_id: int | None, host: str, now: datetime, actor: int) -> int:
    meant = [
        (one.node, one.gate.flow)
        for one in _living(tables)
        if one.gate.kind == "breaker" and one.gate.name == host and user_id in (None, one.gate.user_id)
    ]
    tables.resets |= set(meant)
    if meant:
        tables.record(now, actor, "breaker.reset", "users:all" if user_id is None else f"user:{user_id}", user_id)
    return len(meant)
