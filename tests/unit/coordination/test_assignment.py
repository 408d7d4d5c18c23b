"""Evenness, movement and convergence of the assignment, for every number of nodes and any set of shards."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetime.coordination.assignment import active, assign, share_of
from duetime.coordination.port import Member

SHARDS = 1024
ids = st.integers(1, 2**31 - 1)
members_of = st.sets(ids, min_size=1, max_size=16).map(lambda found: tuple(sorted(found)))


def moved(before: tuple[int, ...], after: tuple[int, ...]) -> int:
    return sum(old != new for old, new in zip(before, after, strict=True))


def settled(members: tuple[int, ...], shards: int = SHARDS) -> tuple[int, ...]:
    return assign(members, (0,) * shards)


@given(members_of, st.integers(1, 1024), st.data())
@settings(max_examples=150, deadline=None)
def test_loads_differ_by_one_at_most_whatever_was_before(
    members: tuple[int, ...], shards: int, data: st.DataObject
) -> None:
    strangers = [0, *data.draw(st.lists(ids, max_size=3))]
    random = Random(data.draw(st.integers(0, 999)))
    before = tuple(random.choice([*members, *strangers]) for _ in range(shards))
    loads = Counter(assign(members, before))
    assert set(loads) <= set(members)
    counts = [loads[member] for member in members]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("nodes", range(1, 17))
def test_max_over_mean_and_movement_for_1_to_16_nodes(nodes: int) -> None:
    """A node comes, another goes, at every size: moved are exactly its own shards, the least that can be."""
    random = Random(nodes)
    members = tuple(range(1, nodes + 1))
    owners = settled(members)
    assert max(Counter(owners).values()) / (SHARDS / nodes) <= 1.1
    for number in range(20):
        newcomer = nodes + 1 + number
        joined = assign((*members, newcomer), owners)
        assert moved(owners, joined) <= 1.2 * SHARDS / (nodes + 1)
        assert moved(owners, joined) == Counter(joined)[newcomer]
        gone = random.choice((*members, newcomer))
        left = tuple(member for member in (*members, newcomer) if member != gone)
        after = assign(left, joined)
        assert moved(joined, after) == Counter(joined)[gone] <= 1.2 * SHARDS / (nodes + 1)
        members, owners = left, after
        assert max(Counter(owners).values()) / (SHARDS / nodes) <= 1.1


@given(members_of)
@settings(max_examples=50, deadline=None)
def test_nothing_moves_while_nobody_comes_or_goes(members: tuple[int, ...]) -> None:
    owners = settled(members)
    assert assign(members, owners) == owners


@given(members_of, st.sets(st.integers(0, 1023), min_size=1))
@settings(max_examples=50, deadline=None)
def test_each_set_of_shards_is_shared_by_itself(members: tuple[int, ...], chosen: set[int]) -> None:
    """What a database holds is dealt out evenly, whatever is elsewhere; every shard has one owner."""
    shards = sorted(chosen)
    parts = [share_of(member, members, [0] * SHARDS, shards) for member in members]
    assert sorted(shard for part in parts for shard in part) == shards
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(st.integers(2, 8), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_nodes_that_act_on_stale_views_still_come_to_rest(nodes: int, seed: int) -> None:
    """Each acts on what it saw a while ago; only what is free can be taken, only one's own given back."""
    random = Random(seed)
    shards = 64
    owners = list(settled(tuple(range(1, nodes + 1)), shards))
    members = tuple(member for member in range(1, nodes + 2) if member != random.randint(1, nodes))
    seen = {member: tuple(owners) for member in members}
    for _ in range(60):
        member = random.choice(members)
        wanted = {at for at, owner in enumerate(assign(members, seen[member])) if owner == member}
        for at in range(shards):
            if owners[at] == member and at not in wanted:
                owners[at] = 0
            elif at in wanted and owners[at] not in members:
                owners[at] = member
        seen[random.choice(members)] = tuple(owners)
    for _ in range(4):
        for member in members:
            wanted = {at for at, owner in enumerate(assign(members, tuple(owners))) if owner == member}
            for at in range(shards):
                if owners[at] == member and at not in wanted:
                    owners[at] = 0
                elif at in wanted and owners[at] not in members:
                    owners[at] = member
    loads = Counter(owners)
    assert set(loads) == set(members)
    assert max(loads.values()) - min(loads.values()) <= 1


def member(number: int, *, standby: int = 0, draining: bool = False) -> Member:
    return Member(number, f"node-{number}", 0, standby, draining)


def test_a_spare_owns_nothing_while_enough_are_active_and_steps_in_when_not() -> None:
    spare, late_spare = member(1, standby=2), member(9, standby=2)
    assert active([spare, member(2), member(3), late_spare]) == (2, 3)
    assert active([spare, member(2), late_spare]) == (1, 2)
    assert active([spare, late_spare]) == (1, 9)
    assert active([member(1, standby=1), member(9, standby=1)]) == (1,)


def test_who_is_drained_counts_for_nobody() -> None:
    assert active([member(1, draining=True), member(2)]) == (2,)
    assert active([member(1, draining=True), member(2, standby=1)]) == (2,)
    assert active([member(1, draining=True), member(2, standby=1, draining=True)]) == ()
    assert assign((), (7,) * 4) == (0, 0, 0, 0)


@given(members_of, st.sets(st.integers(0, 1023), min_size=1))
@settings(max_examples=50, deadline=None)
def test_members_that_acquire_one_after_the_other_leave_no_shard_free(
    members: tuple[int, ...], chosen: set[int]
) -> None:
    owners, shards = [0] * SHARDS, sorted(chosen)
    for member in members:
        for shard in share_of(member, members, owners, shards):
            owners[shard] = member
    assert all(owners[shard] for shard in shards)


def test_odd_shards_go_to_other_members_in_other_cells() -> None:
    """Each of 44 cells has fewer shards than there are nodes: all nodes together own about the same."""
    members, loads = tuple(range(1, 25)), Counter[int]()
    for cell in range(44):
        shards = [shard for shard in range(SHARDS) if shard * 44 // SHARDS == cell]
        for member in members:
            loads[member] += len(share_of(member, members, [0] * SHARDS, shards))
    assert max(loads.values()) - min(loads.values()) <= 4, loads
