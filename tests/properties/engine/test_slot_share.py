"""Slots over time: slot time by weights slots left for others, no slot idle without a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

import hypothesis.strategies as st
from hypothesis import given, settings

from duetime.engine.due.slot_share import SlotShare

WEIGHTS = st.sampled_from([0.5, 1.0, 2.0, 4.0])
SECONDS = st.sampled_from([0.1, 0.5, 1.0, 4.0])


class Slots:
    """Executors whose runs end by a clock. Users have as many jobs as they like."""

    def __init__(self, slots: int, weights: dict[int, float], part: float) -> None:
        self.now, self.free, self.size = 0.0, slots, slots
        self.shares = SlotShare(lambda: self.now, part)
        self.shares.set_weights(weights)
        self.seconds: dict[int, Callable[[], float]] = {}
        self.used: Counter[int] = Counter()
        """Slot time, in microseconds."""
        self._running: list[tuple[float, int, int, float]] = []
        self._order = count()

    def wait(self, user: int, seconds: Callable[[], float]) -> None:
        self.seconds[user] = seconds
        self.shares.activate(user)

    def fill(self) -> None:
        self.shares.begin(self.free)
        while self.free and (user := self.shares.peek()) is not None:
            self.shares.charge(self.shares.allowance(self.free))
            self.free -= 1
            heappush(self._running, (self.now + self.seconds[user](), next(self._order), user, self.now))

    def pass_time(self, seconds: float) -> None:
        """Fill the slots whenever a run ends."""
        end = self.now + seconds
        self.fill()
        while self._running and self._running[0][0] <= end:
            self.now, _, user, since = heappop(self._running)
            self.free += 1
            self.used[user] += round((self.now - since) * 1e6)
            self.shares.ended(user, 1)
            self.fill()
        self.now = end

    def used_so_far(self) -> dict[int, float]:
        running = Counter[int]()
        for _, _, user, since in self._running:
            running[user] += round((self.now - since) * 1e6)
        return {user: (self.used[user] + running[user]) / 1e6 for user in self.seconds}


@given(
    st.lists(st.tuples(WEIGHTS, SECONDS), min_size=2, max_size=5),
    st.integers(2, 12),
    st.sampled_from([0.75, 1.0]),
)
@settings(deadline=None, max_examples=30)
def test_slot_time_follows_the_weights_and_never_lags_far_behind(
    users: list[tuple[float, float]], slots: int, part: float
) -> None:
    weights = {user: weight for user, (weight, _) in enumerate(users, start=1)}
    world = Slots(slots, weights, part)
    longest = max(seconds for _, seconds in users)
    for user, (_, seconds) in enumerate(users, start=1):
        world.wait(user, lambda seconds=seconds: seconds)
    # A run cannot be stopped, so a user may be ahead by the runs that it holds, once more for the first ones, which
    # start before anything is known of them.
    bound = 2 * (slots + 1) * max(longest, 1.0)
    for _ in range(10):
        world.pass_time(2 * longest)
        served = [used / weights[user] for user, used in world.used_so_far().items()]
        assert max(served) - min(served) <= bound / min(weights.values())


@given(st.lists(st.tuples(WEIGHTS, SECONDS), min_size=1, max_size=5), st.integers(1, 24))
@settings(deadline=None, max_examples=30)
def test_without_a_bound_no_slot_is_idle_while_a_user_waits(users: list[tuple[float, float]], slots: int) -> None:
    world = Slots(slots, {user: weight for user, (weight, _) in enumerate(users, start=1)}, 1.0)
    for user, (_, seconds) in enumerate(users, start=1):
        world.wait(user, lambda seconds=seconds: seconds)
        world.fill()
        assert world.free == 0
    for _ in range(10):
        world.pass_time(1.7)
        assert world.free == 0


@given(st.lists(WEIGHTS, min_size=1, max_size=6), st.integers(4, 200))
def test_slots_are_left_for_the_next_user_however_many_came_before(weights: list[float], slots: int) -> None:
    """Each user comes with endless runs that never end: the worst it can do."""
    world = Slots(slots, dict(enumerate(weights, start=1)), 0.75)
    for user in range(1, len(weights) + 1):
        before = world.free
        world.wait(user, lambda: 1e9)
        world.fill()
        held = world.shares.held(user)
        assert held >= 1 or before == 0, "a user that holds none finds one"
        assert held <= 0.75 * before + 1
    if len(weights) == 1:
        assert world.free >= slots // 4


def test_a_user_alone_holds_three_quarters_and_another_one_finds_the_rest() -> None:
    world = Slots(40, {}, 0.75)
    world.wait(1, lambda: 100.0)
    world.fill()
    assert (world.shares.held(1), world.shares.beyond) == (30, True)
    world.wait(2, lambda: 0.1)
    world.pass_time(10.0)
    assert world.shares.held(2) >= 7
    assert world.used_so_far()[2] > 60, "it has its slots all the time"
    world.pass_time(100.0)
    served = world.used_so_far()
    world.pass_time(300.0)
    after = world.used_so_far()
    gained = {user: after[user] - served[user] for user in after}
    assert 0.75 <= gained[2] / gained[1] <= 2.0, "once the long runs have ended, slot time is shared"


def test_a_user_that_comes_late_neither_has_saved_up_nor_waits_for_the_refunds_of_others() -> None:
    """The first user's runs took long, and now end soon: it was charged far too much in advance."""
    world = Slots(8, {}, 1.0)
    seconds = 1000.0
    world.wait(1, lambda: seconds)
    world.pass_time(5000.0)
    seconds = 0.5
    world.wait(2, lambda: 0.5)
    before = world.used_so_far()
    world.pass_time(2200.0)
    after = world.used_so_far()
    world.pass_time(100.0)
    later = world.used_so_far()
    assert after[2] - before[2] >= 0.9 * (after[1] - before[1])
    assert 0.8 <= (later[2] - after[2]) / (later[1] - after[1]) <= 1.25


def test_accounts_of_users_that_are_gone_are_dropped() -> None:
    world = Slots(4, {}, 1.0)
    for user in range(1, 5001):
        world.wait(user, lambda: 0.01)
        world.shares.begin(1)
        assert world.shares.peek() == user
        world.shares.charge()
        world.shares.begin(1)
        assert world.shares.peek() == user
        world.shares.retire()
        world.now += 1.0
        world.shares.ended(user, 1)
    assert len(world.shares._pool.accounts) < 3000
