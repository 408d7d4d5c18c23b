"""`duetime schedules`: recurring jobs, looked at and handled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.schedules.create import CREATE_EXAMPLES, EDIT_EXAMPLES, ScheduleId, create, edit, show_changed
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import instant, print_facts, print_json, print_line, print_list, print_table
from duetime.cli.shared.parsing import instant as parse_instant
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Backfilled, Client, Job, Preview, Schedule

schedules = typer.Typer(no_args_is_help=True, help="Recurring jobs: create, show, change, pause.", epilog=EPILOG)
COLUMNS = ("id", "name", "state", "when", "zone", "next")
schedules.command("create", epilog=CREATE_EXAMPLES, no_args_is_help=True)(create)
schedules.command("edit", epilog=EDIT_EXAMPLES, no_args_is_help=True)(edit)

From = Annotated[str | None, typer.Option("--from", metavar="INSTANT", help="Look on from here. Default: now.")]


@schedules.command(
    "list",
    epilog="""\b
Examples:
  duetime schedules list
  duetime schedules list --state paused --json""",
)
def list_schedules(
    state: Annotated[str | None, typer.Option(help="Only those that are active, paused or ended.")] = None,
    query: Annotated[str | None, typer.Option("--query", "-q", help="Only those whose name has this.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your schedules."""

    async def work(client: Client) -> list[Schedule]:
        return [one async for one in client.schedules(state=state, q=query, limit=limit)]

    print_list(call(server, work), COLUMNS, _row, as_json=as_json, empty="There are no such schedules.")


def _row(one: Schedule) -> tuple[object, ...]:
    coming = None if one.next is None else one.next.run_at
    return (one.id, one.name, one.state, timing_of(one), one.zone, coming)


def timing_of(schedule: Schedule) -> str:
    """When a schedule is due, in short."""
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
    """Show a schedule."""

    async def work(client: Client) -> Schedule:
        return await client.schedule(schedule_id)

    schedule = call(server, work)
    if as_json:
        print_json(schedule)
        return
    facts = [(name.replace("_", " "), getattr(schedule, name)) for name in schedule.__struct_fields__ if name != "next"]
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
    """Pause a schedule: nothing of it starts from here on."""
    _change("Paused", server, lambda client: client.pause_schedule(schedule_id), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules resume 7""",
    no_args_is_help=True,
)
def resume(schedule_id: ScheduleId, server: Server = None, as_json: AsJson = False) -> None:
    """Let a paused schedule go on; what passed meanwhile is recorded as skipped."""
    _change("Resumed", server, lambda client: client.resume_schedule(schedule_id), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules delete 7
  duetime schedules delete 7 --yes""",
    no_args_is_help=True,
)
def delete(schedule_id: ScheduleId, yes: Yes = False, server: Server = None, as_json: AsJson = False) -> None:
    """Delete a schedule: nothing of it starts from here on."""

    async def work(client: Client) -> Schedule:
        if not yes:
            found = await client.schedule(schedule_id)
            typer.confirm(f"Delete the schedule '{found.name}'?", abort=True, err=True)
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
    """Launch a schedule's job now, beside its occurrences."""

    async def work(client: Client) -> Job:
        return await client.run_schedule_now(schedule_id)

    job = call(server, work)
    if as_json:
        print_json(job)
    else:
        print_line(f"Created job {job.id}: {job.status}, due {instant(job.due_at or job.execute_at)}.")


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules preview 7 --count 5
  duetime schedules preview 7 --from 2030-03-01T00:00:00Z --json""",
    no_args_is_help=True,
)
def preview(
    schedule_id: ScheduleId,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many instants to show.")] = 10,
    from_: From = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what is to come of a schedule."""

    async def work(client: Client) -> list[Preview]:
        return await client.preview_schedule(schedule_id, n=count, from_=parse_instant(from_, "--from"))

    print_list(
        call(server, work),
        ("local", "nominal", "runs at", "notes"),
        lambda one: (one.local.isoformat(" "), one.nominal, one.run_at, ", ".join(one.flags)),
        as_json=as_json,
        empty="It is never due again.",
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
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what became of a schedule's instants, newest first."""
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
        print_table(columns, rows, empty="Nothing has happened yet.")


@schedules.command(
    epilog="""Shows first what it would launch, and asks.

\b
Examples:
  duetime schedules backfill 7 --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --pace 10s
  duetime schedules backfill 7 --from 2030-01-01T00:00:00Z --to 2030-01-02T00:00:00Z --dry-run""",
    no_args_is_help=True,
)
def backfill(
    schedule_id: ScheduleId,
    from_: Annotated[str, typer.Option("--from", metavar="INSTANT", help="The first instant that counts.")],
    to: Annotated[str, typer.Option(metavar="INSTANT", help="The first that does not; not later than now.")],
    pace: Annotated[str, typer.Option(metavar="DURATION", help="How long between two launches.")] = "0s",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show.", show_default=False)] = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Launch the instants of a stretch of the past."""
    start, end = parse_instant(from_, "--from"), parse_instant(to, "--to")
    if start is None or end is None:
        raise typer.BadParameter("Give both.", param_hint="--from, --to")

    async def work(client: Client) -> Backfilled:
        if not yes or dry_run:
            shown = await client.backfill(schedule_id, start, end, pace=pace, dry_run=True)
            if dry_run:
                return shown
            typer.confirm(f"Launch {shown.count} jobs, the last one at {instant(shown.last_at)}?", abort=True, err=True)
        return await client.backfill(schedule_id, start, end, pace=pace)

    filled = call(server, work)
    if as_json:
        print_json(filled)
    else:
        done = "Would create" if dry_run else "Created"
        print_line(f"{done} {filled.count} jobs, due from {instant(filled.first_at)} to {instant(filled.last_at)}.")


def _change(verb: str, server: str | None, work: Callable[[Client], Awaitable[Schedule]], *, as_json: bool) -> None:
    show_changed(verb, call(server, work), as_json=as_json)
