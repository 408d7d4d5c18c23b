"""What administrators see of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from duetime.api.health.views import DatabaseView
from duetime.engine.node.cluster import ClusterStatus, Move
from duetime.model.cluster import NodeState

NodeStatus = Literal["active", "standby", "draining", "drained"]


class NodeView(Struct, frozen=True):
    """A living node."""

    id: Annotated[int, Meta(description="A node gets a new id at every start.")]
    name: str
    roles: list[str]
    version: str
    since: Annotated[datetime, Meta(description="When the node joined.")]
    status: Annotated[
        NodeStatus,
        Meta(
            description="`draining` while the node still has shards or runs, then `drained`; `standby` for a spare "
            "that owns no shards."
        ),
    ]
    shards: int
    lowest_term: Annotated[int, Meta(description="The lowest term of the shards that the node owns.")] | None
    highest_term: int | None
    running: Annotated[int, Meta(description="Runs that the node executes now.")]
    lease_left_ms: (
        Annotated[
            int, Meta(description="Until its lease expires, if it is not renewed; null where etcd keeps the leases.")
        ]
        | None
    )
    lag_ms: Annotated[
        int, Meta(description="How long the oldest job at the head of a flow has been due; 0 if none is waiting.")
    ]
    clock_skew_ms: (
        Annotated[int, Meta(description="How far its wall clock is ahead of the database's, which jobs follow.")] | None
    )


class ClusterView(Struct, frozen=True):
    """The current state of the cluster."""

    id: UUID
    name: str | None
    coordinator: str
    orphaned_shards: Annotated[int, Meta(description="Shards that no living node owns: their jobs wait.")]
    nodes: list[NodeView]
    databases: Annotated[
        list[DatabaseView],
        Meta(
            description="With several databases: each of them, and whether it answers the node that serves this call. "
            "A node's shards, terms and runs are those in all databases that answer."
        ),
    ]


class MoveView(Struct, frozen=True):
    """Shards that moved from one node to another; null stands for no node."""

    source: int | None
    target: int | None
    shards: int


class RebalanceView(Struct, frozen=True):
    """Which shards moved."""

    moved: int
    moves: list[MoveView]


def node_view(node: NodeState, now: datetime) -> NodeView:
    """A node as shown."""
    lag = 0.0 if node.oldest_due is None else (now - node.oldest_due).total_seconds()
    return NodeView(
        id=node.id,
        name=node.name,
        roles=node.roles,
        version=node.version,
        since=node.joined_at,
        status=_status(node),
        shards=node.shards,
        lowest_term=node.lowest_term,
        highest_term=node.highest_term,
        running=node.running,
        lease_left_ms=_ms(node.lease_left),
        lag_ms=max(0, round(lag * 1000)),
        clock_skew_ms=_ms(node.clock_skew),
    )


def cluster_view(status: ClusterStatus, databases: list[DatabaseView]) -> ClusterView:
    """The cluster as shown."""
    which, nodes = status.identity, [node_view(node, status.now) for node in status.nodes]
    return ClusterView(which.id, which.name, which.coordinator, status.orphaned, nodes, databases)


def rebalance_view(moves: Sequence[Move]) -> RebalanceView:
    """The moved shards as shown."""
    shown = [MoveView(move.source or None, move.target or None, move.shards) for move in moves]
    return RebalanceView(sum(move.shards for move in shown), shown)


def _status(node: NodeState) -> NodeStatus:
    if node.draining:
        return "draining" if node.shards or node.running else "drained"
    return "standby" if node.standby and not node.shards else "active"


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
