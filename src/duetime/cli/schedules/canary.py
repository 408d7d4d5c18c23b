"""`duetime canary`: a schedule that runs the whole way each minute and calls a URL, whose silence is the alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.schedules.create import print_schedule_change
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.lookup import find_schedule
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Schedule

NAME = "duetime-canary"
EXAMPLES = """The URL is that of a dead man's switch outside this cluster, such as a check of Healthchecks with a \
period of one minute: it warns you when the calls stay away. A call that fails is not tried again, and one that is \
late is left out, so each call says that the whole way works now.

\b
Examples:
  duetime canary https://hc-ping.com/8b1f4c9e-0000-0000-0000-000000000000
  duetime canary https://hc-ping.com/8b1f4c9e-0000-0000-0000-000000000000 --every 5m
  duetime canary --remove"""


def canary(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="What to call each time, with GET.", show_default=False)
    ] = None,
    every: Annotated[str, typer.Option(metavar="DURATION", help="How often.")] = "1m",
    remove: Annotated[bool, typer.Option("--remove", help=f"Delete the schedule '{NAME}'.")] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create or change the canary: a schedule that calls a URL for as long as everything works."""
    if remove == (url is not None):
        raise UsageError("Give a URL, or --remove.")

    async def work(client: Client) -> Schedule:
        if url is not None:
            await client.apply_schedules([_fields(url, every)])
        found = await find_schedule(client, NAME)
        return await client.delete_schedule(found.id) if remove else found

    print_schedule_change("Deleted" if remove else "Applied", call(server, work), as_json=as_json)


def _fields(url: str, every: str) -> dict[str, Any]:
    return {
        "name": NAME,
        "every": every,
        "target": {"kind": "http", "url": url, "method": "GET"},
        "timeout": "10s",
        "retry": False,
        "breaker": False,
        "misfire": "skip",
        "overlap": "skip",
        "expires_after": "30s",
    }
