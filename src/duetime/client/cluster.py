"""Calls about the cluster, for admins: its state, draining nodes, rebalancing shards, breakers of all users."""

from __future__ import annotations

from urllib.parse import quote

from .answers import Breaker, Cluster, Node, Rebalanced, Reset
from .calls import Calls

CLUSTER = "/api/v1/cluster"


class ClusterCalls(Calls):
    """Shows the nodes and moves work between them."""

    async def cluster(self) -> Cluster:
        """Returns every living node with its shards, runs, lag, lease and clock."""
        return self._read(await self._session.call("GET", CLUSTER, safe=True), Cluster)

    async def drain_node(self, node_id: int, *, force: bool = False) -> Node:
        """Drains a node: it hands its shards over and starts no more runs. `force` allows the last scheduler."""
        params = {"force": "true"} if force else None
        return self._read(await self._session.call("POST", f"{CLUSTER}/nodes/{node_id}/drain", params=params), Node)

    async def undrain_node(self, node_id: int) -> Node:
        """Lets a drained node own shards and start runs again."""
        return self._read(await self._session.call("POST", f"{CLUSTER}/nodes/{node_id}/undrain"), Node)

    async def rebalance(self) -> Rebalanced:
        """Shares the shards evenly now. Returns what moved."""
        return self._read(await self._session.call("POST", f"{CLUSTER}/rebalance"), Rebalanced)

    async def all_breakers(self) -> list[Breaker]:
        """Returns the hosts whose circuit breaker is open, for any user."""
        return self._read(await self._session.call("GET", f"{CLUSTER}/breakers", safe=True), list[Breaker])

    async def reset_all_breakers(self, host: str) -> Reset:
        """Closes the breakers of a host for every user, on every scheduler."""
        path = f"{CLUSTER}/breakers/{quote(host, safe='')}/reset"
        return self._read(await self._session.call("POST", path), Reset)
