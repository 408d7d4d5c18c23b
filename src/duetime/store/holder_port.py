"""The contract of holders that are not nodes: workers, each with a lease of its own and no shards.

A launch names its holder, and only the holder can settle the run (`store.port.SettleStore`). A node's lease belongs to
the coordinator; a worker's lease is a row in the store, judged by the store's clock whichever coordinator is used.
The nodes' `fence` removes leases that ran out, and rescue then finds the runs as it finds those of a dead node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from duetime.model.ids import NodeId


class HolderStore(Protocol):
    """Leases of workers."""

    async def join(self, name: str, ttl: float) -> NodeId:
        """A new holder with a lease of `ttl` seconds. Its id is new with every call: nothing else can pass for it."""
        ...

    async def renew(self, holders: Sequence[int], ttl: float) -> set[int]:
        """Prolong leases. Returns those that stand; the others were fenced, and stay so."""
        ...

    async def leave(self, holder: NodeId) -> None:
        """End a lease at once: runs that the holder still has are rescued. Repeats are harmless."""
        ...
