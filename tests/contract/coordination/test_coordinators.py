"""What every coordinator must do, whatever it is made of."""

from __future__ import annotations

import asyncio

import pytest

from contract.coordination.sites import LONG, Site
from duetime.coordination.port import Coordinator
from duetime.model.ids import SHARDS, NodeId
from harness.waiting import eventually

ALL = list(range(SHARDS))


async def joined(coordinator: Coordinator, name: str = "node", ttl: float = LONG, **more: int) -> NodeId:
    return await coordinator.join(name, ("scheduler", "executor"), "0", ttl, **more)


async def test_every_join_gives_a_new_id_that_others_see(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    ids = [await joined(one, "a"), await joined(two, "b"), await joined(one, "a")]
    assert len(set(ids)) == 3
    assert [(member.id, member.name) for member in await two.members()] == list(zip(ids, "aba", strict=True))


async def test_who_does_not_schedule_is_no_member(site: Site) -> None:
    coordinator = site.coordinator()
    executor = await coordinator.join("worker", ("executor",), "0", LONG)
    assert await coordinator.members() == []
    assert await coordinator.renew(executor, LONG)


async def test_members_say_what_they_are_and_hold(site: Site) -> None:
    coordinator = site.coordinator()
    active, spare = await joined(coordinator), await joined(coordinator, "spare", standby=2)
    await coordinator.acquire(active, [1, 2, 3])
    assert [(m.id, m.shards, m.standby, m.draining) for m in await coordinator.members()] == [
        (active, 3, 0, False),
        (spare, 0, 2, False),
    ]


async def test_a_lease_runs_out_by_itself_and_only_without_renewal(site: Site) -> None:
    watcher, other = site.coordinator(), site.coordinator()
    mortal, kept = await joined(other, "mortal", site.ttl), await joined(other, "kept", site.ttl)
    fenced: list[int] = []

    async def gone() -> bool:
        assert await other.renew(kept, site.ttl)
        fenced.extend(await watcher.fence())
        return bool(fenced)

    await eventually(gone, 15.0, every=site.ttl / 5)
    assert fenced == [mortal]
    assert await watcher.fence() == []


async def test_what_was_fenced_is_dead_for_good(site: Site) -> None:
    coordinator, heir = site.coordinator(), site.coordinator()
    node = await joined(coordinator)
    terms = await coordinator.acquire(node, [7])
    assert await site.launch(node, 7, terms[7])
    await site.forget(node)
    assert await heir.fence() == [node]
    for _ in range(2):
        assert not await coordinator.renew(node, LONG)
    assert await coordinator.acquire(node, [7, 8]) == {}
    assert not await site.launch(node, 7, terms[7])
    assert not await coordinator.drain(node, True)
    assert node not in [member.id for member in await heir.members()]


async def test_only_what_is_free_is_taken(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    first, second = await joined(one), await joined(two)
    assert set(await one.acquire(first, [1, 2, 3])) == {1, 2, 3}
    assert set(await two.acquire(second, [2, 3, 4])) == {4}
    owners = (await one.owners()).owners
    assert len(owners) == SHARDS
    assert [owners[shard] for shard in range(6)] == [0, first, first, first, second, 0]


async def test_a_shard_has_one_owner_however_many_want_it(site: Site) -> None:
    nodes = [(coordinator, await joined(coordinator)) for coordinator in (site.coordinator() for _ in range(4))]
    taken = await asyncio.gather(*(coordinator.acquire(node, ALL) for coordinator, node in nodes))
    assert sum(len(one) for one in taken) == SHARDS
    owners = (await nodes[0][0].owners()).owners
    for (_, node), one in zip(nodes, taken, strict=True):
        assert {shard for shard, owner in enumerate(owners) if owner == node} == set(one)


async def test_terms_rise_with_every_taking_and_never_fall(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    seen = [await site.terms()]
    for round_ in range(3):
        node = await joined(one)
        taken = await one.acquire(node, [0, 1])
        seen.append(await site.terms())
        assert taken == {0: seen[-1][0], 1: seen[-1][1]}
        assert all(new > old for new, old in zip(seen[-1][:2], seen[-2][:2], strict=True))
        if round_ == 0:
            await one.release(node, [0, 1])
        elif round_ == 1:
            await one.leave(node)
        else:
            await site.forget(node)
            assert await two.fence() == [node]
        assert await site.terms() == seen[-1]


async def test_taking_again_what_is_ones_own_makes_up_for_a_lost_answer(site: Site) -> None:
    coordinator = site.coordinator()
    node = await joined(coordinator)
    first = await coordinator.acquire(node, [5])
    again = await coordinator.acquire(node, [5])
    assert again[5] > first[5]
    assert not await site.launch(node, 5, first[5])
    assert await site.launch(node, 5, again[5])


async def test_what_is_given_back_can_be_taken_at_once_and_launched_no_more(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    first, second = await joined(one), await joined(two)
    old = await one.acquire(first, [1, 2])
    await one.release(first, [1])
    await one.release(first, [1])
    new = await two.acquire(second, [1, 2])
    assert set(new) == {1}
    assert not await site.launch(first, 1, old[1])
    assert await site.launch(first, 2, old[2])
    assert await site.launch(second, 1, new[1])
    await one.release(first, [1])
    assert (await two.owners()).owners[1] == second, "nobody gives back what is another's"


async def test_who_leaves_is_gone_at_once(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    first, second = await joined(one), await joined(two)
    old = await one.acquire(first, [1])
    await one.leave(first)
    assert [member.id for member in await two.members()] == [second]
    assert not await site.launch(first, 1, old[1])
    assert set(await two.acquire(second, [1])) == {1}
    assert not await one.renew(first, LONG)
    await one.leave(first)


async def test_a_drained_node_lives_on_and_can_be_taken_back(site: Site) -> None:
    one, two = site.coordinator(), site.coordinator()
    node = await joined(one)
    assert await two.drain(node, True)
    assert [member.draining for member in await one.members()] == [True]
    assert await one.renew(node, LONG)
    assert await two.drain(node, False)
    assert [member.draining for member in await one.members()] == [False]
    assert not await two.drain(NodeId(node + 100), True)


async def test_nobody_is_fenced_in_the_middle_of_a_launch(site: Site) -> None:
    """`fence` names only those of whom nothing can be committed any more; and waits for nobody."""
    one, two = site.coordinator(), site.coordinator()
    slow, dead, heir = await joined(one), await joined(one), await joined(two)
    await one.acquire(slow, [1])
    await one.acquire(dead, [2])
    async with site.launching(slow):
        await site.forget(slow)
        await site.forget(dead)
        assert await two.fence() == [dead]
        assert set(await two.acquire(heir, [1, 2])) == {2}
    assert await two.fence() == [slow]
    assert set(await two.acquire(heir, [1, 2])) == {1, 2}


async def test_a_renewal_waits_behind_nothing(site: Site) -> None:
    """Not behind launches of one's own, nor behind another verb that waits for a lock."""
    coordinator, other = site.coordinator(), site.coordinator()
    node = await joined(coordinator, ttl=site.ttl)
    async with site.launching(node):
        blocked = asyncio.ensure_future(coordinator.leave(node))
        left, _ = await asyncio.wait({blocked}, timeout=0.2)
        assert not left
        assert await coordinator.renew(node, site.ttl)
        assert await other.fence() == []
    await blocked


@pytest.mark.parametrize("verb", ["release", "leave"])
async def test_repeating_a_verb_does_no_harm(site: Site, verb: str) -> None:
    one, two = site.coordinator(), site.coordinator()
    node = await joined(one)
    await one.acquire(node, ALL)
    for _ in range(2):
        await (one.release(node, ALL) if verb == "release" else one.leave(node))
    heir = await joined(two)
    assert len(await two.acquire(heir, ALL)) == SHARDS
