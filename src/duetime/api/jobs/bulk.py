"""Creating many jobs in one request, all or none."""

from __future__ import annotations

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser
from duetime.api.jobs.tracing import TRACEPARENT, parent_of, submission
from duetime.api.jobs.views import BulkView
from duetime.api.server.many import parse_many
from duetime.api.server.route import Call, Route
from duetime.engine.slices import RequestSlices
from duetime.model.errors import PartlyStored


async def create_jobs(call: Call[list[JobBody], None]) -> BulkView:
    """Stores all jobs or none, and answers once they are durable."""
    parent = parent_of(call)
    if parent is None:
        return BulkView(await _stored(call, None))
    with submission(call, parent) as request:
        request.jobs = await _stored(call, request.parent)
        return BulkView(request.jobs)


async def _stored(call: Call[list[JobBody], None], trace: str | None) -> list[int]:
    """Stores the jobs of a request. `trace` is the trace parent of those that have none of their own."""
    services = call.services
    settings = services.settings
    parser = JobParser(
        call.user.id, services.clock.now(), settings.max_message_bytes, settings.max_timeout, call.check_target, trace
    )
    jobs = await parse_many("Job", call.body, parser.parse, services)
    try:
        return await services.jobs.submit.many(jobs)
    finally:
        await RequestSlices(services.clock).free(jobs)


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/jobs/bulk",
        create_jobs,
        "Create many jobs",
        body=list[JobBody],
        line=JobBody,
        noun="job",
        answer=BulkView,
        status=201,
        errors=(PartlyStored,),
        description="Up to 10,000 jobs (the server may set another limit): all are stored, or none. An error names "
        "the `index` of the wrong job, counted from 0, and in NDJSON its `line`, counted from 1. With several "
        "databases, jobs that belong to more than one of them (by ordering keys, limits or pins) are stored all or "
        "none in each: `partly_stored` says in `error.details` which jobs were stored.",
        size="bulk",
        headers=(TRACEPARENT,),
        example=[{"message": "one", "delay": "30s"}, {"message": "two"}],
    ),
)
