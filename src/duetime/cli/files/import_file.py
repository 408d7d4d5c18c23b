"""`duetime import FILE`: creates jobs and schedules from the records of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from duetime.cli.schedules.plan import apply_entries
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import Exit, UsageError
from duetime.cli.shared.options import AsJson, DryRun, Server, Yes
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.cli.files.reading import FileRecords
    from duetime.client import Client

LISTED = 100
"""How many wrong records are listed."""

EXAMPLES = """A record is the body of a new job, or with kind: schedule or workflow that of one, as in the API. The
formats are NDJSON, JSON, YAML and CSV with a header, by the file's name or --format; a --converter reads the file of
another scheduler: crontab, quartz, control-m, airflow, or MODULE:FUNCTION of your own. A node that watches a directory
reads files in the same way.

Every record is checked before the first is sent. With a wrong one nothing is created, and the exit code is 2; with
--atomic record the others are created, and the exit code is 8. A job is created by each import; a schedule is found by
its name.

\b
Examples:
  duetime import jobs.ndjson --dry-run
  duetime import jobs.csv --yes
  duetime import quartz.xml --converter quartz --option zone=Europe/Riga --option queue=batch
  duetime import file export.txt --format ndjson --atomic record"""


class WithFile(TyperGroup):
    """A group whose command `file` is meant where no other is named."""

    default_command = "file"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Puts the command's name before a file's."""
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)


def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file.", show_default=False)],
    format_name: Annotated[
        Literal["ndjson", "json", "yaml", "csv"] | None,
        typer.Option("--format", help="How the file is written. Default: as its name says."),
    ] = None,
    converter: Annotated[
        str | None, typer.Option(metavar="NAME", help="A converter, for a file of another scheduler.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the converter. May be repeated.")
    ] = None,
    atomic: Annotated[
        Literal["file", "record"], typer.Option(help="What one wrong record refuses: the whole file, or itself.")
    ] = "file",
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create jobs and schedules from the records of a file."""
    from duetime.cli.files.reading import FileRecords

    if as_json and not (yes or dry_run):
        raise UsageError("With --json no question is asked: add --dry-run to see what it would do, or --yes to do it.")
    records = FileRecords(file, format_name, converter, _options(option or []))
    jobs, schedules, refused = _look(records, as_json=as_json)
    if refused and atomic == "file":
        raise UsageError(f"{refused} of the records of {file} are wrong: nothing is created.")
    if schedules:
        apply_entries(schedules, server, dry_run=dry_run, yes=yes, as_json=as_json)
    if jobs:
        _create(records, jobs, server, dry_run=dry_run, yes=yes, as_json=as_json)
    if not jobs and not schedules and not as_json:
        print_line(f"There is nothing to create in {file}.")
    if refused:
        raise typer.Exit(Exit.INCOMPLETE)


def _options(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    if wrong := [name for name, equals, _ in pairs if not equals or not name]:
        raise typer.BadParameter(f"'{wrong[0]}' has no value: write NAME=VALUE.", param_hint="--option")
    return {name: value for name, _, value in pairs}


def _look(records: FileRecords, *, as_json: bool) -> tuple[int, list[dict[str, Any]], int]:
    """Checks all records and lists the wrong ones. Returns how many jobs, which schedules, and how many are wrong."""
    from duetime.cli.files.reading import as_sent

    jobs, refused, schedules = 0, 0, list[dict[str, Any]]()
    for raw, request in records.checked():
        if request.refusal is not None:
            refused += 1
            if as_json:
                print_json({"line": request.line, "action": "reject", "reason": request.refusal.message})
            elif refused <= LISTED:
                print_line(f"line {request.line}: {request.refusal.message}")
        elif request.schedule is not None:
            schedules.append(as_sent(raw))
        else:
            jobs += 1
    if refused > LISTED and not as_json:
        print_line(f"… and {refused - LISTED} more.")
    return jobs, schedules, refused


def _create(records: FileRecords, count: int, server: str | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from duetime.cli.files.reading import as_sent

    if dry_run:
        if as_json:
            print_json({"action": "create", "jobs": count})
        else:
            print_line(f"Would create {count} jobs.")
        return
    if not yes:
        confirm(f"Create {count} jobs?")

    def bodies() -> Iterator[dict[str, Any]]:
        return (as_sent(raw) for raw, request in records.checked() if request.job is not None)

    async def work(client: Client) -> list[int]:
        return await client.create_jobs(bodies())

    ids = call(server, work)
    if as_json:
        print_json({"created": len(ids), "ids": ids})
    else:
        print_line(f"Created {len(ids)} jobs.")
