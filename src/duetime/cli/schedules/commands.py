"""`duetime schedules`: create, show, change and pause recurring jobs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.schedules.create import CREATE_EXAMPLES, EDIT_EXAMPLES, create, edit, print_schedule_change
from duetime.cli.schedules.options import ScheduleId
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.option_values import parse_instant
from duetime.cli.shared.options import AsJson, MostShown, Server, Yes
from duetime.cli.shared.output import (
    fields_of,
    print_facts,
    print_json,
    print_line,
    print_list,
    print_table,
)
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Backfilled, Client, Job, Preview, Schedule

schedules = typer.Typer(no_args_is_help=True, help="Create, show, change and pause recurring jobs.", epilog=EPILOG)
COLUMNS = ("id", "name", "state", "when", "zone", "next")
schedules.command("create", epilog=CREATE_EXAMPLES, no_args_is_help=True)(create)
schedules.command("edit", epilog=EDIT_EXAMPLES, no_args_is_help=True)(edit)

From = Annotated[
    str | None, typer.Option("--from", metavar="INSTANT", help="Show what comes after this instant. Default: now.")
]


@schedules.command(
    "list",
    epilog="""\b
Examples:
  duetime schedules list
  duetime schedules list --state paused --json""",
)
def list_schedules(
    state: Annotated[str | None, typer.Option(help="Only schedules in this state: active, paused or ended.")] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", help="Only schedules whose name contains this text.")
    ] = None,
    limit: MostShown = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your schedules."""

    async def work(client: Client) -> list[Schedule]:
        return [one async for one in client.schedules(state=state, q=query, limit=limit)]

    print_list(
        call(server, work),
        COLUMNS,
        _row,
        as_json=as_json,
        empty="There are no such schedules. Create one with 'duetime schedules create'.",
    )


def _row(one: Schedule) -> tuple[object, ...]:
    upcoming = None if one.next is None else one.next.run_at
    return (one.id, one.name, one.state, _timing(one), one.zone, upcoming)


def _timing(schedule: Schedule) -> str:
    parts = [schedule.cron] if isinstance(schedule.cron, str) else list(schedule.cron or [])
    parts += [f"every {schedule.every}"] if schedule.every is not None else []
    parts += [f"at {len(schedule.at)} instants"] if schedule.at else []
    parts += [schedule.rrule] if schedule.rrule else []
    return "; ".join(parts)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules show 7
  duetime schedules show 7 --json""",
    no_args_is_help=True,
)
def show(schedule_id: ScheduleId, server: Server = None, as_json: AsJson = False) -> None:
    """Show a schedule: its timing, target, policy and next occurrence."""

    async def work(client: Client) -> Schedule:
        return await client.schedule(schedule_id)

    schedule = call(server, work)
    if as_json:
        print_json(schedule)
        return
    facts = fields_of(schedule, without=("next",))
    if schedule.next is not None:
        facts += [("next", schedule.next.run_at), ("nominal", schedule.next.nominal)]
    print_facts(facts)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules pause 7""",
    no_args_is_help=True,
)
def pause(schedule_id: ScheduleId, server: Server = None, as_json: AsJson = False) -> None:
    """Pause a schedule: it starts no more jobs until it is resumed."""
    _change("Paused", server, lambda client: client.pause_schedule(schedule_id), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules resume 7""",
    no_args_is_help=True,
)
def resume(schedule_id: ScheduleId, server: Server = None, as_json: AsJson = False) -> None:
    """Resume a paused schedule. Occurrences during the pause are recorded as skipped."""
    _change("Resumed", server, lambda client: client.resume_schedule(schedule_id), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules delete 7
  duetime schedules delete 7 --yes""",
    no_args_is_help=True,
)
def delete(schedule_id: ScheduleId, yes: Yes = False, server: Server = None, as_json: AsJson = False) -> None:
    """Delete a schedule: it starts no more jobs."""

    async def work(client: Client) -> Schedule:
        if not yes:
            found = await client.schedule(schedule_id)
            confirm(f"Delete the schedule '{found.name}'?")
        return await client.delete_schedule(schedule_id)

    _change("Deleted", server, work, as_json=as_json)


