"""Properties that hold for every expression, zone, policy and instant."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetime.timing import Cron, CronError, zone_table
from properties.timing.expressions import (
    changes_of,
    daily,
    instants,
    minutely,
    parsed,
    policies,
    secondly,
    zones,
)
from properties.timing.oracle import Matcher, due, moments
from properties.timing.stretches import at, backward, forward

SETTINGS = settings(deadline=None, database=None, derandomize=True, max_examples=120)
SPAN = 30 * 3600
SHORT_SPAN = 3 * 3600
TICK = timedelta(microseconds=1)


@SETTINGS
@given(st.data(), minutely, zones, policies)
def test_the_instants_of_a_stretch_are_the_oracles(
    data: st.DataObject, expression: str, zone: str, policy: str
) -> None:
    cron = parsed(expression, zone, policy)
    start = int(data.draw(instants(zone)).timestamp()) // 60 * 60 - SPAN // 2
    # A gap before the span may shift a time into it, so that the oracle begins earlier.
    stretch = moments(zone, start - 4 * 3600, start + SPAN)
    expected = [seconds for seconds in due(expression, policy, stretch) if start <= seconds < start + SPAN]
    assert forward(cron, start, start + SPAN) == expected
    assert backward(cron, start, start + SPAN) == expected


@settings(SETTINGS, max_examples=25)
@given(st.data(), secondly, zones, policies)
def test_with_seconds_they_are_as_well(data: st.DataObject, expression: str, zone: str, policy: str) -> None:
    cron = parsed(expression, zone, policy)
    start = int(data.draw(instants(zone)).timestamp()) - SHORT_SPAN // 2
    stretch = moments(zone, start - 4 * 3600, start + SHORT_SPAN, 1)
    expected = [seconds for seconds in due(expression, policy, stretch, 1) if start <= seconds < start + SHORT_SPAN]
    end = start + SHORT_SPAN
    if len(expected) > 500:
        expected = expected[:500]
        end = expected[-1] + 1
    assert forward(cron, start, end) == expected
    assert backward(cron, start, end) == expected


@SETTINGS
@given(st.data(), st.one_of(minutely, secondly), zones, policies)
def test_next_is_after_and_stays_the_same_until_it_comes(
    data: st.DataObject, expression: str, zone: str, policy: str
) -> None:
    cron = parsed(expression, zone, policy)
    now = data.draw(instants(zone))
    following = cron.next_after(now)
    if following is None:
        # Only times that are always in the gap of a yearly change are never due.
        assert policy in ("literal", "skip_once")
        return
    assert following > now
    assert following.tzinfo is UTC
    assert following.microsecond == 0
    # A round trip through the zone proves that the local time exists.
    assert at(int(following.timestamp())) == following
    between = data.draw(st.floats(0, 1, exclude_max=True))
    for instant in (now + (following - now) * between, following - TICK):
        if instant < following:
            assert cron.next_after(instant) == following
    assert cron.prev_before(following + TICK) == following
    previous = cron.prev_before(following)
    assert previous is None or previous <= now
    assert previous is None or cron.next_after(previous) == following


@SETTINGS
@given(st.data(), daily, zones, st.sampled_from(["vixie", "shift"]))
def test_a_daily_job_runs_once_for_every_local_day(
    data: st.DataObject, expression: str, zone: str, policy: str
) -> None:
    cron = parsed(expression, zone, policy)
    start = int(data.draw(instants(zone)).timestamp())
    end = start + 10 * 86_400
    days = Counter(_nominal_day(cron, seconds) for seconds in forward(cron, start, end))
    assert set(days.values()) <= {1}
    first, last = _local(zone, start).date(), _local(zone, end).date()
    for number in range(1, (last - first).days):
        day = first + timedelta(days=number)
        assert days[day] == (1 if _exists(zone, day) else 0), day


@SETTINGS
@given(st.data(), minutely, zones, policies)
def test_the_zone_of_the_question_does_not_matter(data: st.DataObject, expression: str, zone: str, policy: str) -> None:
    from zoneinfo import ZoneInfo

    cron = parsed(expression, zone, policy)
    now = data.draw(instants(zone))
    assert cron.next_after(now.astimezone(ZoneInfo(zone))) == cron.next_after(now)
    assert cron.prev_before(now.astimezone(ZoneInfo(zone))) == cron.prev_before(now)


@settings(SETTINGS, max_examples=200)
@given(minutely)
def test_a_date_is_refused_only_if_it_never_comes(expression: str) -> None:
    matcher = Matcher(expression)
    start = datetime(2000, 1, 1, tzinfo=UTC)
    # 28 years contain every shape of every month.
    every_day = (start + timedelta(days=number) for number in range(28 * 366))
    comes = any(day.month in matcher.months and matcher._day(day) for day in every_day)
    if comes:
        assert Cron.parse(expression).next_after(start) is not None
    else:
        with pytest.raises(CronError, match="never due"):
            Cron.parse(expression)


def _local(zone: str, seconds: int) -> datetime:
    offset = zone_table(zone).offset(seconds)
    return datetime.fromtimestamp(seconds + offset, UTC)


def _nominal_day(cron: Cron, seconds: int) -> Any:
    """The local day that a run counts for: if it replaces a local time that does not exist, the day of that time."""
    if cron.is_shifted(at(seconds)):
        gap = max(change for change in changes_of(cron.zone) if change.seconds <= seconds)
        return datetime.fromtimestamp(seconds + gap.before, UTC).date()
    return _local(cron.zone, seconds).date()


def _exists(zone: str, day: object) -> bool:
    """Whether a local day exists in a zone: Apia skipped one."""
    for change in changes_of(zone):
        left_out = datetime.fromtimestamp(change.seconds + change.before, UTC).date()
        if change.after - change.before >= 86_400 and day == left_out:
            return False
    return True
