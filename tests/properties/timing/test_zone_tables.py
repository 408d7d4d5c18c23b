"""The tables of all zones, compared with the time zone database's own files."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random
from zoneinfo import ZoneInfo, _zoneinfo  # type: ignore[attr-defined]

import pytest

from duetime.timing import Cron, zone_table
from duetime.timing import zones as tables
from properties.timing.oracle import due_by_policy, moments
from properties.timing.stretches import SINCE, UNTIL, ZONES, Change, backward, forward


def written(zone: str, since: int, until: int) -> tuple[list[Change], int]:
    """The offset changes in a zone's file, and the instant up to which the file lists them."""
    info = _zoneinfo.ZoneInfo.no_cache(zone)
    instants = list(info._trans_utc)
    offset = int(info._tti_before.utcoff.total_seconds()) if info._tti_before else 0
    found: list[Change] = []
    for seconds, kind in zip(instants, info._ttinfos, strict=False):
        after = int(kind.utcoff.total_seconds())
        if after != offset and since <= seconds < until:
            found.append(Change(seconds, offset, after))
        offset = after
    return found, min(instants[-1], until) if instants else until


def tabled(zone: str, since: int, until: int) -> list[Change]:
    return [Change(one.begin, one.before, one.offset) for one in zone_table(zone).changes(since, until)]


def test_no_change_is_missed() -> None:
    total = 0
    for zone in ZONES:
        expected, until = written(zone, SINCE, UNTIL)
        assert (zone, tabled(zone, SINCE, until + 1)) == (zone, expected)
        total += len(expected)
    assert total > 2000


def test_offsets_are_those_of_zoneinfo_at_any_instant() -> None:
    random = Random(20)
    for zone in ZONES:
        info, table = ZoneInfo(zone), zone_table(zone)
        for _ in range(60):
            seconds = random.randrange(SINCE, UNTIL)
            offset = datetime.fromtimestamp(seconds, info).utcoffset()
            assert offset is not None
            assert table.offset(seconds) == offset.total_seconds(), (zone, seconds)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Riga", "Australia/Lord_Howe", "Asia/Gaza"])
@pytest.mark.parametrize("year", [1, 2, 1850, 1900, 2099, 2400, 9998, 9999])
def test_offsets_far_off(zone: str, year: int) -> None:
    info, table = ZoneInfo(zone), zone_table(zone)
    for month in range(1, 13):
        moment = datetime(year, month, 15, 12, tzinfo=UTC)
        offset = moment.astimezone(info).utcoffset()
        assert offset is not None
        assert table.offset(int(moment.timestamp())) == offset.total_seconds()


def test_segments_join_without_gaps() -> None:
    table = zone_table("Africa/Casablanca")
    at = SINCE
    while at < UNTIL:
        segment = table.segment(at)
        assert segment.begin <= at < segment.end
        assert table.segment(segment.end - 1) == segment
        following = table.segment(segment.end)
        assert following.offset == segment.offset or following.before == segment.offset
        at = segment.end


@pytest.mark.parametrize("block", [3600, 7000, 86_400, 200_000])
def test_it_does_not_matter_where_blocks_of_a_table_end(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_BLOCK", block)
    for zone in ("America/New_York", "Australia/Lord_Howe", "Antarctica/Troll"):
        table = tables.ZoneTable(zone)
        for change in tabled(zone, SINCE, SINCE + 2 * 366 * 86_400):
            start, end = change.seconds - 4 * 3600, change.seconds + 8 * 3600
            stretch = moments(zone, start, end, 300)
            for expression in ("30 2 * * *", "*/15 1-3 * * *", "0,5 0-4 * * *"):
                for policy, expected in due_by_policy(expression, stretch, 300).items():
                    cron = Cron.parse(expression, zone=zone, dst=policy)  # type: ignore[arg-type]
                    cron._zone = table
                    assert forward(cron, start, end) == expected
                    assert backward(cron, start, end) == expected


def test_a_repeat_is_told_from_the_first_pass() -> None:
    table = zone_table("America/New_York")
    change = int(datetime(2026, 11, 1, 6, tzinfo=UTC).timestamp())
    repeats = [minute for minute in range(-120, 180) if table.is_repeat(change + minute * 60)]
    assert repeats == list(range(60))


def test_a_fingerprint_tells_rules_apart() -> None:
    since, until = datetime(2020, 1, 1, tzinfo=UTC), datetime(2030, 1, 1, tzinfo=UTC)
    riga = zone_table("Europe/Riga").fingerprint(since, until)
    assert riga == zone_table("Europe/Vilnius").fingerprint(since, until)
    assert riga != zone_table("Europe/Berlin").fingerprint(since, until)


@pytest.mark.long
def test_no_change_is_missed_since_1880() -> None:
    since = int(datetime(1880, 1, 1, tzinfo=UTC).timestamp())
    for zone in ZONES:
        expected, until = written(zone, since, UNTIL)
        assert (zone, tabled(zone, since, until + 1)) == (zone, expected)
