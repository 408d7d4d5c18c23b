"""Changing and cancelling a job by the idempotency key that created it: the client's own name for it."""

from __future__ import annotations

from duetime.api.jobs.bodies import JobPatch
from duetime.api.jobs.parse import parse_patch
from duetime.api.jobs.views import JobView, job_view
from duetime.api.server.route import Call, Route
from duetime.model.errors import Conflict

PATH = "/api/v1/me/jobs/by-key/{key}"


async def edit_job_by_key(call: Call[JobPatch, None]) -> JobView:
    """Changes a job that has not started."""
    services, user_id = call.services, call.user.id
    job_id = await services.jobs.insight.job_of_key(user_id, call.key)
    edit = parse_patch(
        call.body,
        await services.jobs.insight.job(user_id, job_id),
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
        max_timeout=services.settings.max_timeout,
        check_target=call.check_target,
    )
    return job_view(await services.jobs.control.edit(user_id, job_id, edit, user_id))


async def cancel_job_by_key(call: Call[None, None]) -> JobView:
    """Cancels a waiting job; asks a running one to stop."""
    jobs, user_id = call.services.jobs, call.user.id
    return job_view(await jobs.control.cancel(user_id, await jobs.insight.job_of_key(user_id, call.key), user_id))


ROUTES = (
    Route(
        "PATCH",
        PATH,
        edit_job_by_key,
        "Change the job of an idempotency key",
        body=JobPatch,
        answer=JobView,
        errors=(Conflict,),
        size="job",
        description="Only a job that has not started can be changed.",
        example={"delay": "10m"},
    ),
    Route(
        "POST",
        f"{PATH}/cancel",
        cancel_job_by_key,
        "Cancel the job of an idempotency key",
        answer=JobView,
        errors=(Conflict,),
        description="A running job is asked to stop; a finished one is a conflict. The key stays taken: creating a job "
        "with it answers the cancelled job.",
    ),
)
