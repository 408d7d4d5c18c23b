"""Durations: parsing and formatting."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetime.timing import DurationError, format_duration, parse_duration


@pytest.mark.parametrize(
    ("given_", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("1h30m", 5400),
        ("2d", 172_800),
        ("1w2d", 777_600),
        ("1d12h30m15s250ms", 131_415.25),
        ("500ms", 0.5),
        ("1.5h", 5400),
        ("0.25s", 0.25),
        ("0s", 0),
        ("90", 90),
        ("1.5", 1.5),
        ("0", 0),
        (90, 90),
        (1.5, 1.5),
        (0, 0),
        ("PT30M", 1800),
        ("P1DT2H", 93_600),
        ("P2W", 1_209_600),
        ("PT0.5S", 0.5),
        ("pt1h", 3600),
        ("P1D", 86_400),
        ("PT1H2M3S", 3723),
        (31_536_000, 31_536_000),
        ("36600d", 36_600 * 86_400),
    ],
)
def test_read(given_: str | float, seconds: float) -> None:
    assert parse_duration(given_) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("given_", "position"),
    [
        ("", 0),
        (" 90s", 0),
        ("90s ", 3),
        ("90x", 0),
        ("90S", 0),
        ("1h30", 2),
        ("30m1h", 3),
        ("1h1h", 2),
        ("-5s", 0),
        ("-5", 0),
        ("+5s", 0),
        ("1e5", 0),
        ("1_000", 0),
        ("٣s", 0),
        ("nan", 0),
        ("inf", 0),
        ("P", 1),
        ("PT", 1),
        ("P1DT", 1),
        ("P1H", 1),
        ("PT1D", 1),
        ("P1M", 1),
        ("P1Y", 1),
        ("P1Y2M", 1),
        ("P-1D", 1),
        ("36601d", 0),
        ("9" * 12 + "d", 0),
        ("9" * 50, 0),
        ("1h" * 5000, 0),
        (-1, 0),
        (-0.5, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        (10**400, 0),
        (1e300, 0),
        (True, 0),
    ],
)
def test_refused(given_: str | float, position: int) -> None:
    with pytest.raises(DurationError) as caught:
        parse_duration(given_)
    assert caught.value.position == position
    assert len(caught.value.message) < 200
    assert caught.value.code == "invalid_duration"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(90, "1m30s"), (0, "0s"), (0.25, "250ms"), (5400, "1h30m"), (604_800, "7d"), (86_461, "1d1m1s")],
)
def test_written(seconds: float, text: str) -> None:
    assert format_duration(timedelta(seconds=seconds)) == text


@settings(database=None, deadline=None, derandomize=True)
@given(st.integers(0, 36_600 * 86_400 * 1000))
def test_what_is_written_reads_back(milliseconds: int) -> None:
    duration = timedelta(milliseconds=milliseconds)
    assert parse_duration(format_duration(duration)) == duration


@settings(database=None, deadline=None, derandomize=True, max_examples=300)
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    position = 0
    try:
        assert parse_duration(text) >= timedelta(0)
    except DurationError as error:
        position = error.position
    assert 0 <= position <= len(text)
