"""The contract of the store for holders that are not nodes: workers, each with a lease of its own and no shards.

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
        """Create a holder with a lease of `ttl` seconds. Returns its id, new with every call: no other has it."""
        ...

    async def renew(self, holders: Sequence[int], ttl: float) -> set[int]:
        """Renew leases for `ttl` seconds. Returns the holders that have a lease; the others are fenced, and stay so."""
        ...

    async def leave(self, holder: NodeId) -> None:
        """End a lease at once. Runs that the holder still has are rescued. A repeat has no effect."""
        ...
