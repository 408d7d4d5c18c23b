"""`every`, `at`, and jitter."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from duetime.timing import At, Every, TimingError, jitter_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def test_every_keeps_to_its_anchor_and_never_drifts() -> None:
    anchor = datetime(2020, 5, 5, 5, 5, 5, 123, tzinfo=UTC)
    every = Every(timedelta(minutes=15), anchor)
    now = anchor
    for number in range(1, 200):
        following = every.next_after(now + timedelta(seconds=number % 7))
        assert following == anchor + number * timedelta(minutes=15)
        now = following
    assert every.next_after(anchor - TICK) == anchor
    assert every.prev_before(anchor + TICK) == anchor
    assert every.prev_before(anchor) == anchor - timedelta(minutes=15)
    assert every.next_after(anchor - timedelta(days=1, minutes=1)) == anchor - timedelta(days=1)


def test_every_is_of_elapsed_time_across_a_change() -> None:
    zone = ZoneInfo("America/New_York")
    anchor = datetime(2026, 3, 7, 22, tzinfo=zone)
    asked = datetime(2026, 3, 8, 4, tzinfo=zone)
    assert Every(timedelta(hours=3), anchor).next_after(asked) == datetime(2026, 3, 8, 9, tzinfo=UTC)


def test_every_ends_with_time() -> None:
    every = Every(timedelta(days=30_000))
    assert every.next_after(datetime(9999, 12, 1, tzinfo=UTC)) is None
    assert every.prev_before(datetime(1, 1, 5, tzinfo=UTC)) is None


def test_every_looks_on_from_before_time_and_back_from_after_it() -> None:
    every = Every(timedelta(hours=1))
    assert every.next_after(datetime(1, 1, 1, tzinfo=UTC)) == datetime(1, 1, 3, tzinfo=UTC)
    assert every.prev_before(datetime(9999, 12, 31, tzinfo=UTC)) == datetime(9999, 12, 29, tzinfo=UTC)


def test_every_refuses_less_than_a_second_and_a_naive_anchor() -> None:
    with pytest.raises(TimingError, match="at least one second"):
        Every(timedelta(milliseconds=999))
    with pytest.raises(TimingError, match="offset"):
        Every(timedelta(seconds=1), NOW.replace(tzinfo=None))


def test_at_is_in_order_each_once() -> None:
    plus = timezone(timedelta(hours=2))
    at = At((NOW + timedelta(hours=5), NOW, datetime(2026, 1, 1, 2, tzinfo=plus), NOW + timedelta(hours=1)))
    assert at.instants == (NOW, NOW + timedelta(hours=1), NOW + timedelta(hours=5))
    assert at.next_after(NOW - TICK) == NOW
    assert at.next_after(NOW) == NOW + timedelta(hours=1)
    assert at.next_after(NOW + timedelta(hours=5)) is None
    with pytest.raises(TimingError, match="offset"):
        At((NOW.replace(tzinfo=None),))


def test_a_naive_question_is_refused() -> None:
    naive = NOW.replace(tzinfo=None)
    for ask in (At((NOW,)).next_after, Every(timedelta(hours=1)).next_after, Every(timedelta(hours=1)).prev_before):
        with pytest.raises(TimingError, match="aware"):
            ask(naive)


def test_jitter_is_the_same_for_the_same_and_spreads() -> None:
    span = timedelta(seconds=10)
    assert jitter_of("a", NOW, span) == jitter_of("a", NOW.astimezone(ZoneInfo("Asia/Tokyo")), span)
    found = {jitter_of(f"schedule {number}", NOW, span) for number in range(500)}
    assert len(found) > 450
    assert all(timedelta(0) <= one < span for one in found)
    over_time = {jitter_of("a", NOW + timedelta(minutes=number), span) for number in range(500)}
    assert len(over_time) > 450
    assert jitter_of("a", NOW, timedelta(0)) == timedelta(0)
    assert max(found) > timedelta(seconds=9)


def test_the_jitter_is_pinned() -> None:
    assert jitter_of("report", NOW, timedelta(minutes=10)) == timedelta(milliseconds=81_342)
