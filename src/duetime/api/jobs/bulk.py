"""Many jobs in one request, all or nothing."""

from __future__ import annotations

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import parse_job
from duetime.api.jobs.views import BulkView
from duetime.api.server.route import Call, Route
from duetime.model.errors import DuetimeError, Invalid, PartlyStored, TooLarge
from duetime.model.job import NewJob

BREATH = 1000
"""After so many jobs, other requests get their turn."""


async def create_jobs(call: Call[list[JobBody], None]) -> BulkView:
    """Store all or none; answer once they are durable."""
    bodies, services = call.body, call.services
    limit = services.settings.max_bulk
    if not bodies:
        raise Invalid("There must be at least one job.")
    if len(bodies) > limit:
        raise TooLarge(f"There may be at most {limit} jobs in one request, not {len(bodies)}.", limit=limit)
    now, jobs = services.clock.now(), list[NewJob]()
    for index, body in enumerate(bodies):
        if index % BREATH == BREATH - 1:
            await services.clock.sleep(0)
        try:
            jobs.append(
                parse_job(body, user_id=call.user.id, now=now, max_message_bytes=services.settings.max_message_bytes)
            )
        except DuetimeError as error:
            error.about("Job", index)
            raise
    return BulkView(await services.submit.many(jobs))


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/jobs/bulk",
        create_jobs,
        "Create many jobs",
        body=list[JobBody],
        line=JobBody,
        answer=BulkView,
        status=201,
        errors=(PartlyStored,),
        description="Up to 10,000 jobs (the server may set another limit): all are stored, or none. An error names "
        "the `index` of the job that is wrong, counted from 0, and in NDJSON its `line`, counted from 1. With several "
        "databases, jobs that are bound to more than one of them (by ordering keys, limits or pins) are stored all or "
        "none in each: `partly_stored` says which were, in `error.details`.",
        size="bulk",
        example=[{"message": "one", "delay": "30s"}, {"message": "two"}],
    ),
)
