"""Searching what runs logged: the caller's, and for admins that of any user."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from duetime.api.jobs.bodies import LabelText
from duetime.api.jobs.lists import MAX_USER_ID, labels_of
from duetime.api.logs.reads import TAG, logs_of
from duetime.api.server.cursors import Cursor, decode_cursor, encode_cursor
from duetime.api.server.fields import NO_NUL, optional_utc, refuse_nul
from duetime.api.server.route import Call, Listing, Route
from duetime.model.errors import Invalid, NotFound
from duetime.model.ids import MAX_ID
from duetime.model.logs import Level, LogFilter, LogHit, terms_of
from duetime.model.states import FINAL, JobState

MOST: Final = 200
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

Text = Annotated[
    str,
    Meta(
        max_length=255,
        description='Words that a line has, in any case and order, and "exact phrases" in quotes.',
        examples=['connection "timed out"'],
        extra_json_schema=NO_NUL,
    ),
]


class LogSearchQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which lines to find."""

    q: Text | None = None
    level: Annotated[Level, Meta(description="Only lines that name this level or a higher one.")] | None = None
    job_id: Annotated[int, Meta(ge=1, le=MAX_ID, description="Only lines of this job.")] | None = None
    schedule_id: Annotated[int, Meta(ge=1, le=MAX_ID, description="Only lines of jobs of this schedule.")] | None = None
    label: (
        Annotated[list[LabelText], Meta(max_length=32, description="Only lines of jobs with this label, NAME=VALUE.")]
        | None
    ) = None
    status: (
        Annotated[list[JobState], Meta(max_length=10, description="Only lines of jobs that ended in this state.")]
        | None
    ) = None
    from_: Annotated[datetime, Meta(tz=True, description="Only lines that were stored at or after this.")] | None = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[datetime, Meta(tz=True, description="Only lines that were stored before this.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST, description="How many to show, or a few more.")] = 50
    cursor: Cursor | None = None


class LogLineView(Struct, frozen=True):
    """A line that matches."""

    number: Annotated[int, Meta(description="Its number in the log of the attempt, from 1.")]
    text: Annotated[str, Meta(description="Its first 1,000 characters.")]


class LogHitView(Struct, frozen=True):
    """Lines of an attempt that were stored together, and those of them that match."""

    job: int
    attempt: int
    at: Annotated[datetime, Meta(description="When the lines were stored.")]
    matches: Annotated[int, Meta(description="How many of the lines match.")]
    lines: Annotated[list[LogLineView], Meta(description="The first 10 lines that match.")]


async def search_logs(call: Call[None, LogSearchQuery]) -> Listing:
    """One page of the caller's lines, newest first."""
    return await _search(call, call.user.id)


async def search_logs_of_user(call: Call[None, LogSearchQuery]) -> Listing:
    """One page of a user's lines, newest first."""
    if call.id > MAX_USER_ID or await call.services.accounts.by_id(call.id) is None:
        raise NotFound(f"There is no user {call.id}.")
    return await _search(call, call.id)


async def _search(call: Call[None, LogSearchQuery], user_id: int) -> Listing:
    wanted = _filter(call.query)
    async with call.parts.page_reads.turn(call.user.id):
        page = await logs_of(call).search(user_id, wanted)
    more = None if page.floor is None else encode_cursor("logs", (page.floor - _EPOCH) // _MICROSECOND)
    return Listing([_view(hit) for hit in page.hits], more)


def _filter(query: LogSearchQuery) -> LogFilter:
    refuse_nul("q", query.q or "")
    statuses = tuple(dict.fromkeys(query.status or ()))
    if not set(statuses) <= FINAL:
        raise Invalid(f"'status' must be one that jobs end in: {', '.join(sorted(FINAL))}.", field="status")
    to = optional_utc("to", query.to)
    if query.cursor is not None:
        below = _EPOCH + decode_cursor("logs", query.cursor) * _MICROSECOND
        to = below if to is None else min(to, below)
    return LogFilter(
        terms=terms_of(query.q or ""),
        level=query.level,
        job_id=query.job_id,
        schedule_id=query.schedule_id,
        labels=labels_of(query.label),
        statuses=statuses,
        from_=optional_utc("from", query.from_),
        before=to,
        limit=query.limit,
    )


def _view(hit: LogHit) -> LogHitView:
    return LogHitView(hit.job_id, hit.attempt, hit.at, hit.matches, [LogLineView(*line) for line in hit.lines])


_DESCRIPTION = (
    "Newest first. A line matches if it has all words and phrases. A search reads a bounded number of lines: a page "
    "may have fewer items than asked for, even none, and a `next_cursor` to search further."
)

ROUTES = (
    Route(
        "GET",
        "/api/v1/me/logs",
        search_logs,
        "Search what your jobs logged",
        query=LogSearchQuery,
        answer=list[LogHitView],
        paged=True,
        tag=TAG,
        description=_DESCRIPTION,
    ),
    Route(
        "GET",
        "/api/v1/users/{id}/logs",
        search_logs_of_user,
        "Search what a user's jobs logged",
        query=LogSearchQuery,
        answer=list[LogHitView],
        auth="admin",
        paged=True,
        tag=TAG,
        description="As users search their own.",
    ),
)
