"""Creating, showing, changing and cancelling jobs, one at a time."""

from __future__ import annotations

import re
from typing import Any

from duetime.api.jobs.bodies import JobBody, JobPatch
from duetime.api.jobs.parse import JobParser, parse_patch
from duetime.api.jobs.tracing import TRACEPARENT, parent_of, submission
from duetime.api.jobs.views import CreatedView, JobView, RunView, created_view, job_view, run_view
from duetime.api.server.route import Answer, Call, HeaderParameter, Route
from duetime.model.errors import Conflict, Invalid

IDEMPOTENCY_KEY = HeaderParameter(
    "Idempotency-Key",
    "1 to 255 printable ASCII characters. The same key with the same body returns the same job, with status 200; "
    "with another body it is a conflict.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x20-\\x7e]*$"},
)

_KEY = re.compile(r"[\x20-\x7e]{1,255}")


def idempotency_key(call: Call[Any, Any]) -> str | None:
    """Returns the idempotency key in the header, if there is one."""
    key = call.header(b"idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise Invalid(
            "The header 'Idempotency-Key' must have 1 to 255 printable ASCII characters.", field="Idempotency-Key"
        )
    return key


async def create_job(call: Call[JobBody, None]) -> Answer:
    """Stores a job, and answers once it is durable."""
    services = call.services
    settings = services.settings
    parser = JobParser(
        call.user.id, services.clock.now(), settings.max_message_bytes, settings.max_timeout, call.check_target
    )
    key, parent = idempotency_key(call), parent_of(call, call.body.traceparent)
    if parent is None:
        job = parser.parse(call.body, idempotency_key=key)
        submitted = await services.jobs.submit.one(job)
    else:
        with submission(call, parent) as request:
            job = parser.parse(call.body, idempotency_key=key, trace=request.parent)
            submitted = await services.jobs.submit.one(job)
            request.jobs = [submitted.job.id]
    location = b"/api/v1/me/jobs/%d" % submitted.job.id
    return Answer(
        created_view(submitted.job, created=not submitted.repeated),
        200 if submitted.repeated else 201,
        ((b"location", location),),
    )


async def edit_job(call: Call[JobPatch, None]) -> JobView:
    """Changes a job that has not started."""
    services, user_id = call.services, call.user.id
    edit = parse_patch(
        call.body,
        await services.jobs.insight.job(user_id, call.id),
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
        max_timeout=services.settings.max_timeout,
        check_target=call.check_target,
    )
    return job_view(await services.jobs.control.edit(user_id, call.id, edit, user_id))


async def cancel_job(call: Call[None, None]) -> JobView:
    """Cancels a waiting job; asks a running one to stop."""
    return job_view(await call.services.jobs.control.cancel(call.user.id, call.id, call.user.id))


async def run_job_now(call: Call[None, None]) -> JobView:
    """Makes a job due at once."""
    return job_view(await call.services.jobs.control.run_now(call.user.id, call.id, call.user.id))


async def list_runs(call: Call[None, None]) -> list[RunView]:
    """Every attempt of a job."""
    return [run_view(run) for run in await call.services.jobs.insight.runs(call.user.id, call.id)]


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/jobs",
        create_job,
        "Create a job",
        body=JobBody,
        answer=CreatedView,
        status=201,
        errors=(Conflict,),
        description="Once the call answers, the job is on disk and will not be lost. Give `execute_at` or `delay`; "
        "with neither, the job is due at once.",
        size="job",
        headers=(IDEMPOTENCY_KEY, TRACEPARENT),
        answer_headers={"Location": "The path of the job."},
        also={
            200: "A repeat with the same key and body: `created` is false, and this is the job that the first call "
            "created, whatever its status is now. A cancelled one stays cancelled: a new job needs a new key."
        },
        example={
            "message": "good morning",
            "execute_at": "2030-01-31T09:00:00+01:00",
            "target": {"kind": "http", "url": "https://example.com/hook"},
        },
    ),
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
        description="A running job is asked to stop. 409 for a job that has ended.",
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
        description="The last 100, in order, with lateness, duration, and what an HTTP target answered.",
    ),
)
