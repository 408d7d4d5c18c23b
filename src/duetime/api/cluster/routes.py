"""Showing the cluster, draining nodes and rebalancing shards. For admins."""

from __future__ import annotations

from msgspec import Struct

from duetime.api.cluster.views import ClusterView, NodeView, RebalanceView, cluster_view, node_view, rebalance_view
from duetime.api.health.views import database_views
from duetime.api.server.route import Call, Route
from duetime.model.errors import Conflict

TAG = "cluster"
MAX_NODE_ID = 2**31 - 1


class DrainQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether to drain even the last scheduler."""

    force: bool = False


async def show_cluster(call: Call[None, None]) -> ClusterView:
    """The nodes, with their shards and runs."""
    readiness = await call.services.node.health.readiness()
    return cluster_view(await call.services.node.cluster.status(), database_views(readiness))


async def drain_node(call: Call[None, DrainQuery]) -> NodeView:
    """Drains a node."""
    services = call.services
    node = await services.node.cluster.drain(_node_id(call.id), force=call.query.force, actor=call.user.id)
    return node_view(node, services.clock.now())


async def undrain_node(call: Call[None, None]) -> NodeView:
    """Ends the draining of a node."""
    node = await call.services.node.cluster.undrain(_node_id(call.id), actor=call.user.id)
    return node_view(node, call.services.clock.now())


async def rebalance(call: Call[None, None]) -> RebalanceView:
    """Rebalances the shards now."""
    return rebalance_view(await call.services.node.cluster.rebalance())


def _node_id(given: int) -> int:
    """An id that fits the store's column; an id too large becomes one that no node has."""
    return min(given, MAX_NODE_ID)


ROUTES = (
    Route(
        "GET",
        "/api/v1/cluster",
        show_cluster,
        "Show the cluster",
        answer=ClusterView,
        auth="admin",
        tag=TAG,
        description="Every node that has a lease, with its shards, runs, lag, lease and clock.",
    ),
    Route(
        "POST",
        "/api/v1/cluster/nodes/{id}/drain",
        drain_node,
        "Drain a node",
        query=DrainQuery,
        answer=NodeView,
        auth="admin",
        errors=(Conflict,),
        tag=TAG,
        description="The node releases its shards to the others and starts no new runs; its running jobs finish. It is "
        "`drained` when nothing is left, and can then be stopped without effect on any job. A restart ends the "
        "draining. 409 if it is the last scheduler, unless `force` is true.",
    ),
    Route(
        "POST",
        "/api/v1/cluster/nodes/{id}/undrain",
        undrain_node,
        "End the draining of a node",
        answer=NodeView,
        auth="admin",
        tag=TAG,
    ),
    Route(
        "POST",
        "/api/v1/cluster/rebalance",
        rebalance,
        "Rebalance shards now",
        answer=RebalanceView,
        auth="admin",
        tag=TAG,
        description="Nodes rebalance by themselves; this call makes all of them check at once, waits until no more "
        "shards move (at most 5 s), and says which shards moved.",
    ),
)
