"""What is known of the cluster, for people: the contract of reading and reporting it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Protocol
from uuid import UUID

from msgspec import Struct

from duetime.model.ids import NodeId


class ClusterIdentity(Struct, frozen=True):
    """Which cluster a database belongs to, and who judges its leases."""

    id: UUID
    name: str | None
    coordinator: str


class NodeState(Struct, frozen=True):
    """A living node, as the store has it."""

    id: int
    name: str
    roles: list[str]
    version: str
    joined_at: datetime
    lease_left: float | None
    """Seconds; none where the store is not the judge. Negative: it ran out, and nobody has fenced it yet."""
    standby: int
    draining: bool
    shards: int
    lowest_term: int | None
    highest_term: int | None
    running: int
    """Runs that it carries out."""
    oldest_due: datetime | None
    """The oldest of its jobs that was due and not launched when it last reported."""
    clock_skew: float | None
    """Seconds by which its wall clock was ahead of the database's when it last reported."""


class Census(Protocol):
    """Reads the cluster. Nothing depends on it but people, and that a drained node learns of it."""

    async def identity(self) -> ClusterIdentity:
        """Which cluster this is."""
        ...

    async def nodes(self) -> list[NodeState]:
        """Every node that has a lease, by id."""
        ...

    async def owners(self) -> list[int]:
        """The id of the node that owns each shard; 0 for nobody."""
        ...

    async def orphaned(self) -> int:
        """How many shards no living node owns."""
        ...

    async def recent_definitions(self, since: date, limit: int) -> list[int]:
        """Definitions that new jobs have had since a day, the newest first: what a spare should have at hand."""
        ...

    async def report(self, node: NodeId, oldest_due: datetime | None, clock_skew: float) -> bool | None:
        """Say how this node is; whether it is being drained, or None when it has no lease."""
        ...
