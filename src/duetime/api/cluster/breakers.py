"""Circuit breakers of all users, for admins."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.lanes.views import ResetView
from duetime.api.server.route import Call, Route

TAG = "cluster"


class UserBreakerView(Struct, frozen=True):
    """A host whose circuit breaker is open for a user."""

    user_id: int
    host: str
    failures: Annotated[int, Meta(description="How many attempts in a row had failed when the breaker opened.")]
    opened_at: datetime
    next_probe_at: (
        Annotated[datetime, Meta(description="From then on, the next job tries the host; null while one tries.")] | None
    )


async def list_all_breakers(call: Call[None, None]) -> list[UserBreakerView]:
    """The hosts whose circuit breaker is open, for any user."""
    return [
        UserBreakerView(one.user_id, one.host, one.failures, one.opened_at, one.next_probe_at)
        for one in await call.services.jobs.breakers.list(None)
    ]


async def reset_breaker_for_all(call: Call[None, None]) -> ResetView:
    """Closes the breakers of a host for every user."""
    return ResetView(call.key, await call.services.jobs.breakers.reset(None, call.key, call.user.id))


ROUTES = (
    Route(
        "GET",
        "/api/v1/cluster/breakers",
        list_all_breakers,
        "List the open circuit breakers of all users",
        answer=list[UserBreakerView],
        auth="admin",
        tag=TAG,
    ),
    Route(
        "POST",
        "/api/v1/cluster/breakers/{key}/reset",
        reset_breaker_for_all,
        "Reset a host's circuit breaker for all users",
        answer=ResetView,
        auth="admin",
        tag=TAG,
        description="As for one user, for every user whose breaker of this host is open, on every scheduler.",
    ),
)
