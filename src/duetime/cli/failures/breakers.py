"""`duetime breakers`: the hosts whose circuit breaker is open, and how to reset one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Breaker, Client, Reset

breakers = typer.Typer(
    no_args_is_help=True, help="List and reset circuit breakers: hosts that are down, whose jobs wait.", epilog=EPILOG
)
AllUsers = Annotated[
    bool, typer.Option("--all-users", help="The breakers of all users. For admins.", show_default=False)
]


@breakers.command(
    "list",
    epilog="""A host's breaker opens after repeated failures. While it is open, jobs for that host wait instead of \
using up their attempts. At the next probe, one job tries whether the host answers again.

\b
Examples:
  duetime breakers list
  duetime breakers list --all-users --json""",
)
def list_breakers(all_users: AllUsers = False, server: Server = None, as_json: AsJson = False) -> None:
    """List the hosts whose circuit breaker is open."""

    async def work(client: Client) -> list[Breaker]:
        return await client.all_breakers() if all_users else await client.breakers()

    columns = (*(("user",) if all_users else ()), "host", "failures", "since", "next probe")
    print_list(
        call(server, work),
        columns,
        lambda one: (
            *((one.user_id,) if all_users else ()),
            one.host,
            one.failures,
            one.opened_at,
            one.next_probe_at or "now",
        ),
        as_json=as_json,
        empty="No host has an open breaker: no job waits for one.",
    )


@breakers.command(
    epilog="""Every scheduler closes its breaker of the host at once, and its jobs start.

\b
Examples:
  duetime breakers reset https://example.com
  duetime breakers reset http://10.0.0.7:8080 --all-users""",
    no_args_is_help=True,
)
def reset(
    host: Annotated[str, typer.Argument(help="The host, as the list shows it.", show_default=False)],
    all_users: AllUsers = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Close the circuit breaker of a host that is up again."""

    async def work(client: Client) -> Reset:
        return await client.reset_all_breakers(host) if all_users else await client.reset_breaker(host)

    done = call(server, work)
    if as_json:
        print_json(done)
    else:
        print_line(f"Reset the circuit breaker of {done.host}: jobs for it start again.")
