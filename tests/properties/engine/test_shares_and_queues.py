"""Long turns and slices are only faster: what comes of them is what one by one would have given."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import hypothesis.strategies as st
from hypothesis import given

from duetime.clock.manual import START
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.flow_backlog import Entry, FlowBacklog, Head
from duetime.store.port import JobRef

WEIGHTS = st.sampled_from([0.1, 0.5, 1.0, 3.0, 40.0])
PLACE = st.tuples(st.integers(-2, 0), st.integers(0, 3))


def served(shares: FairShare, places: int, *, one_by_one: bool) -> Counter[int]:
    """How often each user goes in a batch with so many places, when nobody runs out of work."""
    got: Counter[int] = Counter()
    shares.begin()
    while (left := places - got.total()) and (user := shares.peek()) is not None:
        several = 1 if one_by_one else shares.allowance(left)
        assert 1 <= several <= left
        shares.charge(several)
        got[user] += several
    return got


@given(
    st.lists(WEIGHTS, min_size=1, max_size=6), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 6)), max_size=8)
)
def test_long_turns_give_everybody_what_turns_of_one_would(
    weights: list[float], batches: list[tuple[int, int]]
) -> None:
    """Users join as the batches go on, so that they are not equally far."""
    apart, together = FairShare(), FairShare()
    for shares in (apart, together):
        shares.set_weights(dict(enumerate(weights, start=1)))
    total: Counter[int] = Counter()
    expected: Counter[int] = Counter()
    for places, users in batches:
        for user in range(1, min(users, len(weights)) + 1):
            apart.activate(user)
            together.activate(user)
        expected += served(apart, places, one_by_one=True)
        total += served(together, places, one_by_one=False)
        assert total.total() == expected.total()
        assert all(abs(total[user] - expected[user]) <= 1 for user in expected | total), (total, expected)


@given(st.lists(st.one_of(PLACE, st.tuples(st.integers(1, 5), st.none() | PLACE), st.none()), max_size=40))
def test_a_queue_is_a_sorted_list(steps: list[tuple[int, int] | tuple[int, tuple[int, int] | None] | None]) -> None:
    """Some are added in any order, some taken from the front, and the last given up."""
    queue, model = FlowBacklog(), list[Entry]()
    for number, step in enumerate(steps):
        if step is None:
            if model:
                last = queue.last()
                assert queue.drop_last() == last
                model.remove(last)
        elif isinstance(step[1], int):
            at = START + timedelta(seconds=step[1])
            model.append((step[0], at, number, number, JobRef(number, 1, 1, -step[0], at, 0, None, at)))
            model.sort()
            queue.add(next(entry for entry in model if entry[2] == number))
        else:
            limit, place = step
            assert not isinstance(place, int)
            before: Head | None = None if place is None else (place[0], START + timedelta(seconds=place[1]), number, 0)
            taken = queue.pop(limit, before)
            assert taken == model[: len(taken)]
            assert len(taken) <= limit
            del model[: len(taken)]
            if not taken and model:
                assert before is not None
                assert model[0][:3] > before[:3]
        assert len(queue) == len(model)
        if model:
            assert queue.head() == model[0]
