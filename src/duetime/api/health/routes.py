"""Whether the process is alive, and whether the node is ready."""

from __future__ import annotations

from duetime.api.health.views import Alive, Ready, database_views
from duetime.api.server.errors import NotReady
from duetime.api.server.route import Call, Route


async def alive(_call: Call[None, None]) -> Alive:
    """Answers while the event loop runs."""
    return Alive(True)


async def ready(call: Call[None, None]) -> Ready:
    """Whether the node can accept and launch jobs."""
    readiness = await call.services.node.health.readiness()
    if not readiness.ready:
        raise NotReady(reasons=readiness.reasons)
    return Ready(True, database_views(readiness))


ROUTES = (
    Route("GET", "/healthz", alive, "Is the process alive?", answer=Alive, auth="none", tag="health"),
    Route(
        "GET",
        "/readyz",
        ready,
        "Can this node accept and launch jobs?",
        answer=Ready,
        auth="none",
        errors=(NotReady,),
        tag="health",
        description="If it cannot, the answer is 503, with the reasons in `error.details.reasons`. With several "
        "databases, the node is ready while one of them answers, and the answer says which ones do.",
    ),
)
