"""`duetime schedules preview`, `history` and `backfill`: a schedule's occurrences, coming and past."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.schedules.options import Which
from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.lookup import find_schedule, find_schedule_id
from duetime.cli.shared.option_values import parse_instant
from duetime.cli.shared.options import AsJson, DryRun, MostShown, Server, Yes
from duetime.cli.shared.output import print_json, print_line, print_list, print_table
from duetime.cli.shared.session import call
from duetime.model.bounds import PREVIEWED

if TYPE_CHECKING:
    from duetime.client import Backfilled, Client, Preview

PREVIEW_EXAMPLES = """\b
Examples:
  duetime schedules preview report --count 5
  duetime schedules preview report --from 2030-03-01T00:00:00Z --json"""

HISTORY_EXAMPLES = """\b
Examples:
  duetime schedules history report
  duetime schedules history report --limit 1000 --json"""

BACKFILL_EXAMPLES = """Shows how many jobs it would launch, and asks before it does.

\b
Examples:
  duetime schedules backfill report --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --pace 10s
  duetime schedules backfill report --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --dry-run"""

From = Annotated[
    str | None, typer.Option("--from", metavar="INSTANT", help="Show what comes after this instant. Default: now.")
]


def preview(
    schedule: Which,
    count: Annotated[int, bounded(PREVIEWED, "How many occurrences to show.")] = 10,
    from_: From = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show the next occurrences of a schedule."""

    async def work(client: Client) -> Preview:
        return await client.preview_schedule(
            (await find_schedule(client, schedule)).id, n=count, from_=parse_instant(from_, "--from")
        )

    found = call(server, work)
    for warning in found.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    print_list(
        found.instants,
        ("local", "nominal", "runs at", "notes"),
        lambda one: (one.local.isoformat(" "), one.nominal, one.run_at, ", ".join(one.flags)),
        as_json=as_json,
        empty="The schedule has no more occurrences.",
    )


def history(
    schedule: Which,
    limit: MostShown = 20,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what happened to the occurrences of a schedule, newest first."""
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        found = await find_schedule_id(client, schedule)
        async for one in client.schedule_history(found, limit=limit):
            if as_json:
                print_json(one)
            else:
                rows.append((one.job_id, one.nominal, one.until, one.count, one.status, one.attempts, one.reason))

    call(server, work)
    if not as_json:
        columns = ("job", "nominal", "until", "count", "status", "attempts", "reason")
        print_table(columns, rows, empty="The schedule has had no occurrence yet.")


def backfill(
    schedule: Which,
    from_: Annotated[
        str, typer.Option("--from", metavar="INSTANT", help="The start of the range, such as 2030-01-01T00:00:00Z.")
    ],
    to: Annotated[
        str, typer.Option(metavar="INSTANT", help="The end of the range, which is not part of it; not later than now.")
    ],
    pace: Annotated[
        str, typer.Option(metavar="DURATION", help="How long to wait between two launches, such as 10s.")
    ] = "0s",
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Launch the occurrences of a range in the past."""
    start, end = parse_instant(from_, "--from"), parse_instant(to, "--to")
    if start is None or end is None:
        raise typer.BadParameter("Give both, such as 2030-01-01T00:00:00Z.", param_hint="--from, --to")

    async def work(client: Client) -> Backfilled:
        found = await find_schedule(client, schedule)
        if not yes or dry_run:
            shown = await client.backfill(found.id, start, end, pace=pace, dry_run=True)
            if dry_run:
                return shown
            confirm(f"Launch {shown.count} jobs, the last one at {format_instant(shown.last_at)}?")
        return await client.backfill(found.id, start, end, pace=pace)

    filled = call(server, work)
    if as_json:
        print_json(filled)
    else:
        done = "Would create" if dry_run else "Created"
        first, last = format_instant(filled.first_at), format_instant(filled.last_at)
        print_line(f"{done} {filled.count} jobs, due from {first} to {last}.")
