"""Sums of activity are exact, and percentiles read from their buckets are close."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from duetime.model.activity import BUCKETS, MINUTE, ActivityRow, bucket_of, percentile, plus, trimmed

AT = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.integers(64, 3_600_000_000), min_size=1, max_size=200), st.sampled_from([0.5, 0.99]))
def test_a_percentile_is_off_by_less_than_a_bucket(micros: list[int], part: float) -> None:
    lateness = [0] * BUCKETS
    for one in micros:
        lateness[bucket_of(one)] += 1
    found = percentile(trimmed(lateness), part)
    exact = sorted(micros)[min(len(micros) - 1, max(0, int(part * len(micros) + 0.999999) - 1))] / 1e6
    assert found is not None
    assert exact / 1.5 <= found <= exact * 1.5


@given(st.integers(0, 10**12))
def test_buckets_grow_with_lateness(micros: int) -> None:
    assert 0 <= bucket_of(micros) <= bucket_of(micros + 1) < BUCKETS


def test_nothing_launched_has_no_percentile() -> None:
    assert percentile([], 0.5) is None
    assert percentile([0, 0], 0.99) is None


def test_sums_add_counts_and_buckets_and_keep_the_worst() -> None:
    one = ActivityRow(1, MINUTE, AT, 1, 2, lateness=[1, 2], worst=3.0)
    other = ActivityRow(2, MINUTE, AT, 4, missed=5, lateness=[0, 1, 7], worst=1.0)
    total = plus([one, other], 0, MINUTE, AT)
    assert (total.launched, total.succeeded, total.missed, total.lateness, total.worst) == (5, 2, 5, [1, 3, 7], 3.0)
