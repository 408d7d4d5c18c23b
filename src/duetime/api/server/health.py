"""Whether the node lives, and whether it can do its work."""

from __future__ import annotations

from duetime.api.jobs.views import Alive, Ready, database_views
from duetime.api.server.errors import NotReady
from duetime.api.server.route import Call, Route


async def alive(_call: Call[None, None]) -> Alive:
    """The event loop turns, or there would be no answer."""
    return Alive(True)


async def ready(call: Call[None, None]) -> Ready:
    """Whether jobs can be accepted and fired."""
    readiness = await call.services.health.readiness()
    if not readiness.ready:
        raise NotReady(reasons=list(readiness.reasons))
    return Ready(True, database_views(readiness))


ROUTES = (
    Route("GET", "/healthz", alive, "Is the process alive?", answer=Alive, auth="none", tag="health"),
    Route(
        "GET",
        "/readyz",
        ready,
        "Can this node accept and fire jobs?",
        answer=Ready,
        auth="none",
        errors=(NotReady,),
        tag="health",
        description="503 with the reasons in `error.details.reasons` while it cannot. With several databases it is "
        "ready while one of them answers, and says of each whether it does.",
    ),
)
