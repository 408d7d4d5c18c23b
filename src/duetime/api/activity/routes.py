"""Overview, planned runs, calendar and shares: of the caller, of one user, or of all users together."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from duetime.api.activity.views import (
    CalendarView,
    OverviewView,
    PlannedView,
    SharesView,
    calendar_view,
    overview_view,
    planned_view,
    shares_view,
)
from duetime.api.server.fields import job_instant
from duetime.api.server.route import Call, Route
from duetime.engine.activity.overview import Window
from duetime.model.activity import EVERYBODY, HOUR, start_of
from duetime.model.errors import Invalid, NotFound

TAG = "activity"
LONGEST = timedelta(days=15)
WEEK = timedelta(days=7)
MAX_USER_ID = 2**31 - 1


class WindowQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How far back to look."""

    window: Annotated[Window, Meta(description="How far back to look; default 1h.")] = "1h"


class PlannedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How far ahead to look."""

    minutes: Annotated[int, Meta(ge=1, le=180, description="How far ahead to look; default 60.")] = 60


class CalendarQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """From when to when: at most 15 days."""

    from_: Annotated[datetime, Meta(tz=True, description="The first hour; default: a week before `to`.")] | None = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[datetime, Meta(tz=True, description="The end; default: a week after `from` or now.")] | None = None


async def show_overview(call: Call[None, WindowQuery]) -> OverviewView:
    """The overview of the caller."""
    return overview_view(await call.services.activity.overview.of(call.user.id, call.query.window))


async def show_overview_of_user(call: Call[None, WindowQuery]) -> OverviewView:
    """The overview of one user."""
    if call.id > MAX_USER_ID or await call.services.accounts.by_id(call.id) is None:
        raise NotFound(f"There is no user {call.id}.")
    return overview_view(await call.services.activity.overview.of(call.id, call.query.window))


async def show_overview_of_all(call: Call[None, WindowQuery]) -> OverviewView:
    """The overview of all users together."""
    return overview_view(await call.services.activity.overview.of(EVERYBODY, call.query.window))


async def show_planned(call: Call[None, PlannedQuery]) -> PlannedView:
    """What is planned for the caller."""
    return planned_view(await call.services.activity.planned.minutes(call.user.id, call.query.minutes))


async def show_planned_of_all(call: Call[None, PlannedQuery]) -> PlannedView:
    """What is planned for all users."""
    return planned_view(await call.services.activity.planned.minutes(None, call.query.minutes))


async def show_hours(call: Call[None, CalendarQuery]) -> CalendarView:
    """Past and planned runs of the caller, by hour."""
    return await _calendar(call, call.user.id)


async def show_hours_of_all(call: Call[None, CalendarQuery]) -> CalendarView:
    """Past and planned runs of all users, by hour."""
    return await _calendar(call, None)


async def show_shares(call: Call[None, WindowQuery]) -> SharesView:
    """What each user got."""
    return shares_view(await call.services.activity.shares.of(call.query.window))


async def _calendar(call: Call[None, CalendarQuery], user_id: int | None) -> CalendarView:
    now, activity = call.services.clock.now(), call.services.activity
    first, until = _range(call.query, now)
    steps = await activity.overview.between(EVERYBODY if user_id is None else user_id, HOUR, first, until)
    return calendar_view(now, until, steps, await activity.planned.steps(user_id, first, until, HOUR))


def _range(query: CalendarQuery, now: datetime) -> tuple[datetime, datetime]:
    """The hours that are meant: whole ones in UTC."""
    first = None if query.from_ is None else job_instant("from", query.from_)
    until = None if query.to is None else job_instant("to", query.to)
    if until is None:
        until = now + WEEK if first is None else first + WEEK
    first = start_of(until - WEEK if first is None else first, HOUR)
    until = start_of(until + timedelta(seconds=HOUR - 1), HOUR)
    if not timedelta(0) < until - first <= LONGEST + timedelta(hours=1):
        raise Invalid("'to' must be after 'from', by at most 15 days.", field="to")
    return first, until


def _route(path: str, handler: Any, summary: str, query: Any, answer: Any, **more: Any) -> Route[Any, Any]:
    return Route("GET", path, handler, summary, query=query, answer=answer, tag=TAG, **more)


ROUTES = (
    _route(
        "/api/v1/me/overview",
        show_overview,
        "Show whether your jobs are on time, and what waits for you",
        WindowQuery,
        OverviewView,
        description="Counts are a few seconds old at most. Percentiles are estimates: off by 42 % at most.",
    ),
    _route(
        "/api/v1/me/planned",
        show_planned,
        "Count the runs of the next minutes",
        PlannedQuery,
        PlannedView,
        description="Jobs that wait for their instant, and the instants of your schedules. Jobs that wait "
        "behind others in a lane are left out.",
    ),
    _route(
        "/api/v1/me/calendar",
        show_hours,
        "Count past and planned runs by hour",
        CalendarQuery,
        CalendarView,
        description="Past hours are kept as long as history is.",
    ),
    _route(
        "/api/v1/cluster/overview",
        show_overview_of_all,
        "Show whether the jobs of all users are on time",
        WindowQuery,
        OverviewView,
        auth="admin",
        description="As for one user. What is overdue is not counted: `oldest_due_at` comes from the schedulers.",
    ),
    _route(
        "/api/v1/cluster/planned",
        show_planned_of_all,
        "Count the runs of all users in the next minutes",
        PlannedQuery,
        PlannedView,
        auth="admin",
    ),
    _route(
        "/api/v1/cluster/calendar",
        show_hours_of_all,
        "Count past and planned runs of all users by hour",
        CalendarQuery,
        CalendarView,
        auth="admin",
    ),
    _route(
        "/api/v1/cluster/shares",
        show_shares,
        "Show what each user got, beside its weight",
        WindowQuery,
        SharesView,
        auth="admin",
    ),
    _route(
        "/api/v1/users/{id}/overview",
        show_overview_of_user,
        "Show whether a user's jobs are on time",
        WindowQuery,
        OverviewView,
        auth="admin",
    ),
)
