"""Buckets that are filled per batch hold the same as buckets that are filled one by one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from duetime.metrics.histogram import Histogram

BOUNDS = (0.002, 0.1, 1, 10, 600)
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@given(st.lists(st.integers(0, 10**9), max_size=50))
def test_a_batch_counts_as_its_instants_one_by_one(lateness: list[int]) -> None:
    """In whole microseconds, which both ways represent exactly."""
    batch, single = Histogram(BOUNDS), Histogram(BOUNDS)
    dues = sorted(NOW - timedelta(microseconds=late) for late in lateness)
    batch.observe_since(dues, NOW, sum(map(datetime.timestamp, dues)))
    for late in lateness:
        single.observe(timedelta(microseconds=late).total_seconds())
    assert batch.buckets == single.buckets
    assert batch.count == len(lateness)
    assert abs(batch.total - single.total) < 1e-3 * max(1, len(lateness))


def test_a_bound_belongs_to_its_own_bucket() -> None:
    one = Histogram((1, 2))
    one.observe(1)
    one.observe_since([NOW - timedelta(seconds=2)], NOW, (NOW - timedelta(seconds=2)).timestamp())
    one.observe(2.1, times=3)
    assert one.buckets == [1, 1, 3]


def test_an_instant_in_the_future_counts_as_on_time() -> None:
    one = Histogram((1, 2))
    one.observe_since([NOW + timedelta(seconds=1)], NOW, (NOW + timedelta(seconds=1)).timestamp())
    assert (one.buckets, one.total) == ([1, 0, 0], 0.0)
