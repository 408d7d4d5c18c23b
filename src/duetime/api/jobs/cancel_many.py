"""Cancelling many jobs in one call: by ids, by idempotency keys, or by a filter."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from duetime.api.jobs.bodies import Labels, TargetName
from duetime.api.server.cursors import Cursor, PageSize, encode_cursor
from duetime.api.server.fields import NO_NUL, optional_utc, refuse_nul
from duetime.api.server.listing import before_id
from duetime.api.server.route import Call, Listing, Route
from duetime.model.errors import Conflict, Invalid
from duetime.model.ids import MAX_ID
from duetime.model.job import JobFilter
from duetime.model.states import JobState

AT_ONCE = 1000
Text = Annotated[str, Meta(min_length=1, max_length=255, extra_json_schema=NO_NUL)]


OpenState = Literal["created", "queued", "running"]


class WaitingJobsFilter(Struct, frozen=True, forbid_unknown_fields=True):
    """Selects jobs that have not ended; without any field, all of them."""

    labels: Annotated[Labels, Meta(description="Only jobs that have all of these labels.")] | None = None
    status: Annotated[OpenState, Meta(description="Only jobs in this state.")] | None = None
    statuses: Annotated[list[OpenState], Meta(max_length=3, description="Only jobs in one of these states.")] | None = (
        None
    )
    retrying: Annotated[bool, Meta(description="Only jobs that wait for another attempt.")] = False
    target: Annotated[TargetName, Meta(description="Only jobs with this kind of target.")] | None = None
    host: Annotated[Text, Meta(description="Only jobs that call this host, as breakers spell it.")] | None = None
    schedule_id: Annotated[int, Meta(ge=1, le=MAX_ID, description="Only jobs of this schedule.")] | None = None
    ordering_key: Annotated[Text, Meta(description="Only jobs with this key.")] | None = None
    from_: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` at or after this.")] | None = (
        msgspec.field(name="from", default=None)
    )
    to: Annotated[datetime, Meta(tz=True, description="Only jobs with `execute_at` before this.")] | None = None
    q: Annotated[Text, Meta(description="Only jobs whose message contains this.")] | None = None


class CancelManyBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Which jobs to cancel: by ids, by idempotency keys, or by a filter."""

    ids: Annotated[list[Annotated[int, Meta(ge=1, le=MAX_ID)]], Meta(min_length=1, max_length=AT_ONCE)] | None = None
    keys: Annotated[list[Text], Meta(min_length=1, max_length=AT_ONCE)] | None = None
    filter: WaitingJobsFilter | None = None
    limit: PageSize = AT_ONCE
    cursor: Cursor | None = None
    dry_run: Annotated[bool, Meta(description="Change nothing: only answer which ones the call would cancel.")] = False


class CancelledView(Struct, frozen=True):
    """What the call did, or would do."""

    ids: Annotated[
        list[int], Meta(description="Jobs that waited and are cancelled now; with `dry_run`, all that are meant.")
    ]
    stopping: Annotated[list[int], Meta(description="Jobs that run and were asked to stop.")]
    count: Annotated[int, Meta(description="How many these are together.")]
    ended: Annotated[
        list[int], Meta(description="Of the jobs named by ids or keys: those that had ended, or do not exist.")
    ]
    unknown_keys: Annotated[list[str], Meta(description="Of the keys: those that no job has.")]
    dry_run: Annotated[bool, Meta(description="Whether nothing was changed.")]


async def cancel_jobs(call: Call[CancelManyBody, None]) -> Listing:
    """Cancels one page of the jobs that are meant, newest first."""
    body, jobs, user_id = call.body, call.services.jobs, call.user.id
    if sum(given is not None for given in (body.ids, body.keys, body.filter)) != 1:
        raise Invalid("Give one of 'ids', 'keys' and 'filter' (an empty filter means all your jobs).", field="ids")
    named: list[int] = body.ids or []
    unknown: list[str] = []
    if body.keys is not None:
        found = await jobs.insight.jobs_of_keys(user_id, [_checked(key) for key in body.keys])
        named, unknown = list(found.values()), [key for key in dict.fromkeys(body.keys) if key not in found]
    if body.filter is None:
        wanted = JobFilter(ids=tuple(named), limit=AT_ONCE)
    else:
        refuse_nul("filter.host", body.filter.host or "")
        wanted = _parse_filter(body.filter, body.limit, before_id("jobs", body.cursor))
    done, asked = await jobs.insight.cancellable(user_id, wanted), list[int]()
    last = done[-1] if body.filter is not None and len(done) >= body.limit else None
    if done and not body.dry_run:
        done, asked = await jobs.control.cancel_many(user_id, done, user_id)
    ended = sorted({*named}.difference(done, asked))
    view = CancelledView(sorted(done), sorted(asked), len(done) + len(asked), ended, unknown, body.dry_run)
    return Listing(view, None if last is None else encode_cursor("jobs", last))


def _checked(key: str) -> str:
    refuse_nul("keys", key)
    return key


def _parse_filter(given: WaitingJobsFilter, limit: int, before: int | None) -> JobFilter:
    for name, text in (("filter.ordering_key", given.ordering_key), ("filter.q", given.q)):
        refuse_nul(name, text or "")
    for name, value in (given.labels or {}).items():
        refuse_nul("filter.labels", name + value)
    return JobFilter(
        statuses=_states(given),
        from_=optional_utc("filter.from", given.from_),
        to=optional_utc("filter.to", given.to),
        ordering_key=given.ordering_key,
        q=given.q,
        schedule_id=given.schedule_id,
        labels=given.labels or None,
        before_id=before,
        limit=limit,
        target=given.target,
        host=given.host,
        retrying=given.retrying,
    )


def _states(given: WaitingJobsFilter) -> tuple[JobState, ...]:
    named = [*(given.statuses or ()), *([given.status] if given.status else [])]
    if given.retrying:
        if {*named} - {"created"}:
            raise Invalid("'retrying' jobs are in the state created: leave other states out.", field="filter.retrying")
        named = ["created"]
    return tuple(JobState(one) for one in dict.fromkeys(named))


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/jobs/cancel",
        cancel_jobs,
        "Cancel many jobs",
        body=CancelManyBody,
        answer=CancelledView,
        paged=True,
        errors=(Conflict,),
        size="job",
        description="At most 1,000 a call, all in one transaction. A filter with more goes on with `next_cursor` as "
        "`cursor`; jobs created after the first call are not among them. Running jobs are asked to stop. A schedule "
        "whose pending occurrence is cancelled mints the next one: pause it to stop it. Dead letters are discarded by "
        "a call of their own.",
        example={"filter": {"labels": {"order": "4711"}}, "dry_run": True},
    ),
)
