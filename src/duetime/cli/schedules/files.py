"""`duetime apply`, `duetime import crontab` and `duetime export`: schedules from files and to files."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import EPILOG, Usage
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import cell, print_json, print_line, print_table
from duetime.cli.shared.reading import document_of, text_of
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.cli.schedules.crontab_file import Carried, LeftBehind
    from duetime.client import Applied, Client, Schedule

APPLY_EXAMPLES = """The file has a list 'schedules', each as the API takes it. Shows first what would change, and asks;
with --json and without --yes it only shows.

Schedules that are not in the file are left alone. With --prune PREFIX, those whose names begin with PREFIX are
deleted: the prefix says which schedules the file speaks for, so every name in it must begin with it. Nothing
else is ever deleted. An empty prefix ('') stands for all schedules that you have, also those made elsewhere.

\b
Examples:
  duetime apply schedules.yaml
  duetime apply schedules.yaml --yes
  duetime apply billing.yaml --prune billing-"""

import_ = typer.Typer(no_args_is_help=True, help="Bring schedules in from elsewhere.", epilog=EPILOG)
export = typer.Typer(no_args_is_help=True, help="Write schedules out.", epilog=EPILOG)


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="YAML or JSON; - is stdin.", show_default=False)],
    prune: Annotated[
        str | None, typer.Option(metavar="PREFIX", help="Delete those with this prefix that are not in the file.")
    ] = None,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Make schedules, found by name, what a file says."""
    carry_out(_entries(file), server, prune=prune, yes=yes, as_json=as_json)


@import_.command(
    "crontab",
    epilog="""A line becomes a schedule if its command is a plain curl of one URL; all others are listed with
the reason. Names are made from the line's number, so that a repeat changes what it made.

\b
Examples:
  duetime import crontab mycrontab --zone Europe/Riga
  duetime import crontab /etc/crontab --system --zone UTC --yes""",
    no_args_is_help=True,
)
def import_crontab(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="As `crontab -l` shows it; - is stdin.")],
    zone: Annotated[str | None, typer.Option(metavar="ZONE", help="The zone of the crontab's machine.")] = None,
    system: Annotated[
        bool, typer.Option("--system", help="Lines have a user before the command.", show_default=False)
    ] = False,
    prefix: Annotated[str, typer.Option(help="What the names begin with.")] = "crontab-",
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Bring a crontab's lines in as schedules; what cannot be carried over is listed."""
    from duetime.cli.schedules.crontab_file import Carried, LeftBehind, read_crontab

    lines = read_crontab(text_of(file), prefix=prefix, system=system, zone=zone)
    carried = [line for line in lines if isinstance(line, Carried)]
    left = [line for line in lines if isinstance(line, LeftBehind)]
    if as_json:
        for line in left:
            print_json({"line": line.line, "carried": False, "text": line.text, "reason": line.reason})
    else:
        _show_lines(carried, left)
    if carried:
        carry_out([line.schedule for line in carried], server, yes=yes, as_json=as_json)


def _show_lines(carried: list[Carried], left: list[LeftBehind]) -> None:
    if left:
        print_line(f"Not carried over ({len(left)}):")
        for line in left:
            # Lines, not a table: a reason that is cut short is none.
            print_line(f"  line {line.line}: {cell(line.text)}")
            print_line(f"    {line.reason}")
        print_line("")
    print_line(f"Carried over: {len(carried)} lines.")


@export.command(
    "yaml",
    epilog="""Credentials are not shown by the server: they stand as (hidden), and must be put in again.

\b
Examples:
  duetime export yaml > schedules.yaml""",
)
def export_yaml(server: Server = None, as_json: AsJson = False) -> None:
    """Write your schedules as `duetime apply` reads them."""
    import yaml

    entries = [as_entry(schedule) for schedule in _all(server)]
    if as_json:
        print_json({"schedules": entries})
    else:
        sys.stdout.write(yaml.safe_dump({"schedules": entries}, sort_keys=False, allow_unicode=True))


