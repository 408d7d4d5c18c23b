"""Jobs, one at a time: made, listed, shown, changed, started, stopped."""

from __future__ import annotations

import re

from duetime.api.jobs.bodies import JobBody, JobPatch, JobsQuery
from duetime.api.jobs.parse import in_utc, parse_job, parse_patch
from duetime.api.jobs.views import JobView, RunView, job_view, run_view
from duetime.api.server.cursors import decode_cursor, encode_cursor
from duetime.api.server.route import Answer, Call, HeaderParameter, Listing, Route
from duetime.model.errors import Conflict, Invalid
from duetime.model.job import JobFilter
from duetime.model.states import JobState

IDEMPOTENCY_KEY = HeaderParameter(
    "Idempotency-Key",
    "1 to 255 printable ASCII characters. The same key with the same body answers the same job, with status 200; "
    "with another body it is a conflict.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x20-\\x7e]*$"},
)

_KEY = re.compile(r"[\x20-\x7e]{1,255}")


def idempotency_key(call: Call[JobBody, None]) -> str | None:
    """The key in the header, if there is one."""
    key = call.header(b"idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise Invalid(
            "The header 'Idempotency-Key' must have 1 to 255 printable ASCII characters.", field="Idempotency-Key"
        )
    return key


async def create_job(call: Call[JobBody, None]) -> Answer:
    """Store a job; answer once it is durable."""
    services = call.services
    job = parse_job(
        call.body,
        user_id=call.user.id,
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
        idempotency_key=idempotency_key(call),
    )
    submitted = await services.submit.one(job)
    location = b"/api/v1/me/jobs/%d" % submitted.job.id
    return Answer(job_view(submitted.job), 200 if submitted.repeated else 201, ((b"location", location),))


async def list_jobs(call: Call[None, JobsQuery]) -> Listing:
    """One page of jobs, newest first."""
    query = call.query
    wanted = JobFilter(
        status=query.status,
        from_=None if query.from_ is None else in_utc("from", query.from_),
        to=None if query.to is None else in_utc("to", query.to),
        ordering_key=query.ordering_key,
        q=query.q,
        before_id=None if query.cursor is None else decode_cursor("jobs", query.cursor),
        limit=query.limit,
    )
    jobs = await call.services.insight.jobs(call.user.id, wanted)
    more = encode_cursor("jobs", jobs[-1].id) if len(jobs) >= query.limit else None
    return Listing([job_view(job) for job in jobs], more)


async def show_job(call: Call[None, None]) -> JobView:
    """One job, finished or not."""
    return job_view(await call.services.insight.job(call.user.id, call.id))


async def edit_job(call: Call[JobPatch, None]) -> JobView:
    """Change a job that has not started."""
    services, user_id = call.services, call.user.id
    edit = parse_patch(
        call.body,
        await services.insight.job(user_id, call.id),
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
    )
    return job_view(await services.control.edit(user_id, call.id, edit, user_id))


async def cancel_job(call: Call[None, None]) -> JobView:
    """End a job that waits; ask one that runs to stop."""
    return job_view(await call.services.control.cancel(call.user.id, call.id, call.user.id))


async def run_job_now(call: Call[None, None]) -> JobView:
    """Make a job due at once."""
    return job_view(await call.services.control.run_now(call.user.id, call.id, call.user.id))


async def list_runs(call: Call[None, None]) -> list[RunView]:
    """Every attempt of a job."""
    return [run_view(run) for run in await call.services.insight.runs(call.user.id, call.id)]


async def count_jobs(call: Call[None, None]) -> dict[JobState, int]:
    """How many jobs are in each state, those without any included."""
    return dict.fromkeys(JobState, 0) | await call.services.insight.stats(call.user.id)


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/jobs",
        create_job,
        "Create a job",
        body=JobBody,
        answer=JobView,
        status=201,
        errors=(Conflict,),
        description="When the answer is there, the job is on disk and will not be lost. Give `execute_at` or `delay`; "
        "with neither, it is due at once.",
        size="job",
        headers=(IDEMPOTENCY_KEY,),
        answer_headers={"Location": "The path of the job."},
        also={200: "The key and the body were seen before: this is the job that they made."},
        example={
            "message": "good morning",
            "execute_at": "2030-01-31T09:00:00+01:00",
            "target": {"kind": "http", "url": "https://example.com/hook"},
        },
    ),
    Route(
        "GET",
        "/api/v1/me/jobs",
        list_jobs,
        "List your jobs",
        query=JobsQuery,
        answer=list[JobView],
        paged=True,
        description="Newest first, finished ones included.",
    ),
    Route(
        "GET",
        "/api/v1/me/jobs/stats",
        count_jobs,
        "Count your jobs by state",
        answer=dict[JobState, int],
    ),
    Route("GET", "/api/v1/me/jobs/{id}", show_job, "Show a job", answer=JobView),
    Route(
        "PATCH",
        "/api/v1/me/jobs/{id}",
        edit_job,
        "Change a job that has not started",
        body=JobPatch,
        answer=JobView,
        errors=(Conflict,),
        size="job",
        example={"delay": "10m", "message": "good evening"},
    ),
    Route(
        "POST",
        "/api/v1/me/jobs/{id}/cancel",
        cancel_job,
        "Cancel a job",
        answer=JobView,
        errors=(Conflict,),
        description="A running job is asked to stop; a finished one is a conflict.",
    ),
    Route(
        "POST",
        "/api/v1/me/jobs/{id}/run-now",
        run_job_now,
        "Make a job due at once",
        answer=JobView,
        errors=(Conflict,),
    ),
    Route(
        "GET",
        "/api/v1/me/jobs/{id}/runs",
        list_runs,
        "List a job's attempts",
        answer=list[RunView],
        description="First to last, with lateness, duration, and what an HTTP target answered.",
    ),
)
