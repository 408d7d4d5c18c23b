"""`duetime schedules create` and `duetime schedules edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.schedules.options import Which, field_of, schedule_fields, schedule_options
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.lookup import find_schedule
from duetime.cli.shared.option_groups import with_options
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Schedule

CREATE_EXAMPLES = """Give at least one of --cron, --every, --at and --rrule. Without --url the message is written to \
the log of each job.

\b
Examples:
  duetime schedules create report --cron "30 2 * * *" --zone Europe/Riga --url https://example.com/report
  duetime schedules create poll --every 15m --message "poll at {{nominal}}"
  duetime schedules create twice --cron "0 9 * * MON" --cron "0 17 * * FRI" --overlap queue"""

EDIT_EXAMPLES = """Only the options you give change something. To replace --cron by --every, also give --without cron.

\b
Examples:
  duetime schedules edit report --cron "0 3 * * *"
  duetime schedules edit report --every 1h --without cron
  duetime schedules edit report --misfire skip --message "later\""""

Without = Annotated[
    list[str] | None, typer.Option(metavar="OPTION", help="Remove this, such as cron or window. May be repeated.")
]


@with_options(schedule_options)
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name, unique among your schedules, such as report.", show_default=False
        ),
    ],
    given: dict[str, Any],
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a schedule, which launches a job again and again."""
    fields = schedule_fields(given)

    async def work(client: Client) -> Schedule:
        return await client.create_schedule(name, **fields)

    print_schedule_change("Created", call(server, work), as_json=as_json)


@with_options(schedule_options)
def edit(
    schedule: Which,
    given: dict[str, Any],
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The new name.")] = None,
    without: Without = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a schedule. The change applies at once to every occurrence that has not launched."""
    fields = schedule_fields(given) | ({"name": name} if name is not None else {})
    for option in without or []:
        if fields.get(field := field_of(option)) is not None:
            raise UsageError(f"--without {option} removes what another option sets: give one of them.")
        fields[field] = None

    async def work(client: Client) -> Schedule:
        return await client.edit_schedule((await find_schedule(client, schedule)).id, **fields)

    print_schedule_change("Changed", call(server, work), as_json=as_json)


def print_schedule_change(verb: str, schedule: Schedule, *, as_json: bool) -> None:
    """Prints a schedule after a change: what was done, its state and its next occurrence."""
    if as_json:
        print_json(schedule)
        return
    upcoming = "" if schedule.next is None else f", next {format_instant(schedule.next.run_at)}"
    print_line(f"{verb} schedule {schedule.id} '{schedule.name}': {schedule.state}{upcoming}.")
