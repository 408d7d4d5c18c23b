"""What a scheduler has out is counted once, by pool, until it is known to have ended."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from duetime.bus.outstanding import Outstanding
from duetime.clock.manual import START
from duetime.model.ids import flow_of
from duetime.model.labels import ANY, pool_of
from duetime.store.port import JobRef

EU = pool_of({"zone": "eu"})
IDS = st.lists(st.integers(1, 12), unique=True, max_size=6)
STEPS = st.lists(st.tuples(st.sampled_from([ANY, EU, None]), IDS), max_size=30)


def ref(job_id: int, attempt: int = 0) -> JobRef:
    return JobRef(job_id, 1, flow_of(1), 5, START, attempt, None, START)


@given(STEPS)
def test_every_job_counts_once_in_the_pool_where_it_was_sent_last(steps: list[tuple[str | None, list[int]]]) -> None:
    out, pools = Outstanding(START), dict[int, str]()
    for pool, ids in steps:
        if pool is None:
            assert [one.ref.id for one in out.remove(ids)] == [
                job_id for job_id in ids if pools.pop(job_id, None) is not None
            ]
        else:
            out.add([ref(job_id) for job_id in ids], pool, START)
            pools.update(dict.fromkeys(ids, pool))
        counts = Counter(pools.values())
        assert (set(out), len(out)) == (set(pools), len(pools))
        assert [out.count(one) for one in (ANY, EU)] == [counts[ANY], counts[EU]]


def test_a_launch_is_old_by_its_last_sending() -> None:
    out = Outstanding(START)
    out.add([ref(1), ref(2)], ANY, START)
    out.add([ref(2, attempt=1)], ANY, START + timedelta(seconds=1))
    assert out.before(START) == [1]
    found = out.get(2)
    assert found is not None
    assert (found.ref.attempt, found.since) == (1, START + timedelta(seconds=1))


def test_ends_count_for_about_a_second() -> None:
    out = Outstanding(START)
    out.note_ended(3, START)
    out.note_ended(4, START + timedelta(milliseconds=500))
    assert out.ended_recently(START + timedelta(milliseconds=900)) == 7
    out.note_ended(1, START + timedelta(seconds=1))
    assert out.ended_recently(START + timedelta(seconds=1.5)) == 7
    assert out.ended_recently(START + timedelta(seconds=3)) == 0
    out.note_ended(2, START + timedelta(seconds=9))
    assert out.ended_recently(START + timedelta(seconds=9)) == 2
