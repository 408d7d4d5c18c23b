"""`duetime export`: writes schedules as YAML or as a crontab."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Schedule

export = typer.Typer(no_args_is_help=True, help="Write your schedules to standard output.", epilog=EPILOG)


@export.command(
    "yaml",
    epilog="""The server does not show credentials: the output has (hidden) in their place. Fill them in before you
apply the file.

\b
Examples:
  duetime export yaml > schedules.yaml""",
)
def export_yaml(server: Server = None, as_json: AsJson = False) -> None:
    """Write your schedules in the form that `duetime apply` reads."""
    import yaml

    entries = [_entry(schedule) for schedule in _all_schedules(server)]
    if as_json:
        print_json({"schedules": entries})
    else:
        sys.stdout.write(yaml.safe_dump({"schedules": entries}, sort_keys=False, allow_unicode=True))


@export.command(
    "crontab",
    epilog="""A schedule that a crontab cannot express becomes a comment with the reason.

\b
Examples:
  duetime export crontab > mycrontab""",
)
def export_crontab(server: Server = None, as_json: AsJson = False) -> None:
    """Write your schedules as a crontab."""
    from duetime.cli.schedules.crontab_writer import crontab_lines

    lines = crontab_lines(_all_schedules(server))
    if as_json:
        print_json({"lines": lines})
    else:
        for line in lines:
            print_line(line)


def _all_schedules(server: str | None) -> list[Schedule]:
    async def work(client: Client) -> list[Schedule]:
        return [one async for one in client.schedules()]

    return call(server, work)


def _entry(schedule: Schedule) -> dict[str, Any]:
    """Returns a schedule in the form that the API takes, without the fields that have their defaults."""
    import msgspec

    from duetime.model.policy import Retry
    from duetime.model.schedule import Misfire

    shown: dict[str, Any] = msgspec.to_builtins(schedule)
    outputs = ("id", "state", "version", "occurrences", "next", "created_at", "updated_at")
    defaults = {
        "zone": "UTC",
        "window_policy": "move",
        "misfire": msgspec.structs.asdict(Misfire()),
        "overlap": "skip",
        "target": {"kind": "log"},
        "priority": 5,
        "timeout": 60.0,
        "delivery": "at_least_once",
        "retry": msgspec.json.decode(msgspec.json.encode(Retry())),
        # With overlap `queue`, a schedule without an ordering key has a lane of its own, which skips failures.
        "on_failure": "skip" if schedule.overlap == "queue" and schedule.ordering_key is None else "block",
        "labels": {},
        "requires": {},
        "breaker": True,
    }
    kept = {name: value for name, value in shown.items() if name not in outputs and value is not None}
    if kept.get("hours") == {"window": kept.get("window"), "zone": kept.get("zone", "UTC")}:
        del kept["hours"]
    return {name: value for name, value in kept.items() if name not in defaults or value != defaults[name]}
