"""`duetime schedules`: create, show, change and pause recurring jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.schedules.create import CREATE_EXAMPLES, EDIT_EXAMPLES, create, edit, print_schedule_change
from duetime.cli.schedules.occurrences import (
    BACKFILL_EXAMPLES,
    HISTORY_EXAMPLES,
    PREVIEW_EXAMPLES,
    backfill,
    history,
    preview,
)
from duetime.cli.schedules.options import Which
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.lookup import find_schedule
from duetime.cli.shared.options import AsJson, MostShown, Server, Yes
from duetime.cli.shared.output import (
    fields_of,
    print_facts,
    print_json,
    print_line,
    print_list,
)
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Job, Schedule

schedules = typer.Typer(no_args_is_help=True, help="Create, show, change and pause recurring jobs.", epilog=EPILOG)
COLUMNS = ("id", "name", "state", "when", "zone", "next")
schedules.command("create", epilog=CREATE_EXAMPLES, no_args_is_help=True)(create)
schedules.command("edit", epilog=EDIT_EXAMPLES, no_args_is_help=True)(edit)
schedules.command("preview", epilog=PREVIEW_EXAMPLES, no_args_is_help=True)(preview)
schedules.command("history", epilog=HISTORY_EXAMPLES, no_args_is_help=True)(history)
schedules.command("backfill", epilog=BACKFILL_EXAMPLES, no_args_is_help=True)(backfill)


@schedules.command(
    "list",
    epilog="""\b
Examples:
  duetime schedules list
  duetime schedules list --state paused --json""",
)
def list_schedules(
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="Only schedules in this state: active, paused or ended.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="TEXT", help="Only schedules whose name contains this text.")
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
  duetime schedules show report
  duetime schedules show report --json""",
    no_args_is_help=True,
)
def show(schedule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Show a schedule: its timing, target, policy and next occurrence."""

    async def work(client: Client) -> Schedule:
        return await find_schedule(client, schedule)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    facts = fields_of(found, without=("next",))
    if found.next is not None:
        facts += [("next", found.next.run_at), ("nominal", found.next.nominal)]
    print_facts(facts)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules pause report""",
    no_args_is_help=True,
)
def pause(schedule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Pause a schedule: it starts no more jobs until it is resumed."""

    async def work(client: Client) -> Schedule:
        return await client.pause_schedule((await find_schedule(client, schedule)).id)

    print_schedule_change("Paused", call(server, work), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules resume report""",
    no_args_is_help=True,
)
def resume(schedule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Resume a paused schedule. Occurrences during the pause are recorded as skipped."""

    async def work(client: Client) -> Schedule:
        return await client.resume_schedule((await find_schedule(client, schedule)).id)

    print_schedule_change("Resumed", call(server, work), as_json=as_json)


@schedules.command(
    epilog="""\b
Examples:
  duetime schedules delete report
  duetime schedules delete report --yes""",
    no_args_is_help=True,
)
def delete(schedule: Which, yes: Yes = False, server: Server = None, as_json: AsJson = False) -> None:
    """Delete a schedule: it starts no more jobs."""

    async def work(client: Client) -> Schedule:
        found = await find_schedule(client, schedule)
        if not yes:
            confirm(f"Delete the schedule '{found.name}'?")
        return await client.delete_schedule(found.id)

    print_schedule_change("Deleted", call(server, work), as_json=as_json)


@schedules.command(
    "run-now",
    epilog="""\b
Examples:
  duetime schedules run-now report""",
    no_args_is_help=True,
)
def run_now(schedule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Launch a schedule's job now, in addition to its occurrences."""

    async def work(client: Client) -> Job:
        return await client.run_schedule_now((await find_schedule(client, schedule)).id)

    job = call(server, work)
    if as_json:
        print_json(job)
    else:
        print_line(f"Created job {job.id}: {job.status}, due {format_instant(job.due_at or job.execute_at)}.")
