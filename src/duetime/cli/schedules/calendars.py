"""`duetime calendars`: named sets of dates, which schedules leave out or are limited to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG, UsageError
from duetime.cli.shared.input_files import read_document
from duetime.cli.shared.lookup import find_calendar
from duetime.cli.shared.options import AsJson, MostShown, Server, Yes
from duetime.cli.shared.output import print_facts, print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Calendar, Client

DATES_SHOWN = 3
"""How many dates of a calendar the list shows."""

calendars = typer.Typer(
    no_args_is_help=True,
    help="Manage calendars. Schedules leave their dates out, or run only on them.",
    epilog=EPILOG,
)

Which = Annotated[
    str, typer.Argument(metavar="CALENDAR", help="The name or the id of the calendar.", show_default=False)
]
Dates = Annotated[
    list[str] | None, typer.Option("--date", metavar="DATE", help="A date, such as 2030-12-25. May be repeated.")
]
File = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="A YAML or JSON file with a list of dates, or an object with dates and mode; - is stdin."
    ),
]
Mode = Annotated[
    Literal["exclude", "only"] | None,
    typer.Option(
        help="Schedules leave these dates out (exclude), or run only on them (only). Default for a new one: exclude."
    ),
]


@calendars.command(
    "list",
    epilog="""\b
Examples:
  duetime calendars list
  duetime calendars list --json""",
)
def list_calendars(
    limit: MostShown = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your calendars."""

    async def work(client: Client) -> list[Calendar]:
        return [one async for one in client.calendars(limit=limit)]

    print_list(
        call(server, work),
        ("id", "name", "mode", "dates", "which"),
        lambda one: (one.id, one.name, one.mode, len(one.dates), _summary(one.dates)),
        as_json=as_json,
        empty="There are no calendars. Create one with 'duetime calendars create'.",
    )


@calendars.command(
    epilog="""\b
Examples:
  duetime calendars show holidays
  duetime calendars show 3 --json""",
    no_args_is_help=True,
)
def show(calendar: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Show a calendar with all its dates."""

    async def work(client: Client) -> Calendar:
        return await find_calendar(client, calendar)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    facts: list[tuple[str, object]] = [(name, getattr(found, name)) for name in ("id", "name", "mode", "version")]
    print_facts([*facts, ("updated at", found.updated_at), ("dates", "\n".join(map(str, found.dates)))])


@calendars.command(
    epilog="""\b
Examples:
  duetime calendars create holidays --date 2030-12-25 --date 2030-12-26
  duetime calendars create workdays --mode only --file workdays.yaml""",
    no_args_is_help=True,
)
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name by which schedules refer to it, such as holidays.", show_default=False
        ),
    ],
    dates: Dates = None,
    file: File = None,
    mode: Mode = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a calendar."""
    given, file_mode = _given(dates, file)
    if given is None:
        raise UsageError("Dates are missing: give --date or a --file.")

    async def work(client: Client) -> Calendar:
        return await client.create_calendar(name, given, mode=mode or file_mode or "exclude")

    _print_change("Created", call(server, work), as_json=as_json)


@calendars.command(
    epilog="""--date and --file replace all dates; --add and --remove change single ones. The change applies at once to
every schedule that uses the calendar.

\b
Examples:
  duetime calendars edit holidays --add 2031-01-01 --remove 2030-12-24
  duetime calendars edit holidays --file holidays.yaml
  duetime calendars edit workdays --mode exclude""",
    no_args_is_help=True,
)
def edit(
    calendar: Which,
    dates: Dates = None,
    file: File = None,
    add: Annotated[
        list[str] | None, typer.Option(metavar="DATE", help="A date to add, such as 2031-01-01. May be repeated.")
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(metavar="DATE", help="A date to remove. May be repeated.")] = None,
    mode: Mode = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change the dates or the mode of a calendar."""
    given, file_mode = _given(dates, file)
    more, less = set(_dates(add or (), "--add")), set(_dates(remove or (), "--remove"))
    if given is not None and (more or less):
        raise UsageError("Give either all dates (--date, --file) or changes to them (--add, --remove).")
    if given is None and not more and not less and mode is None:
        raise UsageError("There is nothing to change: give --date, --file, --add, --remove or --mode.")

    async def work(client: Client) -> Calendar:
        found = await find_calendar(client, calendar)
        if missing := less.difference(found.dates):
            raise UsageError(f"{min(missing)} is not in the calendar '{found.name}'.")
        changed = sorted(more.union(found.dates) - less) if more or less else given
        return await client.edit_calendar(found.id, dates=changed, mode=mode or file_mode)

    _print_change("Changed", call(server, work), as_json=as_json)


@calendars.command(
    epilog="""A calendar that a schedule uses cannot be deleted: change or delete the schedule first.

\b
Examples:
  duetime calendars delete holidays
  duetime calendars delete holidays --yes""",
    no_args_is_help=True,
)
def delete(calendar: Which, yes: Yes = False, server: Server = None, as_json: AsJson = False) -> None:
    """Delete a calendar."""

    async def work(client: Client) -> Calendar:
        found = await find_calendar(client, calendar)
        if not yes:
            confirm(f"Delete the calendar '{found.name}'?")
        return await client.delete_calendar(found.id)

    _print_change("Deleted", call(server, work), as_json=as_json)


def _given(dates: list[str] | None, file: Path | None) -> tuple[list[date] | None, str | None]:
    """Returns all dates, from the options or from a file, and the mode in the file."""
    if file is None:
        return (None if dates is None else _dates(dates, "--date")), None
    if dates:
        raise UsageError("Give either --date or a --file, not both.")
    document = read_document(file)
    content: Any = {"dates": document} if isinstance(document, list) else document
    if (
        not isinstance(content, dict)
        or not isinstance(content.get("dates"), list)
        or content.keys() - {"dates", "mode"}
    ):
        raise UsageError(f"{file} must be a list of dates, or an object with dates and mode: {{dates: [2030-12-25]}}.")
    return _dates(content["dates"], str(file)), content.get("mode")


def _dates(texts: Iterable[object], where: str) -> list[date]:
    found: list[date] = []
    for text in texts:
        try:
            found.append(date.fromisoformat(str(text)))
        except ValueError:
            raise typer.BadParameter(f"'{text}' is not a date: write it as 2030-12-25.", param_hint=where) from None
    return found


def _summary(dates: list[date]) -> str:
    more = f" and {len(dates) - DATES_SHOWN} more" if len(dates) > DATES_SHOWN else ""
    return ", ".join(map(str, dates[:DATES_SHOWN])) + more


def _print_change(verb: str, calendar: Calendar, *, as_json: bool) -> None:
    if as_json:
        print_json(calendar)
    else:
        dates = "1 date" if len(calendar.dates) == 1 else f"{len(calendar.dates)} dates"
        print_line(f"{verb} calendar {calendar.id} '{calendar.name}': {calendar.mode}, {dates}.")
