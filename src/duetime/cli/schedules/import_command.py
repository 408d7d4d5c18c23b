"""`duetime import`: creates jobs and schedules from a file, or schedules from the lines of a crontab."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.files.import_file import EXAMPLES, WithFile, import_file
from duetime.cli.schedules.plan import Deletions, apply_entries
from duetime.cli.shared.exits import EPILOG, Exit
from duetime.cli.shared.input_files import read_text
from duetime.cli.shared.options import AsJson, DryRun, Server, Yes
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client
    from duetime.conversion.crontab_reader import RejectedLine

import_ = typer.Typer(
    cls=WithFile,
    no_args_is_help=True,
    help="Create jobs and schedules from a file of records, or schedules from a crontab. 'duetime import FILE' is "
    "'duetime import file FILE'.",
    epilog=EPILOG,
)
import_.command("file", epilog=EXAMPLES, no_args_is_help=True)(import_file)


@import_.command(
    "crontab",
    epilog="""A line becomes a schedule if its command is a plain curl of one URL. With --programs every other command
becomes a program that a shell reads, with the crontab's variables, and with the text after % as its input; it needs
an executor whose configuration allows the shell ('programs.allow'). Lines that cannot be imported are listed with
the reason, and the exit code is then 8.

MAILTO becomes a notification rule: its addresses get a mail when a line fails, and when it works again. What lines
print is in the log of each run.

Import the file again after each change: the command shows what differs, and changes only that. A schedule is found by
its name: the prefix, the URL and a few digits that stand for the request. So its position in the file, its time and
the comments around it can change. To name a line yourself, put a comment such as '# name: nightly-report' above it;
then the request can change as well. --prune deletes the schedules that an earlier import with the same prefix created
and that are no longer in the file.

\b
Examples:
  duetime import crontab mycrontab --zone Europe/Riga
  duetime import crontab mycrontab --zone Europe/Riga --dry-run
  duetime import crontab mycrontab --zone Europe/Riga --programs
  duetime import crontab mycrontab --zone Europe/Riga --prefix web1- --prune
  duetime import crontab /etc/crontab --system --zone UTC --yes""",
    no_args_is_help=True,
)
def import_crontab(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A crontab as `crontab -l` prints it; - is stdin.")],
    zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="The time zone of the crontab's machine, such as Europe/Riga.")
    ] = None,
    system: Annotated[
        bool,
        typer.Option(
            "--system",
            help="A system crontab, with a user before each command, as in /etc/crontab.",
            show_default=False,
        ),
    ] = False,
    programs: Annotated[
        bool,
        typer.Option("--programs", help="Import other commands than curl too, as programs.", show_default=False),
    ] = False,
    prefix: Annotated[
        str, typer.Option(metavar="TEXT", help="What the names of the schedules begin with.")
    ] = "crontab-",
    prune: Annotated[
        bool,
        typer.Option(
            "--prune", help="Delete schedules of earlier imports that are not in the file now.", show_default=False
        ),
    ] = False,
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create schedules from the lines of a crontab, and list the lines that cannot be imported."""
    from duetime.conversion.crontab_reader import ImportedLine, RejectedLine, read_crontab

    lines = read_crontab(read_text(file), prefix=prefix, system=system, zone=zone, programs=programs)
    imported = [line for line in lines if isinstance(line, ImportedLine)]
    rejected = [line for line in lines if isinstance(line, RejectedLine)]
    if as_json:
        for line in rejected:
            print_json({"line": line.line, "action": "reject", "text": line.text, "reason": line.reason})
    else:
        _print_rejected(rejected)
    if imported or prune:
        apply_entries(
            [line.schedule for line in imported],
            server,
            deletions=_left_over(prefix) if prune else None,
            dry_run=dry_run,
            yes=yes,
            as_json=as_json,
        )
    told = _create_mail_rules([line.schedule for line in imported], prefix, server, dry_run=dry_run, as_json=as_json)
    if rejected or not told:
        raise typer.Exit(Exit.INCOMPLETE)


def _create_mail_rules(
    schedules: list[dict[str, Any]], prefix: str, server: str | None, *, dry_run: bool, as_json: bool
) -> bool:
    """Creates a notification rule for each MAILTO. Returns false if the server refuses one, and says why."""
    from duetime.cli.schedules.crontab_mail import create_missing, mail_rules
    from duetime.client import ApiError
    from duetime.conversion.crontab_reader import IMPORT_LABEL

    rules = mail_rules(schedules, prefix, IMPORT_LABEL)
    if not rules:
        return True

    async def work(client: Client) -> list[str]:
        return await create_missing(client, rules, dry_run=dry_run)

    try:
        created = call(server, work)
    except ApiError as error:
        if error.status in (401, 403) or error.status >= 500:
            raise
        reason = f"MAILTO was not imported: {error.message}"
        print_json({"action": "reject", "text": "MAILTO", "reason": reason}) if as_json else print_line(reason)
        return False
    for name in created:
        if as_json:
            print_json({"name": name, "action": "create", "kind": "notification rule"})
        else:
            print_line(f"{'Would create' if dry_run else 'Created'} the notification rule '{name}'.")
    return True


def _left_over(prefix: str) -> Deletions:
    """Returns what finds the schedules that imports with this prefix created and that the file no longer has."""
    from duetime.client import Applied
    from duetime.conversion.crontab_reader import IMPORT_LABEL

    async def find(client: Client, names: set[str]) -> list[Applied]:
        return [
            Applied(one.name, "delete", [], one.id)
            async for one in client.schedules(q=prefix or None)
            if (one.labels or {}).get(IMPORT_LABEL) == prefix and one.name not in names
        ]

    return find


def _print_rejected(rejected: list[RejectedLine]) -> None:
    if rejected:
        print_line(f"Not imported ({len(rejected)}):")
        for line in rejected:
            print_line(f"  line {line.line}: {line.text}")
            print_line(f"    {line.reason}")
        print_line("")
