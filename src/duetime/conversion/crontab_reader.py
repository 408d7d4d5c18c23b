"""Reads crontabs. A line becomes a schedule, or is rejected with a reason; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from duetime.conversion.crontab_mail import MAIL_LABEL, recipients
from duetime.conversion.crontab_names import content_names, given_name, with_prefix
from duetime.conversion.curl_command import NotImportable, curl_target
from duetime.conversion.program_lines import program_target
from duetime.timing.cron import Cron
from duetime.timing.errors import TimingError
from duetime.timing.zones import zone_table

_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*?)\s*""")
_FIELDS = 5
_WITHOUT_EFFECT = frozenset({"SHELL", "PATH", "HOME", "LOGNAME", "USER", "LANG"})
"""Variables that a plain curl of one URL does not depend on."""

IMPORT_LABEL = "imported-as"
"""The label of imported schedules. Its value is the prefix of the import."""


class ImportedLine(Struct, frozen=True):
    """A line, and its schedule in the form that the API takes."""

    line: int
    schedule: dict[str, Any]


class RejectedLine(Struct, frozen=True):
    """A line that cannot become a schedule, and why."""

    line: int
    text: str
    reason: str


class ZoneMissing(TimingError):
    """A crontab without CRON_TZ uses the time zone of its machine, which the file does not name: give --zone."""

    code = "zone_missing"


def read_crontab(
    text: str, *, prefix: str, system: bool = False, zone: str | None = None, programs: bool = False
) -> list[ImportedLine | RejectedLine]:
    """Returns every line that can be or should be carried over, in order. CRON_TZ replaces the zone that is given.

    A comment `# name: …` names the next line. Other lines are named by what they request. With `programs`, lines that
    are no plain curl become programs.
    """
    if zone is not None:
        zone_table(zone)
    lines = list(_lines(text, prefix, system, zone, {} if programs else None))
    unnamed = [one.schedule for one in lines if isinstance(one, ImportedLine) and "name" not in one.schedule]
    taken = [one.schedule["name"] for one in lines if isinstance(one, ImportedLine) and "name" in one.schedule]
    for schedule, name in zip(unnamed, content_names(unnamed, prefix, taken), strict=True):
        schedule["name"] = name
    return lines


def _lines(
    text: str, prefix: str, system: bool, zone: str | None, variables: dict[str, str] | None
) -> Iterator[ImportedLine | RejectedLine]:
    """Yields the lines. `variables` are those of programs so far; None if lines become no programs."""
    name: str | None = None
    named: dict[str, int] = {}
    labels = {IMPORT_LABEL: prefix}
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped:
            continue
        if stripped.startswith("#"):
            name = given_name(stripped) or (None if _is_switched_off(stripped) else name)
            continue
        try:
            if assigned := _ASSIGNMENT.fullmatch(line):
                variable = next(filter(None, assigned.groups()[:3]))
                if variable == "MAILTO":
                    labels = {IMPORT_LABEL: prefix}
                    mail = recipients(assigned[4])
                    labels |= {} if mail is None else {MAIL_LABEL: mail}
                else:
                    zone = _assign(variable, assigned[4], zone, variables)
                continue
            schedule = _schedule(stripped, system, zone, variables)
            if name is not None:
                schedule["name"] = _reserve(with_prefix(name, prefix), number, named)
            yield ImportedLine(number, schedule | {"labels": labels})
        except NotImportable as error:
            yield RejectedLine(number, stripped, error.message)
        name = None


def _reserve(name: str, line: int, named: dict[str, int]) -> str:
    """Returns the name after noting its line. Rejects a name that an earlier line has."""
    if name in named:
        raise NotImportable(f"Line {named[name]} already has the name '{name}': choose another.")
    named[name] = line
    return name


def _is_switched_off(comment: str) -> bool:
    """Returns whether a comment is a line of a crontab that someone switched off: a name above it is its own."""
    line = comment.lstrip("#").strip()
    expression, rest = _split(line, 1 if line.startswith("@") else _FIELDS)
    try:
        Cron.parse(expression)
    except TimingError:
        return False
    return bool(rest)


def _assign(name: str, value: str, zone: str | None, variables: dict[str, str] | None) -> str | None:
    """Returns the zone after an environment line. A variable that would have changed something is rejected."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if name == "CRON_TZ":
        try:
            return zone_table(value).name
        except TimingError as error:
            raise NotImportable(error.message) from None
    if variables is not None:
        variables[name] = value
        return zone
    if name in _WITHOUT_EFFECT:
        return zone
    if name == "TZ":
        raise NotImportable("TZ sets the zone of commands only: set the zone of the schedule with CRON_TZ or --zone.")
    raise NotImportable(f"{name} sets the environment of commands: an HTTP target has no environment.")


def _schedule(line: str, system: bool, zone: str | None, variables: dict[str, str] | None) -> dict[str, Any]:
    expression, rest = _split(line, 1 if line.startswith("@") else _FIELDS)
    if expression == "@reboot":
        raise NotImportable("@reboot is not an instant, so no schedule can express it.")
    if system:
        user, rest = _split(rest, 1)
        if not user or not rest:
            raise NotImportable("A line of a system crontab must have a user before its command.")
    if not rest:
        raise NotImportable("The line has no command.")
    if zone is None:
        raise ZoneMissing(f"Line with '{expression}': {ZoneMissing.__doc__}")
    try:
        Cron.parse(expression, zone=zone)
    except TimingError as error:
        raise NotImportable(error.message) from None
    # As cron behaves: no retry, no launch for missed occurrences, and runs may overlap.
    rules = {"misfire": "skip", "overlap": "allow", "retry": False}
    return {"cron": expression, "zone": zone, **rules, **_request(rest, system, variables)}


def _request(text: str, system: bool, variables: dict[str, str] | None) -> dict[str, Any]:
    """Returns the message and the target of a command: a request if it is a plain curl, else a program."""
    command, stdin = split_percent(text)
    try:
        return _curl(command, stdin)
    except NotImportable:
        if variables is None:
            raise
    if system:
        raise NotImportable(
            "The line names a user, but an executor runs programs as one user ('programs.run_as'): import that "
            "user's lines without --system."
        )
    return program_target(command, stdin, variables)


def _curl(command: str, stdin: str | None) -> dict[str, Any]:
    if stdin is not None:
        raise NotImportable("Text after '%' is the command's input: put it into the request's body instead.")
    return curl_target(command)


def _split(line: str, fields: int) -> tuple[str, str]:
    """Returns the first fields, separated by single spaces, and the rest."""
    parts = line.split(None, fields)
    return " ".join(parts[:fields]), parts[fields] if len(parts) > fields else ""


def split_percent(command: str) -> tuple[str, str | None]:
    r"""Returns a command and its input: the first `%` ends the command, later ones are line breaks, `\%` is a `%`."""
    pieces = [piece.replace("\\%", "%") for piece in re.split(r"(?<!\\)%", command)]
    return pieces[0].rstrip(), "\n".join(pieces[1:]) if len(pieces) > 1 else None
