"""A schedule's instants: previewing them, listing their history, and launching jobs beside them."""

from __future__ import annotations

from duetime.api.jobs.views import JobView, job_view
from duetime.api.schedules.bodies import BackfillBody, PreviewBody, PreviewQuery, RecordsQuery
from duetime.api.schedules.parse import parse_timing
from duetime.api.schedules.routes import PATH, TAG
from duetime.api.schedules.views import BackfillView, PreviewView, RecordView, preview_view, record_view
from duetime.api.server.cursors import encode_cursor
from duetime.api.server.fields import duration, job_instant, optional_utc
from duetime.api.server.listing import before_id
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.model.ids import MAX_ID

SHOWN = 1000


async def run_schedule_now(call: Call[None, None]) -> Answer:
    """Launches a schedule's job now, beside its occurrences."""
    job_id = await call.services.recurring.backfill.run_now(call.user.id, call.id, call.user.id)
    job = await call.services.jobs.insight.job(call.user.id, job_id)
    return Answer(job_view(job), None, ((b"location", b"/api/v1/me/jobs/%d" % job_id),))


async def preview_schedule(call: Call[None, PreviewQuery]) -> PreviewView:
    """The coming instants of a schedule."""
    query = call.query
    after = optional_utc("from", query.from_)
    timing, found = await call.services.recurring.schedules.preview(call.user.id, call.id, query.n, after)
    return preview_view(timing, found)


async def preview_timing(call: Call[PreviewBody, None]) -> PreviewView:
    """The coming instants of a timing that is not saved."""
    body = call.body
    after = optional_utc("from", body.from_)
    timing = parse_timing(body)
    found = await call.services.recurring.schedules.preview_of(call.user.id, timing, body.name, body.n, after)
    return preview_view(timing, found)


async def list_records(call: Call[None, RecordsQuery]) -> Listing:
    """The records of a schedule's instants, newest first."""
    query = call.query
    before = before_id("records", query.cursor)
    found = await call.services.recurring.schedules.history(
        call.user.id, call.id, MAX_ID + 1 if before is None else before, query.limit
    )
    more = encode_cursor("records", found[-1].job_id) if len(found) == query.limit else None
    return Listing([record_view(record) for record in found], more)


async def backfill_schedule(call: Call[BackfillBody, None]) -> BackfillView:
    """Launches the instants of a range of the past, or shows which they are."""
    body = call.body
    filled = await call.services.recurring.backfill.fill(
        call.user.id,
        call.id,
        job_instant("from", body.from_),
        job_instant("to", body.to),
        call.user.id,
        pace=duration("pace", body.pace),
        dry_run=body.dry_run,
    )
    return BackfillView(
        len(filled.nominals), list(filled.nominals[:SHOWN]), filled.first_at, filled.last_at, list(filled.ids)
    )


ROUTES = (
    Route(
        "POST",
        f"{PATH}/{{id}}/run-now",
        run_schedule_now,
        "Launch a schedule's job now",
        answer=JobView,
        status=201,
        tag=TAG,
        description="The job runs in addition to the occurrences, which stay as they are.",
        answer_headers={"Location": "The path of the job."},
    ),
    Route(
        "GET",
        f"{PATH}/{{id}}/preview",
        preview_schedule,
        "Preview a schedule",
        query=PreviewQuery,
        answer=PreviewView,
        tag=TAG,
        description="Flags: `shifted`, `repeated`, `moved_by_window`, `skipped_by_window`, `excluded_by_calendar`. A "
        "warning says that a line means other days in Quartz, or that the search ended early.",
    ),
    Route(
        "POST",
        "/api/v1/preview",
        preview_timing,
        "Preview a timing that is not saved",
        body=PreviewBody,
        answer=PreviewView,
        tag=TAG,
        size="job",
        example={"cron": "30 2 * * *", "zone": "America/New_York", "n": 5},
    ),
    Route(
        "GET",
        f"{PATH}/{{id}}/history",
        list_records,
        "List the history of a schedule's instants",
        query=RecordsQuery,
        answer=list[RecordView],
        paged=True,
        tag=TAG,
        description="Newest first: jobs, and skipped instants with the reason. One record may stand for many instants.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/backfill",
        backfill_schedule,
        "Launch instants of the past",
        body=BackfillBody,
        answer=BackfillView,
        tag=TAG,
        description="At most 10,000 per call. Instants that were launched before launch again: check with `dry_run`.",
        example={"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z", "pace": "10s", "dry_run": True},
    ),
)