@export.command(
    "crontab",
    epilog="""What a crontab cannot say stands in it as a comment, with the reason.

\b
Examples:
  duetime export crontab > mycrontab""",
)
def export_crontab(server: Server = None, as_json: AsJson = False) -> None:
    """Write your schedules as a crontab."""
    from duetime.cli.schedules.crontab_export import crontab_lines

    lines = crontab_lines(_all(server))
    if as_json:
        print_json({"lines": lines})
    else:
        for line in lines:
            print_line(line)


def carry_out(entries: list[Any], server: str | None, *, prune: str | None = None, yes: bool, as_json: bool) -> None:
    """Show what schedules would become, ask, and do it."""

    async def work(client: Client) -> list[Applied]:
        plan = await client.apply_schedules(entries, dry_run=True, prune=prune)
        changing = [one for one in plan if one.action != "keep"]
        if as_json and not yes:
            return plan
        if not as_json:
            rows = [(one.action, one.name, ", ".join(one.changes)) for one in plan]
            print_table(("action", "schedule", "differs in"), rows)
        if not changing:
            return plan
        if not yes:
            typer.confirm(_question(changing), abort=True, err=True)
        return await client.apply_schedules(entries) + await _deleted(client, plan)

    done = call(server, work)
    if as_json:
        for one in done:
            print_json(one)
    else:
        count = Counter(one.action for one in done)
        deleted = f", deleted {count['delete']}" if prune is not None else ""
        print_line(f"Created {count['create']}, changed {count['change']}, kept {count['keep']}{deleted}.")


async def _deleted(client: Client, plan: list[Applied]) -> list[Applied]:
    """Delete what was shown, and nothing that has come since with such a name."""
    from duetime.client import ApiError

    gone = [one for one in plan if one.action == "delete"]
    for one in gone:
        try:
            await client.delete_schedule(one.id or 0)
        except ApiError as error:
            if error.status != 404:
                raise
    return gone


def _question(changing: list[Applied]) -> str:
    gone = sum(one.action == "delete" for one in changing)
    others = len(changing) - gone
    parts = [f"create or change {others}"] if others else []
    parts += [f"delete {gone}"] if gone else []
    return f"{' and '.join(parts).capitalize()} schedules?"


def as_entry(schedule: Schedule) -> dict[str, Any]:
    """A schedule as the API takes it, without what is as it would be anyway."""
    import msgspec

    from duetime.model.policy import Retry
    from duetime.model.schedule import Misfire

    shown: dict[str, Any] = msgspec.to_builtins(schedule)
    outputs = ("id", "state", "version", "occurrences", "next", "created_at", "updated_at")
    usual = {
        "zone": "UTC",
        "window_policy": "move",
        "misfire": msgspec.structs.asdict(Misfire()),
        "overlap": "skip",
        "target": {"kind": "log"},
        "priority": 5,
        "timeout": 60.0,
        "delivery": "at_least_once",
        "retry": msgspec.json.decode(msgspec.json.encode(Retry())),
        # A queue that is the schedule's own goes on after a failure.
        "on_failure": "skip" if schedule.overlap == "queue" and schedule.ordering_key is None else "block",
        "labels": {},
        "requires": {},
        "breaker": True,
    }
    kept = {name: value for name, value in shown.items() if name not in outputs and value is not None}
    if kept.get("hours") == {"window": kept.get("window"), "zone": kept.get("zone", "UTC")}:
        del kept["hours"]
    return {name: value for name, value in kept.items() if name not in usual or value != usual[name]}


def _all(server: str | None) -> list[Schedule]:
    async def work(client: Client) -> list[Schedule]:
        return [one async for one in client.schedules()]

    return call(server, work)


def _entries(file: Path) -> list[Any]:
    document = document_of(file)
    entries = document.get("schedules") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise Usage(f"{file} must have a list 'schedules', such as: schedules: [{{name: report, cron: '0 2 * * *'}}].")
    return entries
