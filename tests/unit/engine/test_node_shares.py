"""Users with jobs in several cells of a node get their weight once, and no cell waits for one that launches nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.engine.due.contests import PoolContests
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.node_shares import CellFairShare, CellSlotShare, NodeShares
from duetime.model.labels import ANY

BATCH = 100


class Node:
    """A node with cells that launch in turn, as long as the node has room."""

    def __init__(self, weights: dict[int, float], homes: dict[int, tuple[int, ...]], cells: int = 2) -> None:
        self.now, self.away, self.stuck = 0.0, set[int](), set[int]()
        shares = NodeShares(part=1.0)
        self.cells: list[PoolContests] = [
            shares.of_cell(lambda n=n: n not in self.away, lambda: self.now, lambda: None)(ANY) for n in range(cells)
        ]
        self.homes, self.launched = homes, Counter[int]()
        for cell in self.cells:
            cell.instant.set_weights(weights)
            cell.slots.set_weights(weights)
        for user, where in homes.items():
            for number in where:
                self.cells[number].instant.activate(user)

    def turn(self, number: int) -> int:
        """One batch of one cell, which does not run out of jobs."""
        shares, left = self.cells[number].instant, BATCH
        if number in self.stuck:
            return 0
        shares.begin()
        while left > 0 and (user := shares.peek()) is not None:
            jobs = shares.allowance(left)
            shares.charge(jobs)
            self.launched[user] += jobs
            left -= jobs
        return BATCH - left

    def run(self, turns: int) -> None:
        for at in range(turns):
            self.now += 0.001
            self.turn(at % len(self.cells))


HOMES = [
    {1: (0,), 2: (1,)},
    {1: (0, 1), 2: (1,)},
    {1: (0, 1), 2: (0, 1)},
    {1: (0,), 2: (0, 1), 3: (1,)},
    {1: (0, 1, 2), 2: (1,), 3: (2,)},
]


@pytest.mark.parametrize("homes", HOMES)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (1.0, 3.0, 6.0), (4.0, 1.0, 2.0)])
def test_users_get_their_weights_whichever_cells_they_wait_in(
    homes: dict[int, tuple[int, ...]], weights: tuple[float, ...]
) -> None:
    node = Node(dict(enumerate(weights, 1)), homes, 1 + max(max(where) for where in homes.values()))
    node.run(2000)
    total, sum_of_weights = node.launched.total(), sum(weights[user - 1] for user in homes)
    for user in homes:
        assert node.launched[user] / total == pytest.approx(weights[user - 1] / sum_of_weights, rel=0.02)


def test_a_cell_that_is_away_or_stuck_holds_no_other_up_and_saves_up_nothing() -> None:
    node = Node({1: 1.0, 2: 1.0}, {1: (0,), 2: (1,)})
    node.run(100)
    for fault in (node.away, node.stuck):
        fault.add(1)
        node.now += 0.2
        before = node.launched.copy()
        for _ in range(50):
            node.now += 0.001
            assert node.turn(0) == BATCH
        assert node.launched[2] == before[2]
        fault.clear()
        before = node.launched.copy()
        node.run(40)
        grown = node.launched - before
        assert grown[1] > 0.7 * grown[2], "the other user has no credit to use up first"


def test_a_cell_that_yields_is_woken_when_the_other_has_caught_up() -> None:
    woken: list[int] = []
    shares = NodeShares()
    first, second = (shares.of_cell(lambda: True, lambda: 0.0, lambda n=n: woken.append(n))(ANY) for n in (0, 1))
    first.instant.activate(1)
    second.instant.activate(2)
    for _ in range(50):
        if first.instant.peek() is not None:
            first.instant.charge(100)
    assert first.instant.peek() is None
    assert not woken
    for _ in range(50):
        if woken:
            break
        assert second.instant.peek() == 2
        second.instant.charge(100)
    assert woken == [0]
    assert first.instant.peek() == 1


@given(st.lists(st.tuples(st.sampled_from(["activate", "pick", "retire"]), st.integers(1, 4)), max_size=200))
def test_one_cell_shares_as_a_node_without_cells(steps: list[tuple[str, int]]) -> None:
    alone, view = FairShare(), NodeShares().of_cell(lambda: True, lambda: 0.0, lambda: None)(ANY).instant
    assert isinstance(view, CellFairShare)
    for shares in (alone, view):
        shares.set_weights({1: 1.0, 2: 2.0, 3: 0.5})
    for step, number in steps:
        answers = []
        for shares in (alone, view):
            if step == "activate":
                answers.append(shares.activate(number))
                continue
            shares.begin()
            user = shares.peek()
            answers.append((user, shares.allowance(number) if user is not None else 0))
            if user is not None and step == "pick":
                shares.charge(answers[-1][1])
            elif user is not None:
                shares.retire()
        assert answers[0] == answers[1]


def test_slots_of_a_node_are_shared_across_its_cells() -> None:
    """A user that holds slots by jobs of one cell is behind in the other; a free slot goes to the user that is next."""
    node = Node({1: 1.0, 2: 1.0}, {})
    first, second = (cell.slots for cell in node.cells)
    assert isinstance(first, CellSlotShare)
    for slots, users in ((first, (1,)), (second, (1, 2))):
        for user in users:
            slots.activate(user)
    free, held = 10, list[int]()
    for _ in range(20):
        for slots in (first, second):
            slots.begin(free)
            if free and (user := slots.peek()) is not None:
                slots.charge()
                held.append(user)
                free -= 1
    assert Counter(held) == {1: 5, 2: 5}
    assert (first.held(1), second.held(1)) == (5, 5)
    first.ended(1, 2)
    assert second.held(1) == 3
