"""Applying a set of schedules: creates, changes and, with `prune`, deletes schedules to match it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from duetime.api.schedules.bodies import ApplyBody
from duetime.api.schedules.parse import differences
from duetime.api.schedules.routes import EXAMPLE, PATH, TAG, parse_all
from duetime.api.schedules.views import ApplyEntry, change_view
from duetime.api.server.fields import refuse_nul
from duetime.api.server.route import Call, Route
from duetime.engine.slices import RequestSlices
from duetime.model.errors import Conflict, Invalid, NotFound
from duetime.model.schedule import Schedule, ScheduleContent

PAGE = 1000
SLICE: Final = 500
"""Names that are compared without a look at the time: some hundredths of a millisecond."""


async def apply_schedules(call: Call[ApplyBody, None]) -> list[ApplyEntry]:
    """Applies a set of schedules, or answers what that would do."""
    schedules, user_id = call.services.recurring.schedules, call.user.id
    names = await _names(call)
    contents = await parse_all(call, call.body.schedules)
    present = {schedule.content.name: schedule for schedule in await schedules.named(user_id, names)}
    # Checked before any change, and on a dry run too, so that a dry run shows only what can be done.
    await schedules.check(user_id, contents, set(names) - present.keys())
    entries, slices = list[ApplyEntry](), RequestSlices(call.services.clock)
    for content in contents:
        await slices.pause()
        entries.append(_entry(content, present.get(content.name)))
    pruned = await _pruned(call, set(names))
    if call.body.dry_run:
        return entries + pruned
    new = [content for content in contents if content.name not in present]
    created = await schedules.create(user_id, new, user_id) if new else []
    ids = {content.name: schedule_id for content, schedule_id in zip(new, created, strict=True)}
    for content, entry in zip(contents, entries, strict=True):
        if entry.action == "change":
            await schedules.edit(user_id, present[content.name].id, content, user_id)
    for entry in pruned:
        with suppress(NotFound):
            await schedules.delete(user_id, entry.id or 0, user_id)
    return [ApplyEntry(one.name, one.action, one.changes, one.id or ids.get(one.name)) for one in entries] + pruned


async def _names(call: Call[ApplyBody, None]) -> list[str]:
    """Returns the names of the schedules that are given. Refuses one that is given twice."""
    names, seen, slices = list[str](), set[str](), RequestSlices(call.services.clock)
    for first in range(0, len(call.body.schedules), SLICE):
        await slices.pause()
        some = [schedule.name for schedule in call.body.schedules[first : first + SLICE]]
        twice = given_twice(some, seen)
        if twice is not None:
            raise Invalid(f"The name '{twice}' is given twice.", field="name")
        names += some
    return names


def given_twice(names: Sequence[str], seen: set[str]) -> str | None:
    """Adds names to those that were seen. Returns the first that was seen before."""
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


async def _pruned(call: Call[ApplyBody, None], names: set[str]) -> list[ApplyEntry]:
    """The schedules to delete: those whose names begin with the prefix and are not given."""
    prefix, found, after = call.body.prune, list[ApplyEntry](), 0
    if prefix is None:
        return found
    refuse_nul("prune", prefix)
    for name in names:
        if not name.startswith(prefix):
            message = f"With 'prune' every name must begin with '{prefix}', and '{name}' does not."
            raise Invalid(message, field="prune")
    schedules = call.services.recurring.schedules
    while listed := await schedules.list(call.user.id, after, PAGE, None, prefix or None):
        absent = [one for one in listed if one.content.name.startswith(prefix) and one.content.name not in names]
        found += [ApplyEntry(one.content.name, "delete", [], one.id) for one in absent]
        after = listed[-1].id
    return found


def _entry(content: ScheduleContent, before: Schedule | None) -> ApplyEntry:
    if before is None:
        return ApplyEntry(content.name, "create", [], None)
    changes = [change_view(*one) for one in differences(before.content, content)]
    return ApplyEntry(content.name, "change" if changes else "keep", changes, before.id)


ROUTES = (
    Route(
        "POST",
        f"{PATH}/apply",
        apply_schedules,
        "Apply a set of schedules",
        body=ApplyBody,
        answer=list[ApplyEntry],
        errors=(Conflict,),
        tag=TAG,
        description="Schedules are found by name. New ones are created, all together; those that differ are changed, "
        "one after the other. Schedules that are not named stay as they are, unless `prune` selects them to be "
        "deleted. With `dry_run` the call only shows what it would do.",
        size="set",
        list_field="schedules",
        example={"schedules": [EXAMPLE], "dry_run": True},
    ),
)
