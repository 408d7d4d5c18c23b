"""What administrators get to see of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, Protocol
from uuid import UUID

from msgspec import Meta, Struct

from duetime.api.jobs.views import DatabaseView

NodeStatus = Literal["active", "standby", "draining", "drained"]


class NodeState(Protocol):
    """A living node."""

    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def version(self) -> str: ...
    @property
    def joined_at(self) -> datetime: ...
    @property
    def lease_left(self) -> float | None: ...
    @property
    def standby(self) -> int: ...
    @property
    def draining(self) -> bool: ...
    @property
    def shards(self) -> int: ...
    @property
    def lowest_term(self) -> int | None: ...
    @property
    def highest_term(self) -> int | None: ...
    @property
    def running(self) -> int: ...
    @property
    def oldest_due(self) -> datetime | None: ...
    @property
    def clock_skew(self) -> float | None: ...


class Identity(Protocol):
    """Which cluster it is."""

    @property
    def id(self) -> UUID: ...
    @property
    def name(self) -> str | None: ...
    @property
    def coordinator(self) -> str: ...


class ClusterStatus(Protocol):
    """The cluster as it stands."""

    @property
    def identity(self) -> Identity: ...
    @property
    def now(self) -> datetime: ...
    @property
    def nodes(self) -> Sequence[NodeState]: ...
    @property
    def orphaned(self) -> int: ...


class Move(Protocol):
    """Shards that passed from one node to another."""

    @property
    def source(self) -> int: ...
    @property
    def target(self) -> int: ...
    @property
    def shards(self) -> int: ...


class NodeView(Struct, frozen=True):
    """A living node."""

    id: Annotated[int, Meta(description="New with every start.")]
    name: str
    roles: list[str]
    version: str
    since: Annotated[datetime, Meta(description="When it joined.")]
    status: Annotated[
        NodeStatus,
        Meta(
            description="`draining` while it still has shards or runs, then `drained`; `standby` for a spare that "
            "owns nothing."
        ),
    ]
    shards: int
    lowest_term: Annotated[int, Meta(description="Of the shards that it owns.")] | None
    highest_term: int | None
    running: Annotated[int, Meta(description="Runs that it carries out now.")]
    lease_left_ms: (
        Annotated[int, Meta(description="Until its lease runs out if it is not renewed; null where etcd is the judge.")]
        | None
    )
    lag_ms: Annotated[
        int, Meta(description="How long the oldest job at the head of a queue has been due; 0 if nothing waits.")
    ]
    clock_skew_ms: (
        Annotated[int, Meta(description="By how much its wall clock is ahead of the database's. Jobs do not go by it.")]
        | None
    )


class ClusterView(Struct, frozen=True):
    """The cluster as it stands."""

    id: UUID
    name: str | None
    coordinator: str
    orphaned_shards: Annotated[int, Meta(description="Shards that no living node owns: their jobs wait.")]
    nodes: list[NodeView]
    databases: Annotated[
        list[DatabaseView],
        Meta(
            description="With several databases: each, and whether it answers the node that answers this call. Shards, "
            "terms and runs of nodes are those in all databases that answer."
        ),
    ]


class MoveView(Struct, frozen=True):
    """Shards that passed from one node to another; null is nobody."""

    source: int | None
    target: int | None
    shards: int


class RebalanceView(Struct, frozen=True):
    """What moved."""

    moved: int
    moves: list[MoveView]


def node_view(node: NodeState, now: datetime) -> NodeView:
    """A node as it is shown."""
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
    """The cluster as it is shown."""
    which, nodes = status.identity, [node_view(node, status.now) for node in status.nodes]
    return ClusterView(which.id, which.name, which.coordinator, status.orphaned, nodes, databases)


def rebalance_view(moves: Sequence[Move]) -> RebalanceView:
    """What moved, as it is shown."""
    shown = [MoveView(move.source or None, move.target or None, move.shards) for move in moves]
    return RebalanceView(sum(move.shards for move in shown), shown)


def _status(node: NodeState) -> NodeStatus:
    if node.draining:
        return "draining" if node.shards or node.running else "drained"
    return "standby" if node.standby and not node.shards else "active"


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
