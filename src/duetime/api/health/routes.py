"""Whether the process is alive, whether the node is ready, and its metrics."""

from __future__ import annotations

from duetime.api.health.views import Alive, Ready, database_views
from duetime.api.server.errors import NotReady
from duetime.api.server.route import Call, Page, Route
from duetime.model.errors import Forbidden, NotFound, Unauthorized


async def alive(_call: Call[None, None]) -> Alive:
    """Answers while the event loop runs."""
    return Alive(True)


async def ready(call: Call[None, None]) -> Ready:
    """Whether the node can accept and launch jobs."""
    readiness = await call.services.node.health.readiness()
    if not readiness.ready:
        raise NotReady(reasons=readiness.reasons)
    return Ready(True, database_views(readiness))


async def metrics(call: Call[None, None]) -> Page:
    """The metrics of this process."""
    allowed = call.services.settings.metrics
    if allowed == "shared":
        raise NotFound(
            "Several processes share this port, and each has metrics of its own: "
            "set metrics.listen, which gives every process a port for them."
        )
    if allowed == "admin" or (allowed == "local" and not call.from_this_machine):
        if call.caller is None:
            raise Unauthorized
        if call.caller.role != "admin":
            raise Forbidden("Metrics are for admins: the setting metrics.open opens them.")
    text, media_type = call.services.node.metrics.text(call.header(b"accept") or "")
    return Page(text, ((b"content-type", media_type.encode()), (b"cache-control", b"no-store")))


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
    Route(
        "GET",
        "/metrics",
        metrics,
        "What this process counts and measures, for Prometheus",
        auth="optional",
        errors=(Unauthorized, Forbidden, NotFound),
        tag="health",
        media_type="text/plain",
        description="OpenMetrics text when the request accepts it. Without a token only where the server listens on "
        "loopback, or where the setting `metrics.open` or `metrics.listen` says so; with a token, for admins.",
    ),
)
