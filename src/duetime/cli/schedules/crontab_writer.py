"""Writes schedules as a crontab. A schedule that a crontab cannot express becomes a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from duetime.cli.shared.output import printable
from duetime.conversion.curl_command import curl_command

if TYPE_CHECKING:
    from duetime.client import Schedule

_FIELDS = 5
_DAY_NAMES = re.compile("SUN|MON|TUE|WED|THU|FRI|SAT")
_EXTENSIONS = frozenset("LW#H?")
"""Characters of Duetime's cron dialect that a crontab does not have."""


def crontab_lines(schedules: Iterable[Schedule]) -> list[str]:
    """Returns the crontab: a line for each expression, after a CRON_TZ line where the zone changes."""
    lines: list[str] = [
        "# Written by duetime export crontab. Cron does not retry, and does not make up for missed runs."
    ]
    zone = None
    for schedule in schedules:
        reason = _obstacle(schedule)
        name = printable(schedule.name)
        if reason is not None:
            lines.append(f"# not exported: {name}: {reason}")
            continue
        if schedule.zone != zone:
            zone = schedule.zone
            lines.append(f"CRON_TZ={zone}")
        command = curl_command(schedule.message, schedule.target or {})
        for number, expression in enumerate(_crons(schedule), 1):
            # A line of a crontab is one schedule, so that each line has a name of its own when it is imported.
            lines += [f"# name: {name}" if number == 1 else f"# name: {name}-{number}", f"{expression} {command}"]
    return lines


def _obstacle(schedule: Schedule) -> str | None:
    """Returns why a crontab cannot express a schedule; None if it can."""
    target = schedule.target or {}
    crons = _crons(schedule)
    found = {
        "it is not active": schedule.state != "active",
        "it has other timing than cron expressions": not crons
        or any(value is not None for value in (schedule.every, schedule.at, schedule.rrule)),
        "an expression uses what only Duetime's cron dialect has": any(not _plain(expression) for expression in crons),
        "a crontab has no calendar, window, jitter, start, end or count": any(
            value is not None
            for value in (
                schedule.calendar,
                schedule.window,
                schedule.jitter,
                schedule.start,
                schedule.end,
                schedule.max_occurrences,
            )
        ),
        "a crontab has no DST policy": schedule.dst_policy not in (None, "vixie"),
        "its target is not an HTTP request": target.get("kind") != "http",
        "its message is not text": not isinstance(schedule.message, str),
        "its message has a template or a line break": "{{" in str(schedule.message) or "\n" in str(schedule.message),
        "the server does not show its credentials": "(hidden)" in str(target) or target.get("auth") is not None,
    }
    return next((reason for reason, holds in found.items() if holds), None)


def _crons(schedule: Schedule) -> list[str]:
    return [schedule.cron] if isinstance(schedule.cron, str) else list(schedule.cron or [])


def _plain(expression: str) -> bool:
    if expression.startswith("@"):
        return not expression.startswith("@every")
    fields = expression.upper().split()
    if len(fields) != _FIELDS:
        return False
    minute, hour, day, _, weekday = fields
    return not _EXTENSIONS & set(minute + hour + day + _DAY_NAMES.sub("", weekday))
