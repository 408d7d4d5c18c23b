"""`duetime lanes` and `duetime breakers`: what holds jobs back, and letting them go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import print_facts, print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Breaker, Client, Lane, LaneChange

lanes = typer.Typer(no_args_is_help=True, help="Lanes: jobs with the same ordering key.", epilog=EPILOG)

Key = Annotated[str, typer.Argument(metavar="KEY", help="The ordering key.", show_default=False)]

COLUMNS = ("key", "jobs", "blocked", "first", "status", "reason")

BREAKERS_EXAMPLES = """Jobs that call such a host wait, instead of using up their attempts; one at a time tries.

\b
Examples:
  duetime breakers
  duetime breakers --json"""


@lanes.command(
    "list",
    epilog="""\b
Examples:
  duetime lanes list
  duetime lanes list --blocked""",
)
def list_lanes(
    blocked: Annotated[
        bool, typer.Option("--blocked", help="Only those that wait for a person.", show_default=False)
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your lanes that have jobs in them."""

    async def work(client: Client) -> list[Lane]:
        return await client.lanes(blocked=blocked, limit=limit)

    print_list(call(server, work), COLUMNS, _row, as_json=as_json, empty="There are no such lanes.")


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes show order-7""",
    no_args_is_help=True,
)
def show(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Show a lane."""

    async def work(client: Client) -> Lane:
        return await client.lane(key)

    lane = call(server, work)
    if as_json:
        print_json(lane)
    else:
        print_facts([(name.replace("_", " "), getattr(lane, name)) for name in lane.__struct_fields__])


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes skip order-7""",
    no_args_is_help=True,
)
def skip(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Leave a blocked lane's first job behind, among the dead letters; the lane goes on."""
    _change("Left behind", server, lambda client: client.skip_lane(key), as_json=as_json)


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes retry order-7""",
    no_args_is_help=True,
)
def retry(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Give a blocked lane's first job another life."""
    _change("Redriven", server, lambda client: client.retry_lane(key), as_json=as_json)


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes clear order-7
  duetime lanes clear order-7 --yes""",
    no_args_is_help=True,
)
def clear(
    key: Key,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Cancel everything in a lane that is not running."""

    async def work(client: Client) -> LaneChange:
        if not yes:
            lane = await client.lane(key)
            typer.confirm(f"Cancel what waits in this lane ({lane.length} jobs)?", abort=True, err=True)
        return await client.clear_lane(key)

    _change("Cancelled", server, work, as_json=as_json)


def breakers(server: Server = None, as_json: AsJson = False) -> None:
    """List the hosts that are taken to be down for you."""

    async def work(client: Client) -> list[Breaker]:
        return await client.breakers()

    print_list(
        call(server, work),
        ("host", "failures", "since"),
        lambda breaker: (breaker.host, breaker.failures, breaker.opened_at),
        as_json=as_json,
        empty="No host is taken to be down.",
    )


def _row(lane: Lane) -> tuple[object, ...]:
    blocked = "yes" if lane.blocked else "no"
    return (lane.key, lane.length, blocked, lane.head, lane.head_status, lane.reason)


def _change(verb: str, server: str | None, work: Callable[[Client], Awaitable[LaneChange]], *, as_json: bool) -> None:
    change = call(server, work)
    if as_json:
        print_json(change)
        return
    jobs = f"job {change.ids[0]}" if len(change.ids) == 1 else f"{len(change.ids)} jobs"
    left = "Nothing is left in the lane." if change.lane is None else f"In the lane now: {change.lane.length}."
    print_line(f"{verb}: {jobs}. {left}")
