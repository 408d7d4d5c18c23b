"""Fair share over the pure pick: every window close to the weights, nothing banked, nobody starved."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime, timedelta

import pytest

from duetime.clock.manual import START
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.contests import PoolContests
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.gates import Gates
from duetime.engine.due.pick import LITTLE, Pick
from duetime.engine.due.slot_share import SlotShare
from duetime.model.ids import flow_of
from duetime.store.port import JobRef

NOW = START + timedelta(hours=1)


class Floor:
    """A backlog with users that have plenty, and launches counted in order."""

    def __init__(self, weights: dict[int, float], each: int) -> None:
        self.backlog = Backlog(per_flow=10**9)
        self.shares = FairShare()
        self.shares.set_weights(weights)
        self.pick = Pick(self.backlog, Gates(lambda _: None), contests=lambda _: PoolContests(self.shares, SlotShare()))
        self.order: list[int] = []
        self._next_id = 1
        for user in weights:
            self.add(user, each)

    def add(self, user: int, count: int, due: datetime = START, *, arrived: bool = True) -> None:
        refs = []
        for _ in range(count):
            refs.append(JobRef(self._next_id, user, flow_of(user), 5, due, 0, None, due))
            self._next_id += 1
        self.pick.wake(self.backlog.offer(refs, NOW), arrived=arrived)

    def launch(self, count: int, batch: int = 64) -> list[int]:
        taken: list[int] = []
        while len(taken) < count:
            refs = self.pick.pick(min(batch, count - len(taken)), NOW)
            if not refs:
                break
            taken += [ref.user_id for ref in refs]
            self.pick.release([ref.id for ref in refs])
        self.order += taken
        return taken


def worst_deviation(order: list[int], weights: dict[int, float], window: int = 1000) -> float:
    """The largest distance of a user's share from its weight's share over any window, relative to the window."""
    total = sum(weights.values())
    counts = Counter(order[:window])
    worst = max(abs(counts[user] / window - weight / total) for user, weight in weights.items())
    for at in range(window, len(order)):
        counts[order[at]] += 1
        counts[order[at - window]] -= 1
        for user in (order[at], order[at - window]):
            worst = max(worst, abs(counts[user] / window - weights[user] / total))
    return worst


def jain(order: list[int], weights: dict[int, float]) -> float:
    """Jain's index of what each user got per weight: 1 is perfectly fair."""
    counts = Counter(order)
    got = [counts[user] / weight for user, weight in weights.items()]
    return sum(got) ** 2 / (len(got) * sum(one * one for one in got))


@pytest.mark.parametrize("batch", [1, 7, 64, 1000])
def test_one_two_four(batch: int) -> None:
    weights = {1: 1.0, 2: 2.0, 3: 4.0}
    floor = Floor(weights, 30_000)
    floor.launch(21_000, batch)
    assert worst_deviation(floor.order, weights) <= 0.05 / 7
    assert jain(floor.order, weights) >= 0.9999


def test_when_one_runs_dry_the_others_share_in_proportion_at_once() -> None:
    weights = {1: 1.0, 2: 2.0, 3: 4.0}
    floor = Floor({1: 1.0, 2: 2.0}, 20_000)
    floor.shares.set_weights(weights)
    floor.add(3, 4000)
    floor.launch(7000)
    assert Counter(floor.order)[3] == 4000
    after = floor.launch(3000)
    assert worst_deviation(after, {1: 1.0, 2: 2.0}) <= 0.01


def test_a_thousand_users_of_random_weights() -> None:
    rng = random.Random(7)
    weights = {user: rng.uniform(0.1, 10.0) for user in range(1, 1001)}
    floor = Floor(weights, 400)
    floor.launch(100_000)
    assert worst_deviation(floor.order, weights) <= 0.05
    assert jain(floor.order, weights) >= 0.99


def test_an_idle_user_banks_nothing_and_is_not_punished_either() -> None:
    weights = {1: 1.0, 2: 1.0}
    floor = Floor({1: 1.0}, 20_000)
    floor.shares.set_weights(weights)
    floor.launch(5000)
    floor.add(2, 5000)
    after = floor.launch(2000, batch=1)
    assert worst_deviation(after, weights) <= 0.01
    assert after[0:4].count(2) in (1, 2, 3)


def test_a_new_weight_counts_at_once() -> None:
    floor = Floor({1: 1.0, 2: 1.0}, 20_000)
    floor.launch(1000)
    floor.shares.set_weights({1: 1.0, 2: 9.0})
    after = floor.launch(2000)
    assert abs(Counter(after)[2] / 2000 - 0.9) < 0.01


def test_one_job_among_a_flood_goes_next() -> None:
    floor = Floor({1: 1.0}, 50_000)
    floor.launch(100)
    floor.add(2, 1, due=NOW)
    assert 2 in floor.launch(3, batch=1)


def test_way_is_made_for_who_comes_with_a_little_and_not_for_what_follows_in_a_lane() -> None:
    floor = Floor({1: 1.0, 2: 1.0, 3: 1.0}, each=0)
    floor.add(1, 1000)
    assert not floor.pick.light_user_arrived, "nobody else was there"
    floor.add(2, 1)
    assert floor.pick.light_user_arrived
    floor.launch(2)
    assert not floor.pick.light_user_arrived
    floor.add(2, 1, arrived=False)
    assert not floor.pick.light_user_arrived, "the end of a user's lanes is no coming"
    floor.add(3, LITTLE + 1)
    assert not floor.pick.light_user_arrived, "a user with many jobs can wait for its share"
