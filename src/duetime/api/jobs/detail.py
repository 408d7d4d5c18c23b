"""One job as its own page shows it: with its result, or with the worker that has it and the progress so far."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from duetime.api.jobs.views import JobView, job_fields
from duetime.api.server.route import Call, Route
from duetime.api.workers.views import WorkerRunView, worker_run_view
from duetime.model.job import Job
from duetime.model.states import FINAL, JobState

BY_KEY = "/api/v1/me/jobs/by-key/{key}"


class JobDetailView(JobView, frozen=True, kw_only=True):
    """A job, with what a worker made of it."""

    held: Annotated[WorkerRunView, Meta(description="The attempt that a worker has now, with its progress.")] | None
    result: Annotated[
        Any, Meta(description="What the worker gave back; null while the job has not succeeded, and for other targets.")
    ]


async def show_job(call: Call[None, None]) -> JobDetailView:
    """One job, finished or not."""
    return await _shown(call, call.id)


async def show_job_by_key(call: Call[None, None]) -> JobDetailView:
    """One job, finished or not."""
    return await _shown(call, await call.services.jobs.insight.job_of_key(call.user.id, call.key))


async def _shown(call: Call[None, None], job_id: int) -> JobDetailView:
    job = await call.services.jobs.insight.job(call.user.id, job_id)
    return JobDetailView(*job_fields(job), held=await _held(call, job), result=await _result(call, job))


async def _held(call: Call[None, None], job: Job) -> WorkerRunView | None:
    workers = call.services.workers
    if workers is None or job.state is not JobState.RUNNING or job.definition.target.pulled() is None:
        return None
    run = await workers.insight.run_of(call.user.id, job.id)
    return None if run is None else worker_run_view(run)


async def _result(call: Call[None, None], job: Job) -> Any:
    target = job.definition.target
    if job.state not in FINAL or (target.pulled() is None and target.spreads() is None):
        return None
    runs = await call.services.jobs.insight.runs(call.user.id, job.id)
    answer = runs[-1].answer if runs else None
    return None if answer is None else answer.value()


ROUTES = (
    Route(
        "GET",
        BY_KEY,
        show_job_by_key,
        "Show the job of an idempotency key",
        answer=JobDetailView,
        description="A key is kept for 7 days at least, and until its job has ended.",
    ),
    Route("GET", "/api/v1/me/jobs/{id}", show_job, "Show a job", answer=JobDetailView),
)
