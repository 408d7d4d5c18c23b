"""The table of routes: every call that the API has, in the order in which the document shows them."""

from __future__ import annotations

from typing import Any, Final

from duetime.api.activity import routes as activity
from duetime.api.artifacts import routes as artifacts
from duetime.api.audit import routes as audit
from duetime.api.auth import routes as auth
from duetime.api.auth import session_routes as sessions
from duetime.api.calendars import routes as calendars
from duetime.api.cluster import breakers as cluster_breakers
from duetime.api.cluster import routes as cluster
from duetime.api.dead_letters import routes as dead_letters
from duetime.api.document import routes as document
from duetime.api.health import routes as health
from duetime.api.jobs import bulk, by_key, cancel_many, detail, lists, stats
from duetime.api.jobs import routes as jobs
from duetime.api.lanes import routes as lanes
from duetime.api.logs import reads as logs
from duetime.api.logs import search
from duetime.api.notifications import routes as notifications
from duetime.api.schedules import apply, occurrences
from duetime.api.schedules import routes as schedules
from duetime.api.server.route import Route
from duetime.api.users import routes as users
from duetime.api.workers import reads, results
from duetime.api.workers import routes as workers
from duetime.api.workflows import routes as workflows

TABLE: Final[tuple[Route[Any, Any], ...]] = (
    *auth.ROUTES,
    *sessions.ROUTES,
    *users.ROUTES,
    # Before the other paths of jobs: a key may be spelled like the last part of one of them.
    *by_key.ROUTES,
    *detail.ROUTES,
    *lists.ROUTES,
    *jobs.ROUTES,
    *results.ROUTES,
    *logs.ROUTES,
    *search.ROUTES,
    *artifacts.ROUTES,
    *cancel_many.ROUTES,
    *bulk.ROUTES,
    *workflows.ROUTES,
    *schedules.ROUTES,
    *apply.ROUTES,
    *occurrences.ROUTES,
    *calendars.ROUTES,
    *dead_letters.ROUTES,
    *lanes.ROUTES,
    *stats.ROUTES,
    *notifications.ROUTES,
    *audit.ROUTES,
    *workers.ROUTES,
    *reads.ROUTES,
    *activity.ROUTES,
    *cluster.ROUTES,
    *cluster_breakers.ROUTES,
    *health.ROUTES,
    *document.ROUTES,
)
