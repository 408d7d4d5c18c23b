"""What is told of nodes on two databases: what they have in both, or in those that answer."""

from __future__ import annotations

from duetime.cells.census import summed
from duetime.engine.node.cluster import Cluster
from duetime.model.cluster import NodeState
from duetime.model.partial_answers import collect_missing
from harness.cells import CellEngines

AWAY = "Database 1 (shards 512-1023) does not answer: what it has is missing here."


def cluster_of(cells: CellEngines) -> Cluster:
    return Cluster(cells.routed.census, cells.databases[0].coordinator, cells.routed.hints, cells.clock)


async def test_a_nodes_shards_and_runs_are_counted_in_both(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    for _ in range(10):
        await cells.add(user)
    await cells.settle_down()
    for pool in cells.straight:
        assert await pool.rows("SELECT FROM in_flight"), "nothing runs in one of them"
    status = await cluster_of(cells).status()
    assert [(node.id, node.shards, node.running) for node in status.nodes] == [(cells.ownership.node, 1024, 10)]
    assert status.orphaned == 0


async def test_what_a_database_that_is_away_would_say_is_missing(cells: CellEngines) -> None:
    await cells.away(1)
    with collect_missing() as missing:
        status = await cluster_of(cells).status()
    assert ([node.shards for node in status.nodes], status.orphaned, missing) == ([512], 0, [AWAY])
    await cells.back(1)
    with collect_missing() as missing:
        status = await cluster_of(cells).status()
    assert ([node.shards for node in status.nodes], missing) == ([1024], [])


async def test_shards_without_an_owner_are_counted_where_they_live(cells: CellEngines) -> None:
    """Rows of shards that live elsewhere have no owner, and lack none."""
    await cells.straight[1].run("UPDATE shards SET owner = NULL WHERE shard IN (3, 700, 701)")
    assert (await cluster_of(cells).status()).orphaned == 2


async def test_owners_are_told_by_their_ids_at_home(cells: CellEngines) -> None:
    home, other = (one.ownership for one in cells.databases)
    await other.join()
    await cells.ownership.run_once()
    assert home.node != other.node
    assert set(await cells.routed.census.owners()) == {home.node}
    await cells.straight[1].run("UPDATE shards SET owner = NULL WHERE shard = 700")
    owners = await cells.routed.census.owners()
    assert [shard for shard, owner in enumerate(owners) if not owner] == [700]


def node(number: int, name: str, shards: int, term: int | None, running: int) -> NodeState:
    facts = {"roles": ["scheduler"], "version": "0", "joined_at": None, "lease_left": 1.0, "standby": 0}
    facts |= {"draining": False, "oldest_due": None, "clock_skew": None, "lowest_term": term, "highest_term": term}
    return NodeState(id=number, name=name, shards=shards, running=running, **facts)


def test_nodes_go_by_their_names_and_the_newest_of_a_name_counts() -> None:
    home = [node(1, "a", 10, 5, 1), node(2, "b", 20, None, 0), node(3, "a", 30, 7, 2)]
    there = [node(1, "b", 3, 4, 5), node(2, "stranger", 9, 9, 9), node(3, "a", 4, 2, 0), node(4, "a", 1, 9, 1)]
    shown = [(one.id, one.shards, one.lowest_term, one.highest_term, one.running) for one in summed(home, there)]
    assert shown == [(1, 10, 5, 5, 1), (2, 23, 4, 4, 5), (3, 35, 2, 9, 3)]
