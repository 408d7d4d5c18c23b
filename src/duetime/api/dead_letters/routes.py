"""Dead letters: jobs that failed for good, and what people decide about them."""

from __future__ import annotations

from duetime.api.dead_letters.bodies import (
    AT_ONCE,
    DeadLettersQuery,
    DiscardBody,
    RedriveBody,
    RedriveManyBody,
    chosen,
    dead_filter,
)
from duetime.api.dead_letters.views import ChosenView, DeadLetterView
from duetime.api.jobs.parse import parse_patch
from duetime.api.jobs.views import JobView, job_view, run_view
from duetime.api.server.cursors import decode_cursor
from duetime.api.server.listing import page
from duetime.api.server.route import Call, Listing, Route
from duetime.model.errors import Conflict, NotFound
from duetime.model.job import Job
from duetime.model.states import JobState

TAG = "dead letters"


async def list_dead_letters(call: Call[None, DeadLettersQuery]) -> Listing:
    """One page of dead letters, newest first."""
    query = call.query
    before_id = None if query.cursor is None else decode_cursor("dead letters", query.cursor)
    wanted = dead_filter(query, limit=query.limit, before_id=before_id)
    jobs = await call.services.dead_letters.list(call.user.id, wanted)
    return page("dead letters", jobs, query.limit, job_view)


async def show_dead_letter(call: Call[None, None]) -> DeadLetterView:
    """One dead letter with its attempts."""
    job = await call.services.insight.job(call.user.id, call.id)
    if job.state is not JobState.DEAD:
        raise NotFound(f"Job {call.id} is {job.state}: it is not among the dead letters.")
    runs = await call.services.insight.runs(call.user.id, call.id)
    return DeadLetterView(job_view(job), [run_view(run) for run in runs])


async def redrive_dead_letter(call: Call[RedriveBody | None, None]) -> JobView:
    """Give one dead letter another life, changed or not."""
    services, user_id = call.services, call.user.id
    job = await services.insight.job(user_id, call.id)
    if job.state is not JobState.DEAD:
        raise _not_dead(job)
    patch = None if call.body is None else call.body.patch()
    if patch is not None:
        size = services.settings.max_message_bytes
        edit = parse_patch(patch, job, now=services.clock.now(), max_message_bytes=size)
        return job_view(await services.dead_letters.redrive_edited(user_id, call.id, edit, user_id))
    if not await services.dead_letters.redrive(user_id, [call.id], None, user_id):
        raise _not_dead(await services.insight.job(user_id, call.id))
    return job_view(await services.insight.job(user_id, call.id))


async def redrive_dead_letters(call: Call[RedriveManyBody, None]) -> ChosenView:
    """Give many dead letters another life, the oldest first."""
    ids, more = await _chosen(call)
    if ids and not call.body.dry_run:
        ids = await call.services.dead_letters.redrive(call.user.id, ids, call.body.per_second, call.user.id)
    return ChosenView(sorted(ids), len(ids), more, call.body.dry_run)


async def discard_dead_letters(call: Call[DiscardBody, None]) -> ChosenView:
    """Give many dead letters up."""
    ids, more = await _chosen(call)
    if ids and not call.body.dry_run:
        ids = await call.services.dead_letters.discard(call.user.id, ids, call.user.id)
    return ChosenView(sorted(ids), len(ids), more, call.body.dry_run)


async def _chosen(call: Call[RedriveManyBody, None] | Call[DiscardBody, None]) -> tuple[list[int], bool]:
    """What a call is about, the oldest first, and whether there is more than it can do."""
    jobs = await call.services.dead_letters.list(call.user.id, chosen(call.body))
    return sorted(job.id for job in jobs[:AT_ONCE]), len(jobs) > AT_ONCE


def _not_dead(job: Job) -> Conflict:
    return Conflict(f"Job {job.id} is {job.state}: only a dead letter can be redriven.")


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/dead-letters",
        list_dead_letters,
        "List your dead letters",
        query=DeadLettersQuery,
        answer=list[JobView],
        paged=True,
        tag=TAG,
        description="Jobs that failed for good, newest first. Those that hold their lane have no `finished_at`; "
        "their `due_at` says when they ended.",
    ),
    Route(
        "GET",
        "/api/v1/me/dead-letters/{id}",
        show_dead_letter,
        "Show a dead letter",
        answer=DeadLetterView,
        tag=TAG,
        description="The job with all its attempts.",
    ),
    Route(
        "POST",
        "/api/v1/me/dead-letters/{id}/redrive",
        redrive_dead_letter,
        "Give a dead letter another life",
        body=RedriveBody,
        body_optional=True,
        answer=JobView,
        errors=(Conflict,),
        tag=TAG,
        size="job",
        description="At once, whatever its hours. Attempts go on counting, so that no run's id comes twice, but it has "
        "as many as a new job would. With a body it is changed first: it comes back due in the far future, is changed, "
        "and is then made due at once, so that nothing starts half changed.",
        example={"target": {"kind": "http", "url": "https://example.com/hook"}},
    ),
    Route(
        "POST",
        "/api/v1/me/dead-letters/redrive",
        redrive_dead_letters,
        "Give many dead letters another life",
        body=RedriveManyBody,
        answer=ChosenView,
        tag=TAG,
        description="At most 1,000 a call; `more_remain` says when there are more. The oldest goes first.",
        example={"filter": {"error": "503"}, "per_second": 10, "dry_run": True},
    ),
    Route(
        "POST",
        "/api/v1/me/dead-letters/discard",
        discard_dead_letters,
        "Give many dead letters up",
        body=DiscardBody,
        answer=ChosenView,
        errors=(Conflict,),
        tag=TAG,
        description="They end as cancelled, and lanes that waited for them go on. At most 1,000 a call; `more_remain` "
        "says when there are more.",
        example={"ids": [1025, 2049]},
    ),
)
