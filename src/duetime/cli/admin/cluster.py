"""`duetime cluster`: shows the nodes and shares, drains and undrains nodes, rebalances shards."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.jobs.overview import Window, Within
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.session import call
from duetime.model.errors import NotFound

if TYPE_CHECKING:
    from duetime.client import Client, Cluster, Node, Rebalanced, Shares

cluster = typer.Typer(
    no_args_is_help=True,
    help="Show the nodes of the cluster, and move work between them. Needs an admin.",
    epilog=EPILOG,
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NODE", help="The id or the name of the node, such as 12 or worker-3:4711.", show_default=False
    ),
]
COLUMNS = ("id", "name", "status", "roles", "version", "since", "shards", "terms", "running", "lag", "lease", "clock")
WRONG_CLOCK_MS = 60_000


@cluster.command(
    epilog="""\b
Examples:
  duetime cluster status
  duetime cluster status --json"""
)
def status(server: Server = None, as_json: AsJson = False) -> None:
    """Show the living nodes with their shards, terms, runs, lag, lease and clock."""

    async def work(client: Client) -> Cluster:
        return await client.cluster()

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    name = f"'{found.name}' ({found.id})" if found.name else found.id
    print_line(f"Cluster {name}, leases in {found.coordinator}.")
    print_table(COLUMNS, [_row(node) for node in found.nodes], empty="There is no living node.")
    if found.databases:
        rows = [(one.number, "answers" if one.answers else "away", one.shards) for one in found.databases]
        print_table(("database", "state", "shards"), rows)
    if found.orphaned_shards:
        print_line(f"{found.orphaned_shards} shards have no living owner: their jobs wait until a scheduler runs.")
    for node in found.nodes:
        if abs(node.clock_skew_ms or 0) > WRONG_CLOCK_MS:
            print_line(f"The clock of node {node.id} ({node.name}) is off by {_seconds(node.clock_skew_ms)}.")


@cluster.command(
    epilog="""\b
Examples:
  duetime cluster shares
  duetime cluster shares --window 24h"""
)
def shares(window: Within = Window.HOUR, server: Server = None, as_json: AsJson = False) -> None:
    """Show what each user got, beside its weight: the 50 users with the most launches."""

    async def work(client: Client) -> Shares:
        return await client.shares(window.value)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    rows = [
        (one.user_id, one.username, one.job_weight, f"{one.weight_part:.1%}", one.launched, f"{one.launched_part:.1%}")
        for one in found.users
    ]
    columns = ("id", "user", "weight", "of weights", "launched", "of launches")
    print_table(columns, rows, empty=f"Nothing was launched within {found.window}.")


@cluster.command(
    epilog="""\b
Examples:
  duetime cluster drain 12
  duetime cluster drain worker-3:4711 --wait""",
    no_args_is_help=True,
)
def drain(
    node: Name,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the node owns no shard and runs no job.", show_default=False)
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Drain even the last scheduler. Jobs then wait.", show_default=False)
    ] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Drain a node: it hands its shards to the others and starts no more runs."""

    async def work(client: Client) -> Node:
        asked = await client.drain_node((await _find(client, node)).id, force=force)
        return await _until_drained(client, asked) if wait else asked

    _show(call(server, work), as_json=as_json)


@cluster.command(
    epilog="""\b
Examples:
  duetime cluster undrain 12""",
    no_args_is_help=True,
)
def undrain(node: Name, server: Server = None, as_json: AsJson = False) -> None:
    """Let a drained node own shards and start runs again."""

    async def work(client: Client) -> Node:
        return await client.undrain_node((await _find(client, node)).id)

    _show(call(server, work), as_json=as_json)


@cluster.command(
    epilog="""\b
Examples:
  duetime cluster rebalance"""
)
def rebalance(server: Server = None, as_json: AsJson = False) -> None:
    """Share the shards evenly now, and show what moved. Nodes also do this by themselves."""

    async def work(client: Client) -> Rebalanced:
        return await client.rebalance()

    done = call(server, work)
    if as_json:
        print_json(done)
    elif not done.moved:
        print_line("Nothing had to move: every node already has its share.")
    else:
        print_line(f"{done.moved} shards moved.")
        rows = [(move.source or "no owner", move.target or "no owner", move.shards) for move in done.moves]
        print_table(("from", "to", "shards"), rows)


async def _find(client: Client, wanted: str) -> Node:
    """Returns the living node with this id, else the one with this name."""
    nodes = (await client.cluster()).nodes
    found = [node for node in nodes if str(node.id) == wanted] or [node for node in nodes if node.name == wanted]
    if not found:
        raise NotFound(f"There is no living node '{wanted}': 'duetime cluster status' lists them.")
    return found[0]


async def _until_drained(client: Client, node: Node) -> Node:
    from duetime.client.local_clock import local_sleep

    while node.status != "drained":
        print(f"node {node.id}: {node.shards} shards and {node.running} runs left", file=sys.stderr)
        await local_sleep(1.0)
        nodes = (await client.cluster()).nodes
        node = next((one for one in nodes if one.id == node.id), node)
        if node.id not in [one.id for one in nodes]:
            raise NotFound(f"Node {node.id} no longer lives.")
    return node


def _show(node: Node, *, as_json: bool) -> None:
    if as_json:
        print_json(node)
    else:
        print_line(f"Node {node.id} ({node.name}) is {node.status}: {node.shards} shards, {node.running} runs.")


def _row(node: Node) -> tuple[object, ...]:
    terms = None if node.lowest_term is None else f"{node.lowest_term}-{node.highest_term}"
    lease = None if node.lease_left_ms is None else f"{_seconds(node.lease_left_ms)} left"
    facts = (node.id, node.name, node.status, ",".join(node.roles), node.version, node.since, node.shards, terms)
    return (*facts, node.running, _seconds(node.lag_ms), lease, _seconds(node.clock_skew_ms))


def _seconds(ms: int | None) -> str | None:
    return None if ms is None else f"{ms / 1000:.1f}s"
