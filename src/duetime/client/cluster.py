"""The cluster: how it is, taking a node out and back in. For admins."""

from __future__ import annotations

from duetime.client.answers import Cluster, Node, Rebalanced
from duetime.client.calls import Calls

CLUSTER = "/api/v1/cluster"


class ClusterCalls(Calls):
    """Seeing the nodes and moving work between them."""

    async def cluster(self) -> Cluster:
        """Every living node with its shards, runs, lag, lease and clock."""
        return self._read(await self._session.call("GET", CLUSTER, safe=True), Cluster)

    async def drain_node(self, node_id: int, *, force: bool = False) -> Node:
        """Take a node out: it gives its shards to the others and takes no new runs; forced, even the last one."""
        params = {"force": "true"} if force else None
        return self._read(await self._session.call("POST", f"{CLUSTER}/nodes/{node_id}/drain", params=params), Node)

    async def undrain_node(self, node_id: int) -> Node:
        """Take a node back in."""
        return self._read(await self._session.call("POST", f"{CLUSTER}/nodes/{node_id}/undrain"), Node)

    async def rebalance(self) -> Rebalanced:
        """Even shards out now; what moved."""
        return self._read(await self._session.call("POST", f"{CLUSTER}/rebalance"), Rebalanced)
