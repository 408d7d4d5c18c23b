"""Ownership on a real database: what becomes of shards when answers get lost, pools are full, and nodes come and go."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from duetime.clock.manual import ManualClock
from duetime.coordination.ownership import MARGIN, Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.coordination.postgres_census import PostgresCensus
from duetime.engine.node.cluster import Cluster
from duetime.model.errors import Conflict, NotFound, StoreAway
from duetime.model.ids import NodeId
from duetime.postgres.pool import Pool
from harness.waiting import eventually

TTL = 60.0


class Forgetful(PostgresCoordinator):
    """Does what it is asked, and then loses the answer."""

    lose: str = ""

    async def acquire(self, node: NodeId, shards: Sequence[int]) -> dict[int, int]:
        taken = await super().acquire(node, shards)
        self._lost("acquire")
        return taken

    async def release(self, node: NodeId, shards: Sequence[int]) -> None:
        if self.lose == "release, before it arrives":
            raise StoreAway
        await super().release(node, shards)
        self._lost("release")

    def _lost(self, verb: str) -> None:
        if self.lose == verb:
            raise StoreAway


class World:
    """Nodes on one database, each with a pool of its own, on a clock that the test turns."""

    def __init__(self, dsn: str, stack: AsyncExitStack) -> None:
        self.dsn, self.stack, self.clock = dsn, stack, ManualClock()

    async def node(self, name: str = "node", standby: int = 0) -> Any:
        pool = Pool(self.dsn, size=2)
        await pool.open()
        self.stack.push_async_callback(pool.close)
        coordinator = Forgetful(pool)
        self.stack.push_async_callback(coordinator.close)
        made = Ownership(
            coordinator, self.clock, name=name, roles=("scheduler",), version="0", ttl=TTL, standby=standby
        )
        made.pool, made.coordinator = pool, coordinator  # type: ignore[method-assign]
        await made.join()
        return made

    async def dies(self, node: Any) -> None:
        await node.pool.run(
            "UPDATE leases SET until = clock_timestamp() - interval '1 s' WHERE node_id = $1", node.node
        )


@pytest.fixture
async def world(dsn: str) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield World(dsn, stack)


async def turn(*nodes: Ownership, times: int = 3) -> None:
    for _ in range(times):
        for node in nodes:
            await node.run_once()


def counts(*nodes: Ownership) -> list[int]:
    return [node.count for node in nodes]


async def test_who_comes_gets_a_share_and_who_goes_leaves_it_to_the_others(world: World) -> None:
    one = await world.node()
    await turn(one, times=1)
    two = await world.node()
    await turn(one, two, times=2)
    assert counts(one, two) == [512, 512]
    three = await world.node()
    before = [*one.held], [*two.held]
    await turn(one, two, three)
    assert sorted(counts(one, two, three)) == [341, 341, 342]
    for node, was in zip((one, two), before, strict=True):
        assert all(old for now, old in zip(node.held, was, strict=True) if now), "nothing moved between the others"
    await one.leave()
    await turn(two, three, times=1)
    assert counts(two, three) == [512, 512]


@pytest.mark.parametrize("lost", ["acquire", "release", "release, before it arrives"])
async def test_an_answer_that_got_lost_leaves_no_shard_behind(world: World, lost: str) -> None:
    """However it went: a moment later memory and store agree, and every shard has an owner that knows it."""
    one = await world.node()
    await turn(one, times=1)
    two = await world.node()
    unlucky = two if lost == "acquire" else one
    unlucky.coordinator.lose = lost
    with pytest.raises(StoreAway):
        await turn(one, two)
    unlucky.coordinator.lose = ""
    await turn(one, two)
    assert counts(one, two) == [512, 512]
    owners = (await one.coordinator.owners()).owners
    for node in (one, two):
        assert [owner == node.node for owner in owners] == node.held
        terms = await node.pool.rows("SELECT shard, term FROM shards WHERE owner = $1", node.node)
        assert all(node.terms[row["shard"]] == row["term"] for row in terms)


async def test_a_lease_is_renewed_while_the_pool_is_exhausted(world: World) -> None:
    one = await world.node()
    async with one.pool.acquired(), one.pool.acquired():
        await one.renew()
        await one.balance()
    assert one.count == 1024


async def test_a_node_that_cannot_renew_stops_trusting_its_lease_before_it_ends(world: World) -> None:
    one = await world.node()
    world.clock.advance(TTL * (1 - MARGIN) - 1)
    assert one.trusted
    world.clock.advance(2)
    assert not one.trusted
    await one.renew()
    world.clock.advance(TTL * (1 - MARGIN) - 1)
    assert one.trusted
    world.clock.advance(2)
    assert not one.trusted


async def test_who_was_fenced_drops_everything_and_comes_back_as_somebody_new(world: World) -> None:
    zombie, heir = await world.node(), await world.node()
    await turn(zombie, heir)
    old = zombie.node
    await world.dies(zombie)
    await heir.balance()
    assert heir.count == 1024
    told: list[int] = []
    zombie.on_change = lambda: told.append(zombie.count)
    await zombie.renew()
    assert zombie.node > old
    assert zombie.count == 0
    assert told == [0]
    await turn(heir, zombie, times=2)
    assert counts(zombie, heir) == [512, 512]


async def test_a_living_owners_shards_pass_to_nobody_even_if_the_taker_cannot_see_it_live(world: World) -> None:
    """The taker's snapshot may be older than the owner's whole life; the wall is in the table."""
    one, two = await world.node(), await world.node()
    await one.coordinator.acquire(one.node, [7])
    stolen = await one.pool.rows(
        "UPDATE shards SET owner = $1, term = term + 1 WHERE shard = 7 RETURNING shard", two.node
    )
    assert stolen == []
    assert (await two.coordinator.owners()).owners[7] == one.node


async def test_a_spare_owns_nothing_until_an_active_one_dies(world: World) -> None:
    spare, one, two = await world.node("spare", standby=2), await world.node(), await world.node()
    await turn(spare, one, two)
    assert counts(spare, one, two) == [0, 512, 512]
    assert spare.share == 0
    await world.dies(two)
    await turn(spare, one, times=1)
    await turn(spare, one, times=1)
    assert counts(spare, one) == [512, 512]
    back = await world.node()
    await turn(spare, one, back)
    assert counts(spare, one, back) == [0, 512, 512]


async def test_a_drained_node_gives_up_all_and_stays_drained_under_a_new_id(world: World) -> None:
    one, two = await world.node(), await world.node()
    await turn(one, two)
    await two.coordinator.drain(one.node, True)
    await turn(one, two, times=2)
    assert counts(one, two) == [0, 1024]
    assert one.draining
    await world.dies(one)
    await two.balance()
    await turn(one, two)
    assert counts(one, two) == [0, 1024]
    await two.coordinator.drain(one.node, False)
    await turn(one, two)
    assert counts(one, two) == [512, 512]
    assert not one.draining


async def test_who_stops_hands_over_at_once_and_keeps_its_lease_for_what_still_runs(world: World) -> None:
    one, two = await world.node(), await world.node()
    await turn(one, two)
    await one.retire()
    await two.balance()
    assert counts(one, two) == [0, 1024]
    await turn(one, two)
    assert counts(one, two) == [0, 1024]
    assert one.trusted


async def test_launches_that_hang_do_not_hold_up_a_hand_over_for_long(world: World) -> None:
    one = await world.node()
    await turn(one, times=1)
    never = ManualClock()
    one.before_release = lambda: never.sleep(1.0)
    two = await world.node()
    await turn(one, two, times=2)
    assert counts(one, two) == [512, 512]


async def test_a_node_that_froze_in_the_middle_of_a_launch_is_fenced_all_the_same(world: World) -> None:
    """It holds the lock on its lease; the server ends its transaction for it."""
    frozen, heir = await world.node(), await world.node()
    await turn(frozen, heir)
    connection = await frozen.pool.connect()
    try:
        await connection.execute("BEGIN")
        await connection.execute("SELECT FROM leases WHERE node_id = $1 FOR KEY SHARE", frozen.node)
        await world.dies(frozen)
        assert await heir.coordinator.fence() == []
        assert await eventually(heir.coordinator.fence, 15.0, every=0.2) == [frozen.node]
    finally:
        await connection.close()


async def test_the_cluster_is_shown_drained_and_rebalanced(world: World) -> None:
    one, two = await world.node("a"), await world.node("b")
    await one.balance()
    clock = ManualClock()
    cluster = Cluster(PostgresCensus(one.pool), one.coordinator, one.coordinator, clock)
    status = await cluster.status()
    assert [(node.name, node.shards, node.lowest_term, node.draining) for node in status.nodes] == [
        ("a", 512, 1, False),
        ("b", 0, None, False),
    ]
    assert status.orphaned == 512
    assert status.identity.coordinator == "postgres"
    assert all(0 < node.lease_left <= TTL for node in status.nodes)
    assert (await cluster.drain(one.node, force=False, actor=1)).draining
    with pytest.raises(Conflict, match="only scheduler"):
        await cluster.drain(two.node, force=False, actor=1)
    assert (await cluster.drain(two.node, force=True, actor=1)).draining
    assert not (await cluster.undrain(two.node, actor=1)).draining
    with pytest.raises(NotFound, match="no living node 999"):
        await cluster.drain(999, force=False, actor=1)
    with pytest.raises(NotFound):
        await cluster.undrain(999, actor=1)
    assert await PostgresCensus(one.pool).report(one.node, clock.now(), 1.5) is True
    shown = (await cluster.status()).nodes[0]
    assert (shown.oldest_due, shown.clock_skew) == (clock.now(), 1.5)
