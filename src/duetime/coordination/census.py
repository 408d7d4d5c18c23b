"""What is known of the cluster, for people: the contract of reading and reporting it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Protocol

from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.ids import NodeId


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
