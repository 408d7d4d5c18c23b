"""The table of routes: every call that the API has."""

from __future__ import annotations

from typing import Any, Final

from duetime.api.route import Route
from duetime.api.routes import (
    auth,
    bulk,
    calendars,
    cluster,
    dead_letters,
    document,
    health,
    jobs,
    lanes,
    schedule_runs,
    schedules,
    stats,
    users,
)

TABLE: Final[tuple[Route[Any, Any], ...]] = (
    *auth.ROUTES,
    *users.ROUTES,
    *jobs.ROUTES,
    *bulk.ROUTES,
    *schedules.ROUTES,
    *schedule_runs.ROUTES,
    *calendars.ROUTES,
    *dead_letters.ROUTES,
    *lanes.ROUTES,
    *stats.ROUTES,
    *cluster.ROUTES,
    *health.ROUTES,
    *document.ROUTES,
)
"""In the order in which the document shows them."""
