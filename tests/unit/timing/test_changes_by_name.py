"""Known clock changes of named zones, with instants computed by hand, under each of the four policies."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from duetime.timing import DST_POLICIES, Cron, DstPolicy
from properties.timing.oracle import due, moments
from properties.timing.stretches import backward, forward


def local_times(expression: str, zone: str, policy: DstPolicy, first: str, last: str) -> list[str]:
    """The local time, with its offset, of every due instant from one local day to another."""
    info = ZoneInfo(zone)
    now = datetime.fromisoformat(first).replace(tzinfo=info).astimezone(UTC)
    end = datetime.fromisoformat(last).replace(tzinfo=info).astimezone(UTC)
    cron = Cron.parse(expression, zone=zone, dst=policy)
    found: list[str] = []
    while (following := cron.next_after(now)) is not None and following < end:
        assert following > now
        found.append(following.astimezone(info).strftime("%d %H:%M%z"))
        now = following
    return found


NEW_YORK_SPRING = {
    "vixie": ["07 02:30-0500", "08 03:00-0400", "09 02:30-0400"],
    "literal": ["07 02:30-0500", "09 02:30-0400"],
    "skip_once": ["07 02:30-0500", "09 02:30-0400"],
    "shift": ["07 02:30-0500", "08 03:30-0400", "09 02:30-0400"],
}
NEW_YORK_AUTUMN = {
    "vixie": ["31 01:30-0400", "01 01:30-0400", "02 01:30-0500"],
    "literal": ["31 01:30-0400", "01 01:30-0400", "01 01:30-0500", "02 01:30-0500"],
    "skip_once": ["31 01:30-0400", "01 01:30-0400", "02 01:30-0500"],
    "shift": ["31 01:30-0400", "01 01:30-0400", "02 01:30-0500"],
}


@pytest.mark.parametrize("policy", DST_POLICIES)
def test_new_york(policy: DstPolicy) -> None:
    zone = "America/New_York"
    assert local_times("30 2 * * *", zone, policy, "2026-03-07", "2026-03-10") == NEW_YORK_SPRING[policy]
    assert local_times("30 1 * * *", zone, policy, "2026-10-31", "2026-11-03") == NEW_YORK_AUTUMN[policy]
    # In the other direction nothing special happens.
    spring = ["07 01:30-0500", "08 01:30-0500", "09 01:30-0400"]
    autumn = ["31 02:30-0400", "01 02:30-0500", "02 02:30-0500"]
    assert local_times("30 1 * * *", zone, policy, "2026-03-07", "2026-03-10") == spring
    assert local_times("30 2 * * *", zone, policy, "2026-10-31", "2026-11-03") == autumn


def test_new_york_wildcards_just_go_on_under_vixie() -> None:
    zone = "America/New_York"
    spring = local_times("*/30 * * * *", zone, "vixie", "2026-03-08T01:15", "2026-03-08T04:00")
    assert spring == ["08 01:30-0500", "08 03:00-0400", "08 03:30-0400"]
    autumn = local_times("0 * * * *", zone, "vixie", "2026-11-01T00:30", "2026-11-01T03:00")
    assert autumn == ["01 01:00-0400", "01 01:00-0500", "01 02:00-0500"]
    assert local_times("*/30 2 * * *", zone, "vixie", "2026-03-08T01:15", "2026-03-08T04:00") == []
    assert local_times("0 */2 * * *", zone, "vixie", "2026-03-08T01:15", "2026-03-08T04:15") == ["08 04:00-0400"]


def test_what_a_gap_swallows_comes_once_at_its_end_under_vixie() -> None:
    zone = "America/New_York"
    assert local_times("0,20,40 2 * * *", zone, "vixie", "2026-03-08", "2026-03-09") == ["08 03:00-0400"]
    assert local_times("0 2,3 * * *", zone, "vixie", "2026-03-08", "2026-03-09") == ["08 03:00-0400"]
    assert local_times("30 2,3 * * *", zone, "shift", "2026-03-08", "2026-03-09") == ["08 03:30-0400"]
    both = ["08 03:10-0400", "08 03:20-0400", "08 03:40-0400"]
    assert local_times("10,40 2 * * *", zone, "shift", "2026-03-08", "2026-03-09") == [both[0], both[2]]
    assert local_times("10 2 * * *", zone, "shift", "2026-03-08", "2026-03-09") == [both[0]]


@pytest.mark.parametrize(
    ("policy", "spring", "autumn"),
    [
        ("vixie", ["04 02:30+1100"], ["05 01:45+1100"]),
        ("literal", [], ["05 01:45+1100", "05 01:45+1030"]),
        ("skip_once", [], ["05 01:45+1100"]),
        ("shift", ["04 02:45+1100"], ["05 01:45+1100"]),
    ],
)
def test_lord_howe_changes_by_half_an_hour(policy: DstPolicy, spring: list[str], autumn: list[str]) -> None:
    zone = "Australia/Lord_Howe"
    assert local_times("15 2 * * *", zone, policy, "2026-10-04", "2026-10-05") == spring
    assert local_times("45 1 * * *", zone, policy, "2026-04-05", "2026-04-06") == autumn
    # Outside of the half hour no instant is lost or doubled.
    assert local_times("45 2 * * *", zone, policy, "2026-10-04", "2026-10-05") == ["04 02:45+1100"]
    assert local_times("15 1 * * *", zone, policy, "2026-04-05", "2026-04-06") == ["05 01:15+1100"]


@pytest.mark.parametrize("policy", DST_POLICIES)
def test_apia_left_a_whole_day_out(policy: DstPolicy) -> None:
    found = local_times("30 12 * * *", "Pacific/Apia", policy, "2011-12-29", "2012-01-02")
    assert found == ["29 12:30-1000", "31 12:30+1400", "01 12:30+1400"]
    # 24 hours are a correction: no instant replaces the thirtieth, not even at the gap's end.
    assert local_times("0 0 30 * *", "Pacific/Apia", policy, "2011-12-29", "2012-01-02") == []
    assert local_times("0 0 * * FRI", "Pacific/Apia", policy, "2011-12-24", "2012-01-07") == ["06 00:00+1400"]


def test_dublin_has_its_standard_time_in_summer() -> None:
    zone = "Europe/Dublin"
    assert local_times("30 1 * * *", zone, "vixie", "2026-03-29", "2026-03-30") == ["29 02:00+0100"]
    assert local_times("30 1 * * *", zone, "shift", "2026-03-29", "2026-03-30") == ["29 02:30+0100"]
    assert local_times("30 1 * * *", zone, "literal", "2026-03-29", "2026-03-30") == []
    assert local_times("30 1 * * *", zone, "vixie", "2026-10-25", "2026-10-26") == ["25 01:30+0100"]
    twice = ["25 01:30+0100", "25 01:30+0000"]
    assert local_times("30 1 * * *", zone, "literal", "2026-10-25", "2026-10-26") == twice


def test_sao_paulo_had_no_midnight() -> None:
    zone = "America/Sao_Paulo"
    assert local_times("0 0 * * *", zone, "vixie", "2018-11-03T12:00", "2018-11-05T12:00") == [
        "04 01:00-0200",
        "05 00:00-0200",
    ]
    assert local_times("0 0 * * *", zone, "skip_once", "2018-11-03T12:00", "2018-11-05T12:00") == ["05 00:00-0200"]
    twice = ["16 23:30-0200", "16 23:30-0300", "17 23:30-0300"]
    assert local_times("30 23 * * *", zone, "literal", "2019-02-16", "2019-02-18") == twice
    assert local_times("30 23 * * *", zone, "vixie", "2019-02-16", "2019-02-18") == [twice[0], twice[2]]


@pytest.mark.parametrize(
    ("zone", "expression", "day", "following", "vixie", "shift"),
    [
        ("Asia/Amman", "30 0 * * *", "2021-03-25T12:00", "2021-03-26T12:00", "26 01:00+0300", "26 01:30+0300"),
        ("America/Santiago", "15 0 * * *", "2019-09-07T12:00", "2019-09-08T12:00", "08 01:00-0300", "08 01:15-0300"),
        ("Asia/Beirut", "0 0 * * *", "2022-03-26T12:00", "2022-03-27T12:00", "27 01:00+0300", "27 01:00+0300"),
        ("Africa/Casablanca", "30 2 * * *", "2024-04-14", "2024-04-15", "14 03:00+0100", "14 03:30+0100"),
        ("Europe/Riga", "30 3 * * *", "2026-03-29", "2026-03-30", "29 04:00+0300", "29 04:30+0300"),
        ("Antarctica/Troll", "30 1 * * *", "2026-03-29", "2026-03-30", "29 03:00+0200", "29 03:30+0200"),
        # Exactly three hours still count as a change of the clocks, not as a correction.
        ("Antarctica/Casey", "30 1 * * *", "2020-10-04", "2020-10-05", "04 03:01+1100", "04 04:30+1100"),
        # The hour before midnight does not exist, so that the run is on the next day.
        ("America/Nuuk", "30 23 * * *", "2025-03-29", "2025-03-30T12:00", "30 00:00-0100", "30 00:30-0100"),
    ],
)
def test_gaps_by_name(zone: str, expression: str, day: str, following: str, vixie: str, shift: str) -> None:
    assert local_times(expression, zone, "vixie", day, following) == [vixie]
    assert local_times(expression, zone, "shift", day, following) == [shift]
    assert local_times(expression, zone, "literal", day, following) == []
    assert local_times(expression, zone, "skip_once", day, following) == []


@pytest.mark.parametrize(
    ("zone", "expression", "day", "following", "first", "second"),
    [
        ("Asia/Amman", "30 0 * * *", "2021-10-29", "2021-10-30", "29 00:30+0300", "29 00:30+0200"),
        ("America/Santiago", "30 23 * * *", "2019-04-06", "2019-04-07", "06 23:30-0300", "06 23:30-0400"),
        ("Asia/Beirut", "30 23 * * *", "2022-10-29", "2022-10-30", "29 23:30+0300", "29 23:30+0200"),
        ("Africa/Casablanca", "30 2 * * *", "2024-03-10", "2024-03-11", "10 02:30+0100", "10 02:30+0000"),
        ("Europe/Riga", "30 3 * * *", "2026-10-25", "2026-10-26", "25 03:30+0300", "25 03:30+0200"),
        ("Antarctica/Troll", "30 2 * * *", "2026-10-25", "2026-10-26", "25 02:30+0200", "25 02:30+0000"),
    ],
)
def test_folds_by_name(zone: str, expression: str, day: str, following: str, first: str, second: str) -> None:
    assert local_times(expression, zone, "literal", day, following) == [first, second]
    for policy in ("vixie", "skip_once", "shift"):
        assert local_times(expression, zone, policy, day, following) == [first]


def test_kathmandu_is_a_quarter_off_and_never_changes() -> None:
    assert local_times("0 9 * * *", "Asia/Kathmandu", "vixie", "2026-03-28", "2026-03-31") == [
        "28 09:00+0545",
        "29 09:00+0545",
        "30 09:00+0545",
    ]


@pytest.mark.parametrize(
    ("zone", "change"),
    [
        ("Europe/Amsterdam", datetime(1937, 6, 30, 22, 40, 28, tzinfo=UTC)),
        ("Africa/Monrovia", datetime(1972, 1, 7, 0, 44, 30, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("policy", DST_POLICIES)
def test_changes_by_odd_seconds(zone: str, change: datetime, policy: DstPolicy) -> None:
    start, end = int(change.timestamp()) - 3600, int(change.timestamp()) + 3600
    stretch = moments(zone, start, end, 1)
    for expression in ("*/10 * * * * *", "5,35 0-59/3 0-23 * * *", "10 0 0-2 * * *"):
        expected = due(expression, policy, stretch, 1)
        cron = Cron.parse(expression, zone=zone, dst=policy)
        assert expected
        assert forward(cron, start, end) == expected
        assert backward(cron, start, end) == expected