@schedules.command(
    "run-now",
    epilog="""\b
Examples:
  duetime schedules run-now 7""",
    no_args_is_help=True,
)
def run_now(schedule_id: ScheduleId, server: Server = None, as_json: AsJson = False) -> None:
    """Launch a schedule's job now, in addition to its occurrences."""

    async def work(client: Client) -> Job:
        return await client.run_schedule_now(schedule_id)

    job = call(server, work)
    if as_json:
        print_json(job)
    else:
        print_line(f"Created job {job.id}: {job.status}, due {format_instant(job.due_at or job.execute_at)}.")


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules preview 7 --count 5
  duetime schedules preview 7 --from 2030-03-01T00:00:00Z --json""",
    no_args_is_help=True,
)
def preview(
    schedule_id: ScheduleId,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many occurrences to show.")] = 10,
    from_: From = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show the next occurrences of a schedule."""

    async def work(client: Client) -> list[Preview]:
        return await client.preview_schedule(schedule_id, n=count, from_=parse_instant(from_, "--from"))

    print_list(
        call(server, work),
        ("local", "nominal", "runs at", "notes"),
        lambda one: (one.local.isoformat(" "), one.nominal, one.run_at, ", ".join(one.flags)),
        as_json=as_json,
        empty="The schedule has no more occurrences.",
    )


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules history 7
  duetime schedules history 7 --limit 1000 --json""",
    no_args_is_help=True,
)
def history(
    schedule_id: ScheduleId,
    limit: MostShown = 20,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what happened to the occurrences of a schedule, newest first."""
    rows: list[tuple[object, ...]] = []

    async def work(client: Client) -> None:
        async for one in client.schedule_history(schedule_id, limit=limit):
            if as_json:
                print_json(one)
            else:
                rows.append((one.job_id, one.nominal, one.until, one.count, one.status, one.attempts, one.reason))

    call(server, work)
    if not as_json:
        columns = ("job", "nominal", "until", "count", "status", "attempts", "reason")
        print_table(columns, rows, empty="The schedule has had no occurrence yet.")


@schedules.command(
    epilog="""Shows how many jobs it would launch, and asks before it does.

\b
Examples:
  duetime schedules backfill 7 --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --pace 10s
  duetime schedules backfill 7 --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --dry-run""",
    no_args_is_help=True,
)
def backfill(
    schedule_id: ScheduleId,
    from_: Annotated[
        str, typer.Option("--from", metavar="INSTANT", help="The start of the range, such as 2030-01-01T00:00:00Z.")
    ],
    to: Annotated[
        str, typer.Option(metavar="INSTANT", help="The end of the range, which is not part of it; not later than now.")
    ],
    pace: Annotated[
        str, typer.Option(metavar="DURATION", help="How long to wait between two launches, such as 10s.")
    ] = "0s",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be launched.", show_default=False)
    ] = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Launch the occurrences of a range in the past."""
    start, end = parse_instant(from_, "--from"), parse_instant(to, "--to")
    if start is None or end is None:
        raise typer.BadParameter("Give both, such as 2030-01-01T00:00:00Z.", param_hint="--from, --to")

    async def work(client: Client) -> Backfilled:
        if not yes or dry_run:
            shown = await client.backfill(schedule_id, start, end, pace=pace, dry_run=True)
            if dry_run:
                return shown
            confirm(f"Launch {shown.count} jobs, the last one at {format_instant(shown.last_at)}?")
        return await client.backfill(schedule_id, start, end, pace=pace)

    filled = call(server, work)
    if as_json:
        print_json(filled)
    else:
        done = "Would create" if dry_run else "Created"
        first, last = format_instant(filled.first_at), format_instant(filled.last_at)
        print_line(f"{done} {filled.count} jobs, due from {first} to {last}.")


def _change(verb: str, server: str | None, work: Callable[[Client], Awaitable[Schedule]], *, as_json: bool) -> None:
    print_schedule_change(verb, call(server, work), as_json=as_json)
