"""Reading crontabs: what can be carried over becomes schedules, and all else is said. Nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from duetime.cli.schedules.curl_command import NotCarried, curl_target
from duetime.timing.cron import Cron
from duetime.timing.errors import TimingError
from duetime.timing.zones import zone_table

_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([A-Za-z_][A-Za-z0-9_]*))\s*=\s*(.*?)\s*""")
_FIELDS = 5


class Carried(Struct, frozen=True):
    """A line that becomes a schedule, as the API takes it."""

    line: int
    schedule: dict[str, Any]


class LeftBehind(Struct, frozen=True):
    """A line that does not, and why."""

    line: int
    text: str
    reason: str


class ZoneMissing(TimingError):
    """A crontab without CRON_TZ goes by the clock of its machine, which a file does not tell: give --zone."""

    code = "zone_missing"


def read_crontab(
    text: str, *, prefix: str, system: bool = False, zone: str | None = None
) -> list[Carried | LeftBehind]:
    """Every line that says something, in order. `zone` is that of the machine; `CRON_TZ` lines go before it."""
    if zone is not None:
        zone_table(zone)
    return list(_lines(text, prefix, system, zone))


def _lines(text: str, prefix: str, system: bool, zone: str | None) -> Iterator[Carried | LeftBehind]:
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assigned = _ASSIGNMENT.fullmatch(line)
        try:
            if assigned:
                zone = _assign(next(filter(None, assigned.groups()[:3])), assigned[4], zone)
                continue
            yield Carried(number, _schedule(stripped, f"{prefix}{number}", system, zone))
        except NotCarried as error:
            yield LeftBehind(number, stripped, error.message)


def _assign(name: str, value: str, zone: str | None) -> str | None:
    """The zone after an environment line; every other variable is only for commands, and is said."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if name == "CRON_TZ":
        try:
            return zone_table(value).name
        except TimingError as error:
            raise NotCarried(error.message) from None
    if name == "TZ":
        raise NotCarried("TZ is for the commands; the times go by CRON_TZ or --zone.")
    raise NotCarried(f"There is no environment for {name} to be in: a target has none.")


def _schedule(line: str, name: str, system: bool, zone: str | None) -> dict[str, Any]:
    expression, rest = _split(line, 1 if line.startswith("@") else _FIELDS)
    if expression == "@reboot":
        raise NotCarried("@reboot has no instant.")
    if system:
        user, rest = _split(rest, 1)
        if not user or not rest:
            raise NotCarried("A line of a system crontab has a user before its command.")
    if not rest:
        raise NotCarried("The line has no command.")
    if zone is None:
        raise ZoneMissing(f"Line with '{expression}': {ZoneMissing.__doc__}")
    try:
        Cron.parse(expression, zone=zone)
    except TimingError as error:
        raise NotCarried(error.message) from None
    command, stdin = split_percent(rest)
    if stdin is not None:
        raise NotCarried("Text after '%' is the command's input: put it into the request's body instead.")
    # As cron does it: no second try, nothing made up for, and runs may overlap.
    rules = {"misfire": "skip", "overlap": "allow", "retry": False}
    return {"name": name, "cron": expression, "zone": zone, **rules, **curl_target(command)}


def _split(line: str, fields: int) -> tuple[str, str]:
    """The first fields, with single spaces, and the rest."""
    parts = line.split(None, fields)
    return " ".join(parts[:fields]), parts[fields] if len(parts) > fields else ""


def split_percent(command: str) -> tuple[str, str | None]:
    r"""A command and its input: the first `%` ends the command, further ones are new lines, `\%` is a percent sign."""
    pieces = [piece.replace("\\%", "%") for piece in re.split(r"(?<!\\)%", command)]
    return pieces[0].rstrip(), "\n".join(pieces[1:]) if len(pieces) > 1 else None
