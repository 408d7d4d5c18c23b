"""Turns what a client sent into a schedule's content, and back. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, structs

from duetime.api.jobs.bodies import JobBody
from duetime.api.jobs.parse import JobParser, TargetCheck, any_target
from duetime.api.schedules.bodies import ScheduleBody, TimingFields
from duetime.api.schedules.dependent_fields import drop_alone, refuse_alone
from duetime.api.server.fields import duration, job_instant, refuse_nul
from duetime.model.bounds import MAX_TIMEOUT
from duetime.model.definition import PLAIN, Definition
from duetime.model.errors import Invalid
from duetime.model.ids import UserId
from duetime.model.message import message_value
from duetime.model.policy import ClosedOn, Hours
from duetime.model.schedule import Misfire, ScheduleContent
from duetime.model.targets.port import TargetKind
from duetime.timing.spec import Timing, errors_about
from duetime.timing.windows import Window

_TIMING = Timing.__struct_fields__
_INSTANTS = ("anchor", "start", "end")
_DEFAULT_MISFIRE = Misfire()
_MISFIRE_FIELDS = {"skip": ("grace",), "fire_all": ("max_count", "max_age")}
"""The fields that each policy has."""
_JOB = (
    *("message", "target", "ordering_key", "priority", "timeout", "delivery", "retry"),
    *("labels", "limit", "breaker", "requires"),
)


def parse_schedule(
    body: ScheduleBody,
    *,
    user_id: int,
    now: datetime,
    max_message_bytes: int,
    max_timeout: float = MAX_TIMEOUT,
    check_target: TargetCheck = any_target,
) -> ScheduleContent:
    """Returns a schedule's content. Raises `Invalid` with the field and what would be right."""
    refuse_nul("name", body.name)
    overlap = body.overlap or "skip"
    on_failure = body.on_failure
    if on_failure is None and overlap == "queue" and body.ordering_key is None:
        # The lane is the schedule's own: one failure must not block all later occurrences.
        on_failure = "skip"
    if body.hours is not None and body.window is None:
        raise Invalid(
            "'hours' bind only the retries of a schedule's jobs, and 'window' binds its instants: give a 'window', "
            "alone if it is to bind both.",
            field="hours",
        )
    given = {name: getattr(body, name) for name in _JOB}
    job = JobParser(UserId(user_id), now, max_message_bytes, max_timeout, check_target).parse(
        JobBody(**given, on_failure=on_failure, hours=body.hours or _hours(body)),
        always_in_lane=overlap == "queue",
    )
    expires_after = None if body.expires_after is None else duration("expires_after", body.expires_after)
    if expires_after is not None and not expires_after:
        raise Invalid("'expires_after' must be more than 0.", field="expires_after")
    return ScheduleContent(
        name=body.name,
        timing=parse_timing(body),
        definition=_closed_on(job.definition, body),
        message=job.message,
        ordering_key=job.lane,
        priority=job.priority,
        labels=job.labels,
        expires_after=None if expires_after is None else expires_after.total_seconds(),
        misfire=_misfire(body.misfire),
        overlap=overlap,
        max_occurrences=body.max_occurrences,
    )


def parse_timing(body: TimingFields) -> Timing:
    """The timing in a body, with its instants in UTC. Compiling it later checks whether it is possible."""
    fields: dict[str, Any] = {name: getattr(body, name) for name in _TIMING}
    refuse_alone(fields)
    given = {name: value for name, value in fields.items() if value is not None}
    for name in _INSTANTS:
        if name in given:
            given[name] = job_instant(name, given[name])
    if "at" in given:
        given["at"] = tuple(job_instant("at", instant) for instant in given["at"])
    return Timing(**given)


def patched(content: ScheduleContent, patch: Any) -> ScheduleBody:
    """A schedule as a client would send it, with a patch's changes, without fields that no longer count."""
    given = {name: value for name in patch.__struct_fields__ if (value := getattr(patch, name)) is not UNSET}
    if not given:
        raise Invalid(f"There is nothing to change: give at least one of {', '.join(patch.__struct_fields__)}.")
    return ScheduleBody(**drop_alone(structs.asdict(as_body(content)) | given, keep=given))


def as_body(content: ScheduleContent) -> ScheduleBody:
    """A schedule as a client would send it: with its credentials, and without fields that do not count."""
    policy, timing = content.definition.policy, content.timing
    hours = None if timing.window is None else Hours(timing.window, timing.zone)
    body = ScheduleBody(
        name=content.name,
        **{name: getattr(timing, name) for name in _TIMING},
        max_occurrences=content.max_occurrences,
        misfire=content.misfire,
        overlap=content.overlap,
        message=message_value(content.message),
        target=None if content.definition.target == PLAIN.target else content.definition.target,
        ordering_key=content.ordering_key,
        priority=content.priority,
        timeout=policy.timeout,
        expires_after=content.expires_after,
        delivery=policy.delivery,
        retry=policy.retry,
        on_failure=policy.on_failure,
        labels=content.labels,
        limit=policy.limit,
        hours=None if policy.hours == hours else policy.hours,
        breaker=policy.breaker,
        requires=policy.requires or None,
    )
    return ScheduleBody(**drop_alone(structs.asdict(body)))


def differences(before: ScheduleContent, after: ScheduleContent) -> list[tuple[str, Any, Any]]:
    """The fields in which two schedules differ, by the names that clients know, with both values as they are shown."""
    old, new = as_body(before), as_body(after)
    pairs = ((name, getattr(old, name), getattr(new, name)) for name in ScheduleBody.__struct_fields__)
    return [(name, _shown(was), _shown(is_now)) for name, was, is_now in pairs if was != is_now]


def _shown(value: Any) -> Any:
    return value.redacted() if isinstance(value, TargetKind) else value


def _hours(body: ScheduleBody) -> Hours | None:
    """The window as hours, so that it binds retries too."""
    if body.window is None:
        return None
    zone = body.zone or "UTC"
    with errors_about("window"):
        Window.parse(body.window, zone=zone)
    return Hours(body.window, zone)


def _closed_on(definition: Definition, body: ScheduleBody) -> Definition:
    """The definition with the calendar, so that it binds retries too."""
    if body.calendar is None:
        return definition
    closed = ClosedOn(body.calendar, body.zone or "UTC")
    return structs.replace(definition, policy=structs.replace(definition.policy, closed=closed))


def _misfire(given: Misfire | str | None) -> Misfire:
    if given is None:
        return _DEFAULT_MISFIRE
    if not isinstance(given, Misfire):
        return Misfire(policy=given)  # type: ignore[arg-type]
    for policy, fields in _MISFIRE_FIELDS.items():
        for name in fields:
            if given.policy != policy and getattr(given, name) != getattr(_DEFAULT_MISFIRE, name):
                raise Invalid(
                    f"'misfire.{name}' is for the policy '{policy}', not for '{given.policy}': leave it out.",
                    field=f"misfire.{name}",
                )
    return given
