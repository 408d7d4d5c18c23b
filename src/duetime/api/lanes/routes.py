"""Lanes: jobs with the same ordering key; and the hosts whose jobs wait."""

from __future__ import annotations

from duetime.api.dead_letters.bodies import LanesQuery
from duetime.api.dead_letters.views import BreakerView, LaneChangeView, LaneView, breaker_view, lane_view
from duetime.api.server.route import Call, Route
from duetime.model.errors import Conflict, NotFound

TAG = "lanes"


async def list_lanes(call: Call[None, LanesQuery]) -> list[LaneView]:
    """Lanes with something in them, by key."""
    query = call.query
    lanes = await call.services.dead_letters.lanes(call.user.id, blocked=query.blocked, limit=query.limit)
    return [lane_view(lane) for lane in lanes]


async def show_lane(call: Call[None, None]) -> LaneView:
    """One lane."""
    return lane_view(await call.services.dead_letters.lane(call.user.id, call.key))


async def skip_lane(call: Call[None, None]) -> LaneChangeView:
    """Leave the dead job at the head behind."""
    head = await call.services.dead_letters.skip_head(call.user.id, call.key, call.user.id)
    return await _changed(call, [head])


async def retry_lane(call: Call[None, None]) -> LaneChangeView:
    """Give the dead job at the head another life."""
    head = await call.services.dead_letters.retry_head(call.user.id, call.key, call.user.id)
    return await _changed(call, [head])


async def clear_lane(call: Call[None, None]) -> LaneChangeView:
    """Cancel everything in a lane that is not under way."""
    gone = await call.services.dead_letters.clear(call.user.id, call.key, call.user.id)
    return await _changed(call, sorted(gone))


async def list_breakers(call: Call[None, None]) -> list[BreakerView]:
    """The hosts that are taken to be down."""
    return [breaker_view(broken) for broken in await call.services.breakers.broken_hosts(call.user.id)]


async def _changed(call: Call[None, None], ids: list[int]) -> LaneChangeView:
    try:
        lane = await call.services.dead_letters.lane(call.user.id, call.key)
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
        "somebody retries, skips or clears it.",
    ),
    Route("GET", "/api/v1/me/lanes/{key}", show_lane, "Show a lane", answer=LaneView, tag=TAG),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/skip",
        skip_lane,
        "Leave a blocked lane's first job behind",
        answer=LaneChangeView,
        errors=(Conflict,),
        tag=TAG,
        description="It stays among the dead letters, and the lane goes on without it.",
    ),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/retry",
        retry_lane,
        "Give a blocked lane's first job another life",
        answer=LaneChangeView,
        errors=(Conflict,),
        tag=TAG,
    ),
    Route(
        "POST",
        "/api/v1/me/lanes/{key}/clear",
        clear_lane,
        "Cancel everything in a lane",
        answer=LaneChangeView,
        tag=TAG,
        description="A job that is running is not touched: cancel it by its id.",
    ),
    Route(
        "GET",
        "/api/v1/me/breakers",
        list_breakers,
        "List the hosts that are taken to be down for you",
        answer=list[BreakerView],
        tag=TAG,
        description="After ten failures in a row that say that a host is down, its jobs wait instead of using up their "
        "attempts; one at a time tries, until one succeeds. Jobs with `breaker: false` or with a `limit` do not wait.",
    ),
)
