"""Schedules as a crontab; what a crontab cannot say stands in it as a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from duetime.cli.schedules.curl_command import curl_command
from duetime.cli.shared.output import printable

if TYPE_CHECKING:
    from duetime.client import Schedule

_FIELDS = 5
_DAY_NAMES = re.compile("SUN|MON|TUE|WED|THU|FRI|SAT")
_OURS = frozenset("LW#H?")
"""What our dialect has and a crontab has not."""


def crontab_lines(schedules: Iterable[Schedule]) -> list[str]:
    """One line for each expression, after the zone that it is meant in."""
    lines: list[str] = ["# Written by duetime export crontab. Cron retries nothing and makes up for nothing."]
    zone = None
    for schedule in schedules:
        reason = why_not(schedule)
        name = printable(schedule.name)
        if reason is not None:
            lines.append(f"# not carried over: {name}: {reason}")
            continue
        if schedule.zone != zone:
            zone = schedule.zone
            lines.append(f"CRON_TZ={zone}")
        lines.append(f"# {name}")
        command = curl_command(schedule.message, schedule.target or {})
        lines += [f"{expression} {command}" for expression in _crons(schedule)]
    return lines


def why_not(schedule: Schedule) -> str | None:
    """Why a schedule cannot be a line of a crontab."""
    target = schedule.target or {}
    crons = _crons(schedule)
    found = {
        "it is not active": schedule.state != "active",
        "it is not only cron expressions": not crons
        or any(value is not None for value in (schedule.every, schedule.at, schedule.rrule)),
        "an expression is not of a crontab's dialect": any(not _plain(expression) for expression in crons),
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
        "its clocks change by another policy": schedule.dst_policy not in (None, "vixie"),
        "its target is not an HTTP request": target.get("kind") != "http",
        "its message has a template or a new line": "{{" in schedule.message or "\n" in schedule.message,
        "its credentials are not shown": "(hidden)" in str(target) or target.get("auth") is not None,
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
    return not _OURS & set(minute + hour + day + _DAY_NAMES.sub("", weekday))
