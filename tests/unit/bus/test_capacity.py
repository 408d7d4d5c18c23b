"""How much may be on offer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duetime.bus.capacity import Capacity
from duetime.model.ids import NodeId
from duetime.model.labels import ANY, NO_EXECUTOR, pool_of
from duetime.store.offer_port import Executor

ME = NodeId(1)
EU = pool_of({"zone": "eu"})


def executor(node: int, slots: int, free: int | None = None, **labels: str) -> Executor:
    return Executor(NodeId(node), slots, slots, slots if free is None else free, labels, schedules=False)


def capacity(*executors: Executor, part: float = 1.0) -> Capacity:
    made = Capacity()
    made.learn(executors, ME, part)
    return made


def test_nothing_where_nobody_is_and_nothing_for_ones_own_slots() -> None:
    assert capacity().room(ANY, 0, 0, 0) == 0
    assert capacity(executor(ME, 50)).room(ANY, 0, 0, 0) == 0


def test_slots_less_what_is_out() -> None:
    made = capacity(executor(2, 10, 0), executor(3, 5, 0))
    assert made.room(ANY, 0, 0, 0) == 15
    assert made.room(ANY, 14, 14, 0) == 1
    assert made.room(ANY, 15, 15, 0) == 0


def test_a_pool_is_those_with_the_labels() -> None:
    made = capacity(executor(2, 10, 0), executor(3, 5, 0, zone="eu", gpu="yes"))
    assert made.room(EU, 0, 0, 0) == 5
    assert made.room(pool_of({"zone": "us"}), 0, 0, 0) == 0
    assert made.room(NO_EXECUTOR, 0, 0, 0) == 0
    assert made.room(EU, 0, 15, 0) == 5, "others' runs may be elsewhere"


def test_a_scheduler_has_its_part_and_beyond_it_its_part_of_what_is_free_once() -> None:
    made = capacity(executor(2, 100, 60), part=0.5)
    assert made.room(ANY, 0, 0, 0) == 50
    assert made.room(ANY, 50, 50, 0) == 30
    made.use(ANY, 30)
    assert made.room(ANY, 80, 80, 0) == 0
    made.learn([executor(2, 100, 20)], ME, 0.5)
    assert made.room(ANY, 80, 80, 0) == 10


def test_what_one_pool_takes_is_not_there_for_all() -> None:
    made = capacity(executor(2, 7, zone="eu"))
    made.use(EU, 1)
    assert made.room(ANY, 0, 1, 0) == 6


def test_short_runs_are_offered_ahead_and_long_ones_are_not() -> None:
    made = capacity(executor(2, 10, 0))
    assert made.room(ANY, 10, 10, ended_recently=3) == 3
    assert made.room(ANY, 10, 10, ended_recently=10_000) == 10
    assert made.room(ANY, 10, 10, ended_recently=0) == 0


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50), st.booleans()), max_size=5),
    st.floats(0, 1),
    st.lists(st.tuples(st.booleans(), st.integers(1, 30), st.integers(0, 200)), max_size=30),
)
def test_never_more_than_twice_the_slots_is_out(
    executors: list[tuple[int, int, bool]], part: float, offers: list[tuple[bool, int, int]]
) -> None:
    living = [
        executor(n + 2, slots, min(free, slots), **({"zone": "eu"} if eu else {}))
        for n, (slots, free, eu) in enumerate(executors)
    ]
    made = capacity(*living, part=part)
    out = {ANY: 0, EU: 0}
    for eu, wanted, ended in offers:
        pool = EU if eu else ANY
        taken = min(wanted, made.room(pool, out[pool], sum(out.values()), ended))
        made.use(pool, taken)
        out[pool] += taken
        assert sum(out.values()) <= 2 * sum(one.slots for one in living)
        assert out[EU] <= 2 * sum(one.slots for one in living if one.labels)
