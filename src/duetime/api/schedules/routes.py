"""Schedules: made, listed, shown, changed, paused, removed."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from duetime.api.jobs.parse import refuse_nul
from duetime.api.schedules.bodies import ApplyBody, ScheduleBody, SchedulePatch, SchedulesQuery
from duetime.api.schedules.parse import differences, parse_schedule, patched
from duetime.api.schedules.views import ApplyEntry, ScheduleIds, ScheduleView, schedule_view
from duetime.api.server.listing import page, position
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.model.errors import Conflict, DuetimeError, Invalid, NotFound, TooLarge
from duetime.model.schedule import Schedule, ScheduleContent

PATH = "/api/v1/me/schedules"
BREATH = 500
PAGE = 1000
EXAMPLE = {
    "name": "nightly report",
    "cron": "30 2 * * *",
    "zone": "Europe/Riga",
    "message": "report for {{nominal}}",
    "target": {"kind": "http", "url": "https://example.com/report"},
}


def parsed(call: Call[Any, Any], body: ScheduleBody) -> ScheduleContent:
    """What a body says, checked."""
    services = call.services
    return parse_schedule(
        body,
        user_id=call.user.id,
        now=services.clock.now(),
        max_message_bytes=services.settings.max_message_bytes,
    )


async def parsed_all(call: Call[Any, Any], bodies: list[ScheduleBody]) -> list[ScheduleContent]:
    """What many bodies say; an error names the index of the one that is wrong."""
    limit, found = call.services.settings.max_bulk, list[ScheduleContent]()
    if not bodies:
        raise Invalid("There must be at least one schedule.")
    if len(bodies) > limit:
        raise TooLarge(f"There may be at most {limit} schedules in one request, not {len(bodies)}.", limit=limit)
    for index, body in enumerate(bodies):
        if index % BREATH == BREATH - 1:
            await call.services.clock.sleep(0)
        try:
            found.append(parsed(call, body))
        except DuetimeError as error:
            error.about("Schedule", index)
            raise
    return found


async def create_schedule(call: Call[ScheduleBody, None]) -> Answer:
    """Register a schedule; answer once it is durable."""
    (schedule_id,) = await call.services.schedules.create(call.user.id, [parsed(call, call.body)], call.user.id)
    shown = await call.services.schedules.show(call.user.id, schedule_id)
    return Answer(schedule_view(shown), None, ((b"location", f"{PATH}/{schedule_id}".encode()),))


async def create_schedules(call: Call[list[ScheduleBody], None]) -> ScheduleIds:
    """Register all or none."""
    contents = await parsed_all(call, call.body)
    return ScheduleIds(await call.services.schedules.create(call.user.id, contents, call.user.id))


async def apply_schedules(call: Call[ApplyBody, None]) -> list[ApplyEntry]:
    """Make schedules what they are to be, or say what that would take."""
    schedules, user_id = call.services.schedules, call.user.id
    contents = await parsed_all(call, call.body.schedules)
    names = [content.name for content in contents]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Invalid(f"The name '{twice}' is given twice.", field="name")
    there = {schedule.content.name: schedule for schedule in await schedules.named(user_id, names)}
    # Before anything is done, and on a dry run too: what is shown can be done.
    await schedules.check(user_id, contents, set(names) - there.keys())
    entries = [_entry(content, there.get(content.name)) for content in contents]
    gone = await _pruned(call, set(names))
    if call.body.dry_run:
        return entries + gone
    made = [content for content in contents if content.name not in there]
    ids = (
        dict(zip((one.name for one in made), await schedules.create(user_id, made, user_id), strict=True))
        if made
        else {}
    )
    for content, entry in zip(contents, entries, strict=True):
        if entry.action == "change":
            await schedules.edit(user_id, there[content.name].id, content, user_id)
    for entry in gone:
        with suppress(NotFound):
            await schedules.delete(user_id, entry.id or 0, user_id)
    return [ApplyEntry(one.name, one.action, one.changes, one.id or ids.get(one.name)) for one in entries] + gone


async def _pruned(call: Call[ApplyBody, None], names: set[str]) -> list[ApplyEntry]:
    """What is to go: everything whose name begins as asked and is not given."""
    prefix, found, after = call.body.prune, list[ApplyEntry](), 0
    if prefix is None:
        return found
    refuse_nul("prune", prefix)
    for name in names:
        if not name.startswith(prefix):
            message = f"With 'prune' every name must begin with '{prefix}', and '{name}' does not."
            raise Invalid(message, field="prune")
    while page := await call.services.schedules.list(call.user.id, after, PAGE, None, prefix or None):
        mine = [one for one in page if one.content.name.startswith(prefix) and one.content.name not in names]
        found += [ApplyEntry(one.content.name, "delete", [], one.id) for one in mine]
        after = page[-1].id
    return found


def _entry(content: ScheduleContent, before: Schedule | None) -> ApplyEntry:
    if before is None:
        return ApplyEntry(content.name, "create", [], None)
    changes = differences(before.content, content)
    return ApplyEntry(content.name, "change" if changes else "keep", changes, before.id)


async def list_schedules(call: Call[None, SchedulesQuery]) -> Listing:
    """One page of schedules, oldest first."""
    query = call.query
    after_id = position("schedules", query.cursor)
    found = await call.services.schedules.list(call.user.id, after_id, query.limit, query.state, query.q)
    return page("schedules", found, query.limit, schedule_view)


async def show_schedule(call: Call[None, None]) -> ScheduleView:
    """One schedule."""
    return schedule_view(await call.services.schedules.show(call.user.id, call.id))


async def edit_schedule(call: Call[Any, None]) -> ScheduleView:
    """Change a schedule; what is not given stays."""
    schedules, user_id = call.services.schedules, call.user.id
    before = await schedules.show(user_id, call.id)
    content = parsed(call, patched(before.content, call.body))
    return schedule_view(await schedules.edit(user_id, call.id, content, user_id))


async def delete_schedule(call: Call[None, None]) -> ScheduleView:
    """Remove a schedule; as it was."""
    return schedule_view(await call.services.schedules.delete(call.user.id, call.id, call.user.id))


async def pause_schedule(call: Call[None, None]) -> ScheduleView:
    """Let nothing start from here on."""
    return schedule_view(await call.services.schedules.pause(call.user.id, call.id, call.user.id))


async def resume_schedule(call: Call[None, None]) -> ScheduleView:
    """Go on."""
    return schedule_view(await call.services.schedules.resume(call.user.id, call.id, call.user.id))


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
        tag="schedules",
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
        answer=ScheduleIds,
        status=201,
        errors=(Conflict,),
        tag="schedules",
        description="Up to 10,000 (the server may set another limit): all are registered, or none. An error names "
        "the `index` of the schedule that is wrong, counted from 0, and in NDJSON its `line`, counted from 1.",
        size="bulk",
        example=[EXAMPLE],
    ),
    Route(
        "POST",
        f"{PATH}/apply",
        apply_schedules,
        "Make schedules what they are to be",
        body=ApplyBody,
        answer=list[ApplyEntry],
        errors=(Conflict,),
        tag="schedules",
        description="By name: new ones are created, all together; those that differ are changed, one after the other; "
        "those that are not named are left alone, unless `prune` says which of them are deleted. With `dry_run` it "
        "only says what it would do.",
        size="bulk",
        example={"schedules": [EXAMPLE], "dry_run": True},
    ),
    Route(
        "GET",
        PATH,
        list_schedules,
        "List your schedules",
        query=SchedulesQuery,
        answer=list[ScheduleView],
        paged=True,
        tag="schedules",
    ),
    Route("GET", f"{PATH}/{{id}}", show_schedule, "Show a schedule", answer=ScheduleView, tag="schedules"),
    Route(
        "PATCH",
        f"{PATH}/{{id}}",
        edit_schedule,
        "Change a schedule",
        body=SchedulePatch,
        answer=ScheduleView,
        errors=(Conflict,),
        tag="schedules",
        description="It counts at once for everything that has not launched; instants already past stay.",
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
        tag="schedules",
        description="Nothing of it starts after the answer; what runs already goes on.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/pause",
        pause_schedule,
        "Pause a schedule",
        answer=ScheduleView,
        errors=(Conflict,),
        tag="schedules",
        description="Nothing of it starts after the answer; what runs already goes on.",
    ),
    Route(
        "POST",
        f"{PATH}/{{id}}/resume",
        resume_schedule,
        "Resume a schedule",
        answer=ScheduleView,
        errors=(Conflict,),
        tag="schedules",
        description="Instants that passed meanwhile are recorded as skipped, in one record.",
    ),
)
