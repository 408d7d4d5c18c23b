"""Showing and unblocking lanes, and listing the hosts whose circuit breaker is open."""

from __future__ import annotations

from duetime.api.lanes.bodies import LanesQuery
from duetime.api.lanes.views import BreakerView, LaneChangeView, LaneView, ResetView, breaker_view, lane_view
from duetime.api.server.route import Call, Route
from duetime.model.errors import Conflict, NotFound

TAG = "lanes"


async def list_lanes(call: Call[None, LanesQuery]) -> list[LaneView]:
    """Lanes that hold jobs, by key."""
    query = call.query
    lanes = await call.services.jobs.dead_letters.lanes(call.user.id, blocked=query.blocked, limit=query.limit)
    return [lane_view(lane) for lane in lanes]


async def show_lane(call: Call[None, None]) -> LaneView:
    """One lane."""
    return lane_view(await call.services.jobs.dead_letters.lane(call.user.id, call.key))


async def skip_lane(call: Call[None, None]) -> LaneChangeView:
    """Skips the dead job at the lane's head."""
    head = await call.services.jobs.dead_letters.skip_head(call.user.id, call.key, call.user.id)
    return await _changed(call, [head])


async def retry_lane(call: Call[None, None]) -> LaneChangeView:
    """Redrives the dead job at the lane's head."""
    head = await call.services.jobs.dead_letters.retry_head(call.user.id, call.key, call.user.id)
    return await _changed(call, [head])


async def clear_lane(call: Call[None, None]) -> LaneChangeView:
    """Cancels every job in a lane that is not in flight."""
    cancelled = await call.services.jobs.dead_letters.clear(call.user.id, call.key, call.user.id)
    return await _changed(call, sorted(cancelled))


async def list_breakers(call: Call[None, None]) -> list[BreakerView]:
    """The hosts whose circuit breaker is open."""
    return [breaker_view(broken) for broken in await call.services.jobs.breakers.list(call.user.id)]


async def reset_breaker(call: Call[None, None]) -> ResetView:
    """Closes the breakers of a host for the user."""
    return ResetView(call.key, await call.services.jobs.breakers.reset(call.user.id, call.key, call.user.id))


async def _changed(call: Call[None, None], ids: list[int]) -> LaneChangeView:
    try:
        lane = await call.services.jobs.dead_letters.lane(call.user.id, call.key)
    except NotFound:
        return LaneChangeView(ids, None)
    return LaneChangeView(ids, lane_view(lane))


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/lanes",
        list_lanes,
        "List your lanes",
        query=LanesQuery,
        answer=list[LaneView],
        tag=TAG,
        description="A lane is blocked when its first job failed for good with `on_failure: block`: it waits until "
        "a person retries, skips or clears it.",
    ),
    Route("GET", "/api/v1/me/lanes/{key}", show_lane, "Show a lane", answer=LaneView, tag=TAG),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/skip",
        skip_lane,
        "Skip a blocked lane's first job",
        answer=LaneChangeView,
        errors=(Conflict,),
        tag=TAG,
        description="The job stays among the dead letters, and the lane continues with the next one.",
    ),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/retry",
        retry_lane,
        "Redrive a blocked lane's first job",
        answer=LaneChangeView,
        errors=(Conflict,),
        tag=TAG,
    ),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/clear",
        clear_lane,
        "Cancel every job in a lane",
        answer=LaneChangeView,
        tag=TAG,
        description="A running job is left alone: cancel it by its id.",
    ),
    Route(
        "GET",
        "/api/v1/me/breakers",
        list_breakers,
        "List the hosts whose circuit breaker is open",
        answer=list[BreakerView],
        tag=TAG,
        description="A breaker opens after ten failures in a row that show that a host is down. Your jobs for that "
        "host then wait instead of using up their attempts, and one job at a time tries the host until one succeeds. "
        "Jobs with `breaker: false` or with a `limit` do not wait.",
    ),
    Route(
        "POST",
        "/api/v1/me/breakers/{key}/reset",
        reset_breaker,
        "Reset a host's circuit breaker",
        answer=ResetView,
        tag=TAG,
        description="The key is the host as the list shows it. Every scheduler closes its breaker at once and forgets "
        "the failures: the jobs for the host start. After ten more failures it opens again.",
    ),
)
