"""The cluster: how it is, taking a node out and back in, evening shards out. For admins."""

from __future__ import annotations

from msgspec import Struct

from duetime.api.cluster.views import ClusterView, NodeView, RebalanceView, cluster_view, node_view, rebalance_view
from duetime.api.jobs.views import database_views
from duetime.api.server.route import Call, Route
from duetime.model.errors import Conflict

TAG = "cluster"
MAX_NODE_ID = 2**31 - 1


class DrainQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether to take out even the last scheduler."""

    force: bool = False


async def show_cluster(call: Call[None, None]) -> ClusterView:
    """The nodes and what they hold."""
    readiness = await call.services.health.readiness()
    return cluster_view(await call.services.cluster.status(), database_views(readiness))


async def drain_node(call: Call[None, DrainQuery]) -> NodeView:
    """Take a node out."""
    services = call.services
    node = await services.cluster.drain(_node_id(call.id), force=call.query.force, actor=call.user.id)
    return node_view(node, services.clock.now())


async def undrain_node(call: Call[None, None]) -> NodeView:
    """Take a node back in."""
    node = await call.services.cluster.undrain(_node_id(call.id), actor=call.user.id)
    return node_view(node, call.services.clock.now())


async def rebalance(call: Call[None, None]) -> RebalanceView:
    """Even shards out now."""
    return rebalance_view(await call.services.cluster.rebalance())


def _node_id(given: int) -> int:
    """An id that the store can look for; one that no node can have stays one that no node has."""
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
        "Take a node out",
        query=DrainQuery,
        answer=NodeView,
        auth="admin",
        errors=(Conflict,),
        tag=TAG,
        description="It gives its shards to the others and takes no new runs; what runs there ends by itself. It is "
        "`drained` when nothing is left, and can then be stopped without anybody noticing. A restart takes it back in. "
        "409 if it is the last scheduler, unless forced.",
    ),
    Route(
        "POST",
        "/api/v1/cluster/nodes/{id}/undrain",
        undrain_node,
        "Take a node back in",
        answer=NodeView,
        auth="admin",
        tag=TAG,
    ),
    Route(
        "POST",
        "/api/v1/cluster/rebalance",
        rebalance,
        "Even shards out now",
        answer=RebalanceView,
        auth="admin",
        tag=TAG,
        description="Nodes do this by themselves; this has all of them look at once, waits until nothing moves any "
        "more (5 s at most), and says what moved.",
    ),
)
