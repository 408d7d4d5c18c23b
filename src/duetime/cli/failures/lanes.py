"""`duetime lanes`: shows lanes, and lets a blocked one continue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.confirmation import confirm
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import fields_of, print_facts, print_json, print_line, print_list
from duetime.cli.shared.session import call
from duetime.model.bounds import PAGE

if TYPE_CHECKING:
    from duetime.client import Client, Lane, LaneChange

lanes = typer.Typer(
    no_args_is_help=True,
    help="Show lanes, and let blocked ones continue. A lane is all jobs with one ordering key.",
    epilog=EPILOG,
)

Key = Annotated[
    str, typer.Argument(metavar="KEY", help="The ordering key of the lane, such as order-7.", show_default=False)
]

COLUMNS = ("key", "jobs", "blocked", "first", "status", "reason")


@lanes.command(
    "list",
    epilog="""\b
Examples:
  duetime lanes list
  duetime lanes list --blocked""",
)
def list_lanes(
    blocked: Annotated[
        bool,
        typer.Option(
            "--blocked",
            help="Only lanes whose first job has failed for good, so that they wait for you.",
            show_default=False,
        ),
    ] = False,
    limit: Annotated[int, bounded(PAGE, "List at most this many.")] = 100,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your lanes that have jobs in them."""

    async def work(client: Client) -> list[Lane]:
        return await client.lanes(blocked=blocked, limit=limit)

    print_list(
        call(server, work),
        COLUMNS,
        _row,
        as_json=as_json,
        empty="There are no such lanes. A lane appears when a job with an ordering key waits.",
    )


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes show order-7""",
    no_args_is_help=True,
)
def show(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Show a lane: how many jobs it has, its first job, and why it is blocked."""

    async def work(client: Client) -> Lane:
        return await client.lane(key)

    lane = call(server, work)
    if as_json:
        print_json(lane)
    else:
        print_facts(fields_of(lane))


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes skip order-7""",
    no_args_is_help=True,
)
def skip(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Let a blocked lane continue without its first job, which stays a dead letter."""
    _change("Skipped", server, lambda client: client.skip_lane(key), as_json=as_json)


@lanes.command(
    epilog="""\b
Examples:
  duetime lanes retry order-7""",
    no_args_is_help=True,
)
def retry(key: Key, server: Server = None, as_json: AsJson = False) -> None:
    """Redrive the first job of a blocked lane: it runs again, with all its attempts."""
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
    """Cancel all jobs of a lane, except one that is running."""

    async def work(client: Client) -> LaneChange:
        if not yes:
            lane = await client.lane(key)
            confirm(f"Cancel the jobs that wait in this lane ({lane.length} jobs)?")
        return await client.clear_lane(key)

    _change("Cancelled", server, work, as_json=as_json)


def _row(lane: Lane) -> tuple[object, ...]:
    blocked = "yes" if lane.blocked else "no"
    return (lane.key, lane.length, blocked, lane.head, lane.head_status, lane.reason)


def _change(verb: str, server: str | None, work: Callable[[Client], Awaitable[LaneChange]], *, as_json: bool) -> None:
    change = call(server, work)
    if as_json:
        print_json(change)
        return
    jobs = f"job {change.ids[0]}" if len(change.ids) == 1 else f"{len(change.ids)} jobs"
    left = "The lane is empty now." if change.lane is None else f"Jobs left in the lane: {change.lane.length}."
    print_line(f"{verb}: {jobs}. {left}")
