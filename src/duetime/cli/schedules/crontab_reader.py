"""Reads crontabs. A line becomes a schedule, or is rejected with a reason; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from duetime.cli.schedules.curl_command import NotImportable, curl_target
from duetime.timing.cron import Cron
from duetime.timing.errors import TimingError
from duetime.timing.zones import zone_table

_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*?)\s*""")
_FIELDS = 5


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
    text: str, *, prefix: str, system: bool = False, zone: str | None = None
) -> list[ImportedLine | RejectedLine]:
    """Returns every line that is not blank or a comment, in order. A CRON_TZ line replaces the zone that is given."""
    if zone is not None:
        zone_table(zone)
    return list(_lines(text, prefix, system, zone))


def _lines(text: str, prefix: str, system: bool, zone: str | None) -> Iterator[ImportedLine | RejectedLine]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assigned = _ASSIGNMENT.fullmatch(line)
        try:
            if assigned:
                zone = _assign(next(filter(None, assigned.groups()[:3])), assigned[4], zone)
                continue
            yield ImportedLine(number, _schedule(stripped, f"{prefix}{number}", system, zone))
        except NotImportable as error:
            yield RejectedLine(number, stripped, error.message)


def _assign(name: str, value: str, zone: str | None) -> str | None:
    """Returns the zone after an environment line. Any other variable is for commands, and is rejected."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if name == "CRON_TZ":
        try:
            return zone_table(value).name
        except TimingError as error:
            raise NotImportable(error.message) from None
    if name == "TZ":
        raise NotImportable("TZ sets the zone of commands only: set the zone of the schedule with CRON_TZ or --zone.")
    raise NotImportable(f"{name} sets the environment of commands: an HTTP target has no environment.")


def _schedule(line: str, name: str, system: bool, zone: str | None) -> dict[str, Any]:
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
    command, stdin = split_percent(rest)
    if stdin is not None:
        raise NotImportable("Text after '%' is the command's input: put it into the request's body instead.")
    # As cron behaves: no retry, no launch for missed occurrences, and runs may overlap.
    rules = {"misfire": "skip", "overlap": "allow", "retry": False}
    return {"name": name, "cron": expression, "zone": zone, **rules, **curl_target(command)}


def _split(line: str, fields: int) -> tuple[str, str]:
    """Returns the first fields, separated by single spaces, and the rest."""
    parts = line.split(None, fields)
    return " ".join(parts[:fields]), parts[fields] if len(parts) > fields else ""


def split_percent(command: str) -> tuple[str, str | None]:
    r"""Returns a command and its input: the first `%` ends the command, later ones are line breaks, `\%` is a `%`."""
    pieces = [piece.replace("\\%", "%") for piece in re.split(r"(?<!\\)%", command)]
    return pieces[0].rstrip(), "\n".join(pieces[1:]) if len(pieces) > 1 else None
