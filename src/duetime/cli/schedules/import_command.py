"""`duetime import crontab`: creates schedules from the lines of a crontab."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.schedules.apply_command import apply_entries
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.input_files import read_text
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import cell, print_json, print_line

if TYPE_CHECKING:
    from duetime.cli.schedules.crontab_reader import ImportedLine, RejectedLine

import_ = typer.Typer(no_args_is_help=True, help="Create schedules from a crontab.", epilog=EPILOG)


@import_.command(
    "crontab",
    epilog="""A line becomes a schedule if its command is a plain curl of one URL. Other lines are listed with the
reason. The name of a schedule is the prefix and the number of its line, so importing the file again changes the same
schedules.

\b
Examples:
  duetime import crontab mycrontab --zone Europe/Riga
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
    prefix: Annotated[str, typer.Option(help="What the names of the schedules begin with.")] = "crontab-",
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create schedules from the lines of a crontab, and list the lines that cannot be imported."""
    from duetime.cli.schedules.crontab_reader import ImportedLine, RejectedLine, read_crontab

    lines = read_crontab(read_text(file), prefix=prefix, system=system, zone=zone)
    imported = [line for line in lines if isinstance(line, ImportedLine)]
    rejected = [line for line in lines if isinstance(line, RejectedLine)]
    if as_json:
        for line in rejected:
            print_json({"line": line.line, "carried": False, "text": line.text, "reason": line.reason})
    else:
        _print_lines(imported, rejected)
    if imported:
        apply_entries([line.schedule for line in imported], server, yes=yes, as_json=as_json)


def _print_lines(imported: list[ImportedLine], rejected: list[RejectedLine]) -> None:
    if rejected:
        print_line(f"Not imported ({len(rejected)}):")
        for line in rejected:
            # Lines instead of a table: a table would cut the reason short.
            print_line(f"  line {line.line}: {cell(line.text)}")
            print_line(f"    {line.reason}")
        print_line("")
    print_line(f"To import: {len(imported)} lines.")
