"""What became of a job: its result."""

from __future__ import annotations

from datetime import timedelta

from duetime.api.jobs.views import RunError
from duetime.api.server.route import Call, Route
from duetime.api.workers.bodies import ResultQuery
from duetime.api.workers.views import ResultView
from duetime.model.job import Job
from duetime.model.states import FINAL


async def show_result(call: Call[None, ResultQuery]) -> ResultView:
    """Waits until a job has ended, and shows what it ended with."""
    services, user_id = call.services, call.user.id
    insight = services.jobs.insight

    async def read() -> Job:
        return await insight.job(user_id, call.id)

    until = services.clock.now() + timedelta(milliseconds=call.query.wait_ms)
    job = await services.jobs.results.ended(call.id, read, until)
    done = job.state in FINAL
    runs = await insight.runs(user_id, call.id) if done else []
    last = runs[-1] if runs else None
    failure = None if last is None else last.failure
    return ResultView(
        job=job.id,
        status=job.state,
        done=done,
        result=None if last is None or last.answer is None else last.answer.value(),
        error=None if failure is None else RunError(failure.kind, failure.message),
    )


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/jobs/{id}/result",
        show_result,
        "Wait for a job's result",
        query=ResultQuery,
        answer=ResultView,
        description="Answers when the job has ended, or after `wait_ms`: then `done` is false.",
    ),
)
