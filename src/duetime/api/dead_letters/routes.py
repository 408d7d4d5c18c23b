"""Listing, redriving and discarding dead letters."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from msgspec import structs

from duetime.api.dead_letters.bodies import (
    DeadLettersQuery,
    DeadLettersSearch,
    DiscardBody,
    RedriveBody,
    RedriveManyBody,
)
from duetime.api.dead_letters.parse import parse_filter, parse_selection
from duetime.api.dead_letters.views import ChosenView, DeadCountView, DeadLetterView, GroupsView, GroupView
from duetime.api.jobs.parse import parse_patch
from duetime.api.jobs.views import JobView, job_view, run_view
from duetime.api.server.listing import read_page
from duetime.api.server.route import Call, Listing, Route
from duetime.model.bounds import REDRIVEN
from duetime.model.errors import Conflict, NotFound
from duetime.model.job import Job
from duetime.model.states import JobState

TAG = "dead letters"
COUNTED = 10_000
"""Where counting ends."""
GROUPED = 2000
"""How many are grouped, the newest: few enough to be read from a disk while a person waits."""


async def list_dead_letters(call: Call[None, DeadLettersQuery]) -> Listing:
    """One page of dead letters, newest first."""
    query = call.query

    def read(before: int | None, limit: int) -> Awaitable[Sequence[Job]]:
        wanted = parse_filter(query, limit=limit, before_id=before)
        return call.services.jobs.dead_letters.list(call.user.id, wanted)

    return await read_page("dead letters", call, read, job_view)


async def group_dead_letters(call: Call[None, DeadLettersSearch]) -> GroupsView:
    """Dead letters by the class of their last failure."""
    return await _grouped(call, GROUPED)


async def _grouped(call: Call[None, DeadLettersSearch], most: int) -> GroupsView:
    wanted = parse_filter(call.query, limit=most)
    async with call.parts.page_reads.turn(call.user.id):
        groups = await call.services.jobs.dead_letters.groups(call.user.id, wanted)
    total = sum(one.count for one in groups)
    views = [GroupView(**structs.asdict(one)) for one in groups]
    return GroupsView(views, total, total < most)


async def count_dead_letters(call: Call[None, DeadLettersSearch]) -> DeadCountView:
    """How many dead letters match, up to a bound."""
    found = await _grouped(call, COUNTED)
    return DeadCountView(min(found.looked_at, COUNTED), not found.complete)


async def show_dead_letter(call: Call[None, None]) -> DeadLetterView:
    """One dead letter with its attempts."""
    job = await call.services.jobs.insight.job(call.user.id, call.id)
    if job.state is not JobState.DEAD:
        raise NotFound(f"Job {call.id} is {job.state}: it is not a dead letter.")
    runs = await call.services.jobs.insight.runs(call.user.id, call.id)
    return DeadLetterView(job_view(job), [run_view(run) for run in runs])


async def redrive_dead_letter(call: Call[RedriveBody | None, None]) -> JobView:
    """Redrives one dead letter, changed or as it was."""
    services, jobs, user_id = call.services, call.services.jobs, call.user.id
    job = await jobs.insight.job(user_id, call.id)
    if job.state is not JobState.DEAD:
        raise _not_dead(job)
    patch = None if call.body is None else call.body.patch()
    if patch is not None:
        edit = parse_patch(
            patch,
            job,
            now=services.clock.now(),
            max_message_bytes=services.settings.max_message_bytes,
            max_timeout=services.settings.max_timeout,
            check_target=call.check_target,
        )
        return job_view(await jobs.dead_letters.redrive_edited(user_id, call.id, edit, user_id))
    if not await jobs.dead_letters.redrive(user_id, [call.id], None, user_id):
        raise _not_dead(await jobs.insight.job(user_id, call.id))
    return job_view(await jobs.insight.job(user_id, call.id))


async def redrive_dead_letters(call: Call[RedriveManyBody, None]) -> ChosenView:
    """Redrives many dead letters, the oldest first."""
    ids, more = await _selected(call)
    if ids and not call.body.dry_run:
        ids = await call.services.jobs.dead_letters.redrive(call.user.id, ids, call.body.per_second, call.user.id)
    return ChosenView(sorted(ids), len(ids), more, call.body.dry_run)


async def discard_dead_letters(call: Call[DiscardBody, None]) -> ChosenView:
    """Discards many dead letters."""
    ids, more = await _selected(call)
    if ids and not call.body.dry_run:
        ids = await call.services.jobs.dead_letters.discard(call.user.id, ids, call.user.id)
    return ChosenView(sorted(ids), len(ids), more, call.body.dry_run)


async def _selected(call: Call[RedriveManyBody, None] | Call[DiscardBody, None]) -> tuple[list[int], bool]:
    """The ids that a call is about, the oldest first, and whether more remain than one call can change."""
    jobs = await call.services.jobs.dead_letters.list(call.user.id, parse_selection(call.body))
    return sorted(job.id for job in jobs[:REDRIVEN]), len(jobs) > REDRIVEN


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
        description="Jobs that failed for good, newest first. A job that blocks its lane has no `finished_at`; its "
        "`due_at` says when it failed.",
    ),
    Route(
        "GET",
        "/api/v1/me/dead-letters/groups",
        group_dead_letters,
        "Group your dead letters by error",
        query=DeadLettersSearch,
        answer=GroupsView,
        tag=TAG,
        description="The newest 2,000 are grouped. `kind` of a group, as a filter, selects it: for a list, a redrive "
        "or a discard.",
    ),
    Route(
        "GET",
        "/api/v1/me/dead-letters/count",
        count_dead_letters,
        "Count your dead letters that match a filter",
        query=DeadLettersSearch,
        answer=DeadCountView,
        tag=TAG,
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
        "Redrive a dead letter",
        body=RedriveBody,
        body_optional=True,
        answer=JobView,
        errors=(Conflict,),
        tag=TAG,
        size="job",
        description="The job is due at once, even outside its hours. It gets as many attempts as a new job; their "
        "numbers continue, so that no run's id is used twice. With a body, the job is changed first: it comes back "
        "due in the far future, is changed, and is then made due at once, so that it never starts half changed.",
        example={"target": {"kind": "http", "url": "https://example.com/hook"}},
    ),
    Route(
        "POST",
        "/api/v1/me/dead-letters/redrive",
        redrive_dead_letters,
        "Redrive many dead letters",
        body=RedriveManyBody,
        answer=ChosenView,
        tag=TAG,
        description="At most 1,000 per call; `more_remain` says whether more are left. The oldest run first.",
        example={"filter": {"error": "503"}, "per_second": 10, "dry_run": True},
    ),
    Route(
        "POST",
        "/api/v1/me/dead-letters/discard",
        discard_dead_letters,
        "Discard many dead letters",
        body=DiscardBody,
        answer=ChosenView,
        errors=(Conflict,),
        tag=TAG,
        description="They end as cancelled, and lanes that waited for them continue. At most 1,000 per call; "
        "`more_remain` says whether more are left.",
        example={"ids": [1025, 2049]},
    ),
)
