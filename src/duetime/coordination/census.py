"""What operators see of the cluster: the contract of reading and reporting it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Protocol

from duetime.model.cluster import ClusterIdentity, NodeState
from duetime.model.ids import NodeId


class Census(Protocol):
    """Reads the cluster for operators. A node learns from its own report that it is being drained."""

    async def identity(self) -> ClusterIdentity:
        """Returns which cluster this is."""
        ...

    async def nodes(self) -> list[NodeState]:
        """Returns every node that has a lease, by id."""
        ...

    async def owners(self) -> list[int]:
        """Returns the owner of each shard; 0 where a shard has none."""
        ...

    async def orphaned(self) -> int:
        """Returns how many shards no living node owns."""
        ...

    async def recent_definitions(self, since: date, limit: int) -> list[int]:
        """Returns the definitions of jobs stored since a day, newest first: a spare node reads them in advance."""
        ...

    async def report(self, node: NodeId, oldest_due: datetime | None, clock_skew: float) -> bool | None:
        """Report how this node is. Returns whether it is being drained, or None when it has no lease."""
        ...
