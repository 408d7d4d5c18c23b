"""Creating, listing, showing, changing, pausing and deleting schedules."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from duetime.api.schedules.bodies import ScheduleBody, SchedulePatch, SchedulesQuery
from duetime.api.schedules.parse import parse_schedule, patched
from duetime.api.schedules.views import ScheduleIds, ScheduleView, schedule_view
from duetime.api.server.listing import read_page
from duetime.api.server.many import parse_many
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.model.errors import Conflict
from duetime.model.schedule import Schedule, ScheduleContent

TAG = "schedules"
PATH = "/api/v1/me/schedules"
EXAMPLE = {
    "name": "nightly report",
    "cron": "30 2 * * *",
    "zone": "Europe/Riga",
    "message": "report for {{nominal}}",
    "target": {"kind": "http", "url": "https://example.com/report"},
}


def parse_one(call: Call[Any, Any], body: ScheduleBody) -> ScheduleContent:
    """The content of one schedule, checked."""
    services = call.services
    return parse_schedule(
        body,
        user_id=call.user.id,
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
        max_timeout=services.settings.max_timeout,
        check_target=call.check_target,
    )


async def parse_all(call: Call[Any, Any], bodies: list[ScheduleBody]) -> list[ScheduleContent]:
    """The contents of many schedules, checked. An error names the index of the wrong one."""
    return await parse_many("Schedule", bodies, lambda body: parse_one(call, body), call.services)


async def create_schedule(call: Call[ScheduleBody, None]) -> Answer:
    """Registers a schedule, and answers once it is durable."""
    schedules, user_id = call.services.recurring.schedules, call.user.id
    (schedule_id,) = await schedules.create(user_id, [parse_one(call, call.body)], user_id)
    shown = await schedules.show(user_id, schedule_id)
    return Answer(schedule_view(shown), None, ((b"location", f"{PATH}/{schedule_id}".encode()),))


async def create_schedules(call: Call[list[ScheduleBody], None]) -> ScheduleIds:
    """Registers all schedules or none."""
    contents = await parse_all(call, call.body)
    return ScheduleIds(await call.services.recurring.schedules.create(call.user.id, contents, call.user.id))


async def list_schedules(call: Call[None, SchedulesQuery]) -> Listing:
    """One page of schedules, oldest first."""
    query = call.query

    def read(after: int | None, limit: int) -> Awaitable[Sequence[Schedule]]:
        return call.services.recurring.schedules.list(call.user.id, after or 0, limit, query.state, query.q)

    return await read_page("schedules", call, read, schedule_view)


async def show_schedule(call: Call[None, None]) -> ScheduleView:
    """One schedule."""
    return schedule_view(await call.services.recurring.schedules.show(call.user.id, call.id))


async def edit_schedule(call: Call[Any, None]) -> ScheduleView:
    """Changes a schedule; fields that are left out stay as they are."""
    schedules, user_id = call.services.recurring.schedules, call.user.id
    before = await schedules.show(user_id, call.id)
    content = parse_one(call, patched(before.content, call.body))
    return schedule_view(await schedules.edit(user_id, call.id, content, user_id))


async def delete_schedule(call: Call[None, None]) -> ScheduleView:
    """Deletes a schedule. Returns it as it was."""
    return schedule_view(await call.services.recurring.schedules.delete(call.user.id, call.id, call.user.id))


async def pause_schedule(call: Call[None, None]) -> ScheduleView:
    """Pauses a schedule: no occurrence starts after the answer."""
    return schedule_view(await call.services.recurring.schedules.pause(call.user.id, call.id, call.user.id))


async def resume_schedule(call: Call[None, None]) -> ScheduleView:
    """Resumes a schedule."""
    return schedule_view(await call.services.recurring.schedules.resume(call.user.id, call.id, call.user.id))


ROUTES = (
    Route(
        "POST",
        PATH,
        create_schedule,
        "Create a schedule",
        body=ScheduleBody,
        answer=ScheduleView,
        status=201,
        errors=(Conflict,),
        tag=TAG,
        description="Give at least one of `cron`, `every`, `at` and `rrule`. Every instant is launched as a job, or "
        "recorded as skipped with the reason.",
        size="job",
        answer_headers={"Location": "The path of the schedule."},
        example=EXAMPLE,
    ),
    Route(
        "POST",
        f"{PATH}/bulk",
        create_schedules,
        "Create many schedules",
        body=list[ScheduleBody],
        line=ScheduleBody,
        noun="schedule",
        answer=ScheduleIds,
        status=201,
        errors=(Conflict,),
        tag=TAG,
        description="Up to 10,000 (the server may set another limit): all are registered, or none. An error names the "
        "`index` of the wrong schedule, counted from 0, and in NDJSON its `line`, counted from 1.",
        size="bulk",
        example=[EXAMPLE],
    ),
    Route(
        "GET",
        PATH,
        list_schedules,
        "List your schedules",
        query=SchedulesQuery,
        answer=list[ScheduleView],
        paged=True,
        tag=TAG,
    ),
    Route("GET", f"{PATH}/{{id}}", show_schedule, "Show a schedule", answer=ScheduleView, tag=TAG),
    Route(
        "PATCH",
        f"{PATH}/{{id}}",
        edit_schedule,
        "Change a schedule",
        body=SchedulePatch,
        answer=ScheduleView,
        errors=(Conflict,),
        tag=TAG,
        description="The change applies at once to every occurrence that has not launched; the record of past instants "
        "stays.",
        size="job",
        example={"cron": "0 3 * * *", "jitter": "5m"},
    ),
    Route(
        "DELETE",
        f"{PATH}/{{id}}",
        delete_schedule,
        "Delete a schedule",
        answer=ScheduleView,
        errors=(Conflict,),
        tag=TAG,
        description="No occurrence starts after the answer; running jobs continue. The name is free again. Its jobs "
        "and its history stay, under the schedule's id, as long as other history is kept.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/pause",
        pause_schedule,
        "Pause a schedule",
        answer=ScheduleView,
        errors=(Conflict,),
        tag=TAG,
        description="No occurrence starts after the answer; running jobs continue.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/resume",
        resume_schedule,
        "Resume a schedule",
        answer=ScheduleView,
        errors=(Conflict,),
        tag=TAG,
        description="Instants that passed during the pause are recorded as skipped, in one record.",
    ),
)
