"""A schedule's timing: several sources, calendar, window, jitter, start and end, and its preview."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest

from duetime.timing import Calendar, Occurrence, Timetable, Timing, TimingError, compile_timing, preview

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOLIDAYS = Calendar("holidays", (date(2026, 1, 2), date(2026, 1, 1), date(2026, 1, 1)))


def compiled(days: Calendar | None = None, key: str = "k", **timing: Any) -> Timetable:
    return compile_timing(msgspec.convert(timing, Timing), key, days)


def nominal(table: Timetable, count: int, start: datetime = NOW) -> list[str]:
    return [one.nominal.strftime("%d %H:%M") for one in occurrences(table, count, start)]


def occurrences(table: Timetable, count: int, start: datetime = NOW) -> list[Occurrence]:
    found: list[Occurrence] = []
    while len(found) < count and (one := table.next_after(start)) is not None:
        found.append(one)
        start = one.nominal
    return found


def test_several_sources_add_up_and_coincidences_are_one() -> None:
    table = compiled(cron=["0 6 * * *", "0 */6 * * *"], every="8h", at=["2026-01-01T07:00:00Z"])
    assert nominal(table, 6) == ["01 06:00", "01 07:00", "01 08:00", "01 12:00", "01 16:00", "01 18:00"]
    rule = compiled(rrule="FREQ=DAILY;BYHOUR=5;BYMINUTE=0", cron="0 4 * * *", zone="Europe/Riga")
    assert nominal(rule, 3) == ["01 02:00", "01 03:00", "02 02:00"]


def test_start_is_included_and_end_is_not() -> None:
    table = compiled(cron="0 * * * *", start="2026-01-01T05:00:00Z", end="2026-01-01T08:00:00+00:00")
    assert nominal(table, 9) == ["01 05:00", "01 06:00", "01 07:00"]
    every = compiled(every="90m", start="2026-01-01T00:10:00Z")
    assert nominal(every, 3) == ["01 00:10", "01 01:40", "01 03:10"]
    anchored = compiled(every="90m", start="2026-01-01T00:10:00Z", anchor="2026-01-01T00:00:00Z")
    assert nominal(anchored, 2) == ["01 01:30", "01 03:00"]
    counted = compiled(rrule="FREQ=DAILY;COUNT=2", start="2026-01-05T10:00:00Z")
    assert nominal(counted, 9) == ["05 10:00", "06 10:00"]


def test_a_calendar_excludes_local_dates() -> None:
    table = compiled(HOLIDAYS, cron="30 23 * * *", zone="America/New_York", calendar="holidays")
    everything = list(table.between(NOW, NOW + timedelta(days=4)))
    assert [(one.nominal.day, one.run_at is None) for one in everything] == [
        (1, False),
        (2, True),
        (3, True),
        (4, False),
    ]
    assert everything[1].flags == ("excluded_by_calendar",)
    assert nominal(table, 2) == ["01 04:30", "04 04:30"]


def test_a_calendar_of_only_days() -> None:
    only = Calendar("paydays", (date(2026, 3, 31), date(2027, 3, 31)), "only")
    table = compiled(only, cron="*/20 * * * * *", calendar="paydays")
    first = table.next_after(NOW)
    assert first is not None
    assert first.nominal == datetime(2026, 3, 31, tzinfo=UTC)
    later = table.next_after(datetime(2026, 3, 31, 23, 59, 40, tzinfo=UTC))
    assert later is not None
    assert later.nominal == datetime(2027, 3, 31, tzinfo=UTC)
    assert table.next_after(datetime(2027, 4, 1, tzinfo=UTC)) is None


def test_calendars_know_the_next_allowed_date() -> None:
    assert HOLIDAYS.dates == (date(2026, 1, 1), date(2026, 1, 2))
    assert HOLIDAYS.next_allowed(date(2026, 1, 1)) == date(2026, 1, 3)
    assert HOLIDAYS.next_allowed(date(2025, 12, 31)) == date(2025, 12, 31)
    assert Calendar("end", (date.max,)).next_allowed(date.max) is None
    nothing = Calendar("none", (), "only")
    assert nothing.next_allowed(date(2026, 1, 1)) is None
    assert compiled(nothing, cron="* * * * * *", calendar="none").next_after(NOW) is None


def test_a_window_moves_or_skips() -> None:
    timing = {"cron": "0 3,10 * * *", "window": "MON-FRI 09:00-17:00", "zone": "UTC"}
    moved = occurrences(compiled(**timing), 4)
    assert [(one.nominal.strftime("%d %H"), one.run_at and one.run_at.strftime("%d %H:%M")) for one in moved] == [
        ("01 03", "01 09:00"),
        ("01 10", "01 10:00"),
        ("02 03", "02 09:00"),
        ("02 10", "02 10:00"),
    ]
    assert [one.flags for one in moved] == [("moved_by_window",), ()] * 2
    skipping = compiled(**timing, window_policy="skip")
    assert nominal(skipping, 3) == ["01 10:00", "02 10:00", "05 10:00"]
    left_out = [one for one in skipping.between(NOW, NOW + timedelta(days=2)) if one.run_at is None]
    assert [one.flags for one in left_out] == [("skipped_by_window",)] * 2


def test_a_schedule_that_never_fits_its_window_is_searched_with_bounded_work_and_never_called_ended() -> None:
    table = compiled(cron="* 3 * * *", window="09:00-17:00", window_policy="skip")
    far = table.next_after(NOW)
    assert far is not None
    assert (far.run_at, far.flags) == (None, ("skipped_by_window",))
    assert far.nominal > NOW + timedelta(days=4000)
    farther = table.next_after(far.nominal)
    assert farther is not None
    assert farther.nominal > far.nominal + timedelta(days=4000)
    shown = preview(table, NOW, 3)
    assert [row.run_at for row in shown.rows] == [None] * 3
    assert shown.searched_until is not None
    assert shown.searched_until > NOW + timedelta(days=4000)


def test_an_occurrence_is_found_behind_a_century_of_exclusions() -> None:
    mondays = tuple(date(2026, 1, 5) + timedelta(weeks=number) for number in range(5300))
    table = compiled(Calendar("mondays", mondays), cron="0 9 * * MON", calendar="mondays")
    far = table.next_after(NOW)
    assert far is not None
    assert far.run_at is None
    found = table.next_after(far.nominal)
    assert found is not None
    assert found.run_at == datetime(2127, 8, 4, 9, tzinfo=UTC)
    (row,) = preview(table, NOW, 1).rows[1:]
    assert row.run_at == found.run_at


def test_a_window_moves_runs_to_a_date_that_the_calendar_allows() -> None:
    days = Calendar("holidays", (date(2026, 12, 25),))
    table = compiled(days, cron="0 */4 * * *", zone="Europe/Riga", calendar="holidays", window="MON-FRI 09:00-17:00")
    rows = preview(table, datetime(2026, 12, 24, 17, tzinfo=UTC), 1).rows
    # The 25th is a Friday, so that the next open time is on Monday.
    assert [(row.local.isoformat()[:16], row.run_local and row.run_local.isoformat()[:16]) for row in rows] == [
        ("2026-12-24T20:00", "2026-12-28T09:00"),
    ]
    assert rows[0].flags == ("moved_by_window",)
    only = Calendar("c", (date(2026, 12, 24), date(2026, 12, 26), date(2027, 1, 4)), "only")
    kept = compiled(only, cron="0 20 * * *", zone="Europe/Riga", calendar="c", window="MON-FRI 09:00-17:00")
    (row,) = preview(kept, datetime(2026, 12, 24, 17, tzinfo=UTC), 1).rows
    assert row.run_at == datetime(2027, 1, 4, 7, tzinfo=UTC)
    last = compiled(
        Calendar("c", (date(2026, 12, 24),), "only"), cron="0 20 * * *", calendar="c", window="09:00-17:00"
    ).nominal_after(datetime(2026, 12, 24, 17, tzinfo=UTC))
    assert last is not None
    assert (last.run_at, last.flags) == (None, ("skipped_by_window",))


def test_a_window_that_crosses_midnight_ends_where_an_excluded_date_begins() -> None:
    days = Calendar("c", (date(2026, 1, 4), date(2026, 1, 5)))
    table = compiled(days, cron="0 12 * * *", calendar="c", window="SAT-MON 22:00-06:00", jitter="8h")
    run_at = [one.run_at for one in occurrences(table, 3)]
    assert None not in run_at
    # Thursday and Friday wait for Saturday the 3rd at 22:00, and stay before the excluded Sunday.
    for moment in run_at:
        assert moment is not None
        assert datetime(2026, 1, 3, 22, tzinfo=UTC) <= moment < datetime(2026, 1, 4, tzinfo=UTC)


def test_jitter_does_not_reach_an_excluded_date() -> None:
    table = compiled(Calendar("c", (date(2026, 1, 2),)), cron="50 23 * * *", calendar="c", jitter="12h")
    first = table.next_after(NOW)
    assert first is not None
    assert first.run_at is not None
    assert first.nominal <= first.run_at < datetime(2026, 1, 2, tzinfo=UTC)


def test_jitter_keeps_to_the_window() -> None:
    table = compiled(cron="*/5 * * * *", window="09:00-09:10", jitter="1h")
    for one in occurrences(table, 300):
        assert one.run_at is not None
        assert one.run_at >= one.nominal
        assert (one.run_at.hour, one.run_at.minute // 10) == (9, 0)
    free = occurrences(compiled(cron="0 * * * *", jitter="30m"), 50)
    delays = {one.run_at - one.nominal for one in free if one.run_at}
    assert len(delays) > 45
    assert max(delays) < timedelta(minutes=30)
    again = occurrences(compiled(cron="0 * * * *", jitter="30m"), 50)
    assert free == again
    assert free != occurrences(compiled(key="other", cron="0 * * * *", jitter="30m"), 50)


def test_flags_of_a_change() -> None:
    spring = compiled(cron="30 2 * * *", zone="America/New_York")
    one = spring.next_after(datetime(2026, 3, 8, tzinfo=UTC))
    assert one == Occurrence(datetime(2026, 3, 8, 7, tzinfo=UTC), datetime(2026, 3, 8, 7, tzinfo=UTC), ("shifted",))
    autumn = compiled(cron="30 1 * * *", zone="America/New_York", dst_policy="literal")
    flags = [one.flags for one in occurrences(autumn, 3, datetime(2026, 11, 1, tzinfo=UTC))]
    assert flags == [(), ("repeated",), ()]
    # Another source is due at this instant, so that it is not shifted.
    both = compiled(cron=["30 2 * * *", "0 3 * * *"], zone="America/New_York")
    shared = both.next_after(datetime(2026, 3, 8, tzinfo=UTC))
    assert shared is not None
    assert shared.flags == ()


def test_policies_default_per_source() -> None:
    start = datetime(2026, 3, 8, tzinfo=UTC)
    zone = "America/New_York"
    rule = compiled(rrule="FREQ=DAILY;BYHOUR=2;BYMINUTE=30", zone=zone).next_after(start)
    assert rule is not None
    assert rule.nominal == datetime(2026, 3, 8, 7, 30, tzinfo=UTC)
    told = compiled(rrule="FREQ=DAILY;BYHOUR=2;BYMINUTE=30", zone=zone, dst_policy="vixie").next_after(start)
    assert told is not None
    assert told.nominal == datetime(2026, 3, 8, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("timing", "sentence"),
    [
        ({}, "at least one of"),
        ({"cron": []}, "at least one of"),
        ({"cron": "61 * * * *"}, "not a minute"),
        ({"cron": "* * * * *", "zone": "Mars/Base"}, "no time zone"),
        ({"every": "10ms"}, "at least one second"),
        ({"every": "15m", "start": "2026-01-02T00:00:00Z", "end": "2026-01-02T00:00:00Z"}, "before the end"),
        ({"cron": "@daily", "calendar": "holidays"}, "no calendar 'holidays'"),
        ({"cron": "@daily", "window": "MON"}, "not a window"),
        ({"cron": "@daily", "jitter": "soon"}, "not a duration"),
        ({"rrule": "FREQ=DAILY;COUNT=2"}, "COUNT needs a first date"),
    ],
)
def test_refused(timing: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TimingError, match=sentence):
        compiled(**timing)


@pytest.mark.parametrize(
    "timing",
    [
        {"cron": "@daily", "dst_policy": "quartz"},
        {"cron": "@daily", "window_policy": "wait"},
        {"cron": "@daily", "unknown": 1},
        {"cron": ["@daily"] * 65},
        {"at": ["2026-01-01T00:00:00"]},
        {"cron": "@daily", "start": "2026-01-01T00:00:00"},
    ],
)
def test_the_struct_refuses_what_it_does_not_know(timing: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(timing, Timing)


def test_a_timing_survives_json() -> None:
    timing = Timing(cron=("0 9 * * *", "@hourly"), zone="Europe/Riga", jitter="90s", start=NOW, window="09:00-17:00")
    encoded = msgspec.json.encode(timing)
    assert b"dst_policy" not in encoded
    assert msgspec.json.decode(encoded, type=Timing) == timing


def test_a_preview_shows_local_times_and_what_is_special() -> None:
    excluded = Calendar("c", (date(2026, 11, 3),))
    table = compiled(
        excluded, cron="30 1 * * *", zone="America/New_York", dst_policy="literal", calendar="c", window="01:00-02:00"
    )
    rows = preview(table, datetime(2026, 10, 31, 12, tzinfo=UTC), 4).rows
    assert [(row.local.isoformat(), row.flags) for row in rows] == [
        ("2026-11-01T01:30:00-04:00", ()),
        ("2026-11-01T01:30:00-05:00", ("repeated",)),
        ("2026-11-02T01:30:00-05:00", ()),
        ("2026-11-03T01:30:00-05:00", ("excluded_by_calendar",)),
        ("2026-11-04T01:30:00-05:00", ()),
    ]
    assert [row.run_at is None for row in rows] == [False, False, False, True, False]
    moved = preview(compiled(cron="0 3 * * *", zone="Asia/Tokyo", window="09:30-10:00"), NOW, 1).rows[0]
    assert moved.run_local is not None
    assert (moved.local.isoformat(), moved.run_local.isoformat()) == (
        "2026-01-02T03:00:00+09:00",
        "2026-01-02T09:30:00+09:00",
    )


def test_a_preview_is_not_flooded_by_what_is_left_out() -> None:
    rows = preview(compiled(HOLIDAYS, cron="* * * * *", calendar="holidays"), NOW, 5).rows
    assert len(rows) == 10
    assert [row.run_at is None for row in rows] == [True] * 5 + [False] * 5
    assert rows[5].nominal == datetime(2026, 1, 3, tzinfo=UTC)
    listed = preview(compiled(at=["2026-01-01T07:00:00Z"]), NOW, 5)
    assert listed.rows[0].nominal == datetime(2026, 1, 1, 7, tzinfo=UTC)
    assert (len(listed.rows), listed.searched_until) == (1, None)
