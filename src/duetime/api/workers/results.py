"""What became of a job: its result, the worker that has it, and the lines that its runs logged."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from duetime.api.jobs.views import RunError
from duetime.api.server.route import Call, Route
from duetime.api.workers.bodies import LogQuery, ResultQuery
from duetime.api.workers.routes import workers_of
from duetime.api.workers.views import LinesView, ResultView
from duetime.model.errors import NotFound
from duetime.model.job import Job
from duetime.model.states import FINAL

_ATTEMPT: Final = re.compile(r"[1-9][0-9]{0,4}")


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


async def show_log(call: Call[None, LogQuery]) -> LinesView:
    """The lines that an attempt logged."""
    if not _ATTEMPT.fullmatch(call.key):
        raise NotFound
    job = await call.services.jobs.insight.job(call.user.id, call.id)
    return LinesView(await workers_of(call).logs.lines(call.user.id, job.id, int(call.key), call.query.skip))


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
    Route(
        "GET",
        "/api/v1/me/jobs/{id}/runs/{key}/logs",
        show_log,
        "Show what an attempt logged",
        query=LogQuery,
        answer=LinesView,
        description="The number in the path is that of the attempt. The first 256 KiB are kept. To follow a log, ask "
        "again with `skip`: the number of lines that you have.",
    ),
)
