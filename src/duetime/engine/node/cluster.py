"""The cluster as a whole: shows its status, drains and undrains nodes, and rebalances shards at once."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import structlog
from msgspec import Struct

from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.coordination.port import Coordinator, Hints
from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.errors import Conflict, NotFound
from duetime.model.ids import NodeId

log = structlog.get_logger()
REBALANCE_SECONDS = 5.0
LOOK_EVERY = 0.05
QUIET_LOOKS = 10
"""After this many readings of the owners without a move, rebalancing has ended."""


class ClusterStatus(Struct, frozen=True):
    """What an administrator sees of the cluster."""

    identity: ClusterIdentity
    now: datetime
    nodes: list[NodeState]
    orphaned: int
    """How many shards no living node owns. Their jobs wait."""


class Move(Struct, frozen=True):
    """How many shards passed from one node to another. Node 0 means no owner."""

    source: int
    target: int
    shards: int


class Cluster:
    """Carries out what an administrator requests for the cluster."""

    def __init__(self, census: Census, coordinator: Coordinator, hints: Hints, clock: Clock) -> None:
        self._census, self._coordinator, self._hints, self._clock = census, coordinator, hints, clock

    async def status(self) -> ClusterStatus:
        """Returns the present status."""
        identity, nodes = await self._census.identity(), await self._census.nodes()
        return ClusterStatus(identity, self._clock.now(), nodes, await self._census.orphaned())

    async def drain(self, node_id: int, *, force: bool, actor: int) -> NodeState:
        """Drain a node: it releases its shards, takes no offers, and finishes its runs."""
        nodes = {node.id: node for node in await self._census.nodes()}
        if node_id not in nodes:
            raise _unknown(node_id)
        left = [n for n in nodes.values() if "scheduler" in n.roles and not n.draining and n.id != node_id]
        if "scheduler" in nodes[node_id].roles and not left and not force:
            raise Conflict(
                f"Node {node_id} is the only scheduler that is not drained: without it, no job would be launched. "
                "Start another one first, or use 'force'.",
                node=node_id,
            )
        return await self._set(node_id, True, actor)

    async def undrain(self, node_id: int, *, actor: int) -> NodeState:
        """End a drain: the node acquires its share of shards again."""
        return await self._set(node_id, False, actor)

    async def rebalance(self) -> list[Move]:
        """Make all nodes check their shards now, and wait up to a few seconds until none moves. Returns the moves."""
        before = last = await self._census.owners()
        self._hints.send("shards", "")
        end, quiet = self._clock.monotonic() + REBALANCE_SECONDS, 0
        while quiet < QUIET_LOOKS and self._clock.monotonic() < end:
            await self._clock.sleep(LOOK_EVERY)
            now = await self._census.owners()
            quiet, last = quiet + 1 if now == last else 0, now
        moves = Counter((old, new) for old, new in zip(before, last, strict=True) if old != new)
        return [Move(old, new, count) for (old, new), count in sorted(moves.items())]

    async def _set(self, node_id: int, draining: bool, actor: int) -> NodeState:
        if not await self._coordinator.drain(NodeId(node_id), draining):
            raise _unknown(node_id)
        log.info("a node is being drained" if draining else "a node is no longer drained", node_id=node_id, actor=actor)
        return next(node for node in await self._census.nodes() if node.id == node_id)


def _unknown(node_id: int) -> NotFound:
    return NotFound(f"There is no living node {node_id}: 'duetime cluster status' lists them.", node=node_id)
