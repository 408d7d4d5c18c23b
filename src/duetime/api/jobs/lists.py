"""Listing and counting jobs by a filter: the caller's, and for admins those of any user."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.jobs.bodies import JobsFilter, JobsQuery
from duetime.api.jobs.views import JobView, job_view
from duetime.api.server.fields import optional_utc
from duetime.api.server.listing import Searched, read_page
from duetime.api.server.route import Call, Listing, Route
from duetime.model.errors import Invalid, NotFound
from duetime.model.job import Job, JobFilter
from duetime.model.states import JobState

COUNTED = 10_000
MAX_USER_ID = 2**31 - 1


class CountView(Struct, frozen=True):
    """How many jobs match."""

    count: int
    capped: Annotated[bool, Meta(description="Whether there may be more: a bounded number is searched and counted.")]
    by_status: dict[JobState, int]


async def list_jobs(call: Call[None, JobsQuery]) -> Listing:
    """One page of jobs, newest first."""
    return await _list(call, call.user.id)


async def list_jobs_of_user(call: Call[None, JobsQuery]) -> Listing:
    """One page of a user's jobs, newest first."""
    if call.id > MAX_USER_ID or await call.services.accounts.by_id(call.id) is None:
        raise NotFound(f"There is no user {call.id}.")
    return await _list(call, call.id)


async def count_matching_jobs(call: Call[None, JobsFilter]) -> CountView:
    """How many jobs match, up to a bound."""
    wanted = _filter(call.query, None, COUNTED)
    async with call.parts.page_reads.turn(call.user.id):
        counts, whole = await call.services.jobs.insight.count(call.user.id, wanted)
    return CountView(sum(counts.values()), not whole, counts)


async def _list(call: Call[None, JobsQuery], user_id: int) -> Listing:
    async def read(before: int | None, limit: int) -> Searched[Job]:
        wanted = _filter(call.query, before, limit)
        return Searched(*await call.services.jobs.insight.search(user_id, wanted))

    return await read_page("jobs", call, read, job_view)


def _filter(query: JobsFilter, before: int | None, limit: int) -> JobFilter:
    statuses = tuple(dict.fromkeys(query.status or ()))
    if query.retrying:
        if statuses not in ((), (JobState.CREATED,)):
            raise Invalid("'retrying' jobs are in the state created: leave 'status' out.", field="retrying")
        statuses = (JobState.CREATED,)
    return JobFilter(
        statuses=statuses,
        from_=optional_utc("from", query.from_),
        to=optional_utc("to", query.to),
        ordering_key=query.ordering_key,
        q=query.q,
        schedule_id=query.schedule_id,
        labels=labels_of(query.label),
        before_id=before,
        limit=limit,
        target=query.target,
        host=query.host,
        retrying=query.retrying,
    )


def labels_of(given: list[str] | None) -> dict[str, str] | None:
    """The labels in a query, each as NAME=VALUE."""
    labels: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise Invalid(f"'label' must be NAME=VALUE, such as team=billing, and not '{text[:80]}'.", field="label")
        if labels.setdefault(name, value) != value:
            raise Invalid(f"'label' asks for two values of '{name[:80]}': no job has both.", field="label")
    return labels or None


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/jobs",
        list_jobs,
        "List your jobs",
        query=JobsQuery,
        answer=list[JobView],
        paged=True,
        description="Newest first, including finished jobs. A search that no index helps reads a bounded number of "
        "jobs: a page may have fewer items than asked for, even none, and a `next_cursor` to search further.",
    ),
    Route(
        "GET",
        "/api/v1/me/jobs/count",
        count_matching_jobs,
        "Count your jobs that match a filter",
        query=JobsFilter,
        answer=CountView,
        description="Up to 10,000, and of a bounded number that is searched: `capped` says that there may be more.",
    ),
    Route(
        "GET",
        "/api/v1/users/{id}/jobs",
        list_jobs_of_user,
        "List a user's jobs",
        query=JobsQuery,
        answer=list[JobView],
        auth="admin",
        paged=True,
        description="As users list their own.",
    ),
)
