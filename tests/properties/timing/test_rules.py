"""Recurrence rules compared with python-dateutil, in UTC; zones are tested with cron.

Left out, each for a reason: plain and numbered days mixed in one `BYDAY` (dateutil then finds nothing),
`BYSETPOS` with weekly rules (it counts positions in the part of the first week after the start), and
rules that dateutil needs too long to find empty.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from duetime.timing import Rule, RuleError

FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
FEW = 5
NAIVE = datetime(2020, 1, 1, tzinfo=UTC).replace(tzinfo=None)


def _list(draw: st.DrawFn, low: int, high: int, *, signed: bool = False) -> str:
    numbers = st.integers(low, high)
    either = st.one_of(numbers, numbers.map(lambda number: -number)) if signed else numbers
    return ",".join(map(str, draw(st.lists(either, min_size=1, max_size=4))))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """A rule that RFC 5545 allows."""
    rank = draw(st.integers(0, 6))
    parts = [f"FREQ={FREQUENCIES[rank]}"]

    def maybe(name: str, low: int, high: int, *, signed: bool = False, allowed: bool = True) -> bool:
        given = allowed and draw(st.integers(0, 2)) == 0
        if given:
            parts.append(f"{name}={_list(draw, low, high, signed=signed)}")
        return given

    if draw(st.booleans()):
        parts.append(f"INTERVAL={draw(st.sampled_from([1, 2, 3, 5, 7, 13]))}")
    maybe("BYMONTH", 1, 12)
    maybe("BYMONTHDAY", 1, 31, signed=True, allowed=rank != 2)
    maybe("BYYEARDAY", 1, 366, signed=True, allowed=rank in (0, 4, 5, 6))
    weeks = maybe("BYWEEKNO", 1, 53, signed=True, allowed=rank == 0)
    if draw(st.booleans()):
        numbered = rank < 2 and not weeks and draw(st.booleans())
        nth = st.integers(-4, 5).filter(bool).map(str) if numbered else st.just("")
        day = st.builds("{}{}".format, nth, st.sampled_from(DAYS))
        parts.append("BYDAY=" + ",".join(draw(st.lists(day, min_size=1, max_size=3))))
    maybe("BYHOUR", 0, 23)
    maybe("BYMINUTE", 0, 59)
    maybe("BYSECOND", 0, 59)
    by = any(part.startswith("BY") for part in parts)
    maybe("BYSETPOS", 1, 4, signed=True, allowed=by and rank in (0, 1, 3))
    if draw(st.booleans()):
        parts.append(f"WKST={draw(st.sampled_from(DAYS))}")
    if draw(st.integers(0, 3)) == 0:
        parts.append(f"COUNT={draw(st.integers(1, 12))}")
    return ";".join(parts)


starts = st.integers(0, 700 * 86_400).map(lambda seconds: NAIVE + timedelta(seconds=seconds))


def check(text: str, start: datetime) -> None:
    try:
        rule = Rule.parse(f"DTSTART:{start:%Y%m%dT%H%M%S}\nRRULE:{text}")
    except RuleError as error:
        assume("never due" not in error.message)
        raise
    found: list[datetime] = []
    now = datetime(2019, 1, 1, tzinfo=UTC)
    while len(found) < FEW and (following := rule.next_after(now)) is not None:
        assert following > now
        found.append(following)
        now = following
    assert found
    # Ask for no more than was found: dateutil takes very long to see that nothing follows.
    expected = [moment.replace(tzinfo=UTC) for moment in islice(rrulestr(text, dtstart=start), len(found))]
    assert found == expected
    assert rule.next_after(found[-1] - timedelta(microseconds=1)) == found[-1]


@settings(deadline=None, database=None, derandomize=True, max_examples=60)
@given(rules().filter(lambda text: "BYYEARDAY" not in text), starts)
def test_dateutil_agrees(text: str, start: datetime) -> None:
    check(text, start)


@pytest.mark.long
@settings(deadline=None, database=None, max_examples=1500)
@given(rules(), starts)
def test_dateutil_agrees_at_length(text: str, start: datetime) -> None:
    check(text, start)


def test_far_from_the_start_the_answer_is_the_same() -> None:
    """Without a COUNT, a far date is computed by arithmetic: the result equals going there step by step."""
    for text in (
        "FREQ=MINUTELY;INTERVAL=7",
        "FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR",
        "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR",
    ):
        rule = Rule.parse(f"DTSTART:20200101T003000\nRRULE:{text}")
        start = NAIVE + timedelta(minutes=30)
        expected = rrulestr(text, dtstart=start).after(NAIVE.replace(2021, 6, 5, 4, 3, 2))
        assert expected is not None
        assert rule.next_after(datetime(2021, 6, 5, 4, 3, 2, tzinfo=UTC)) == expected.replace(tzinfo=UTC)
