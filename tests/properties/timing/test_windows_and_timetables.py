"""Windows and timetables, compared with a check of every minute."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from duetime.timing import Calendar, Timetable, Timing, Window, compile_timing
from properties.timing.expressions import instants, zones
from properties.timing.stretches import at

SETTINGS = settings(deadline=None, database=None, derandomize=True, max_examples=60)
DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
MINUTE = timedelta(minutes=1)

times = st.integers(0, 95).map(lambda quarter: f"{quarter // 4:02}:{quarter % 4 * 15:02}")
intervals = st.tuples(times, times).filter(lambda pair: pair[0] != pair[1])


class Part:
    """One part of a window, as text and as days and minutes."""

    def __init__(self, days: list[int], start: str, end: str) -> None:
        self.days = days
        self.start, self.end = (int(text[:2]) * 60 + int(text[3:]) for text in (start, end))
        self.text = f"{','.join(DAYS[day] for day in days)} {start}-{end}"

    def contains(self, local: datetime) -> bool:
        minute = local.hour * 60 + local.minute
        today, yesterday = local.weekday() in self.days, (local.weekday() - 1) % 7 in self.days
        if self.start < self.end:
            return today and self.start <= minute < self.end
        return (today and minute >= self.start) or (yesterday and minute < self.end)


parts = st.builds(
    lambda days, span: Part(sorted(days), *span), st.sets(st.integers(0, 6), min_size=1, max_size=7), intervals
)


@SETTINGS
@given(st.data(), st.lists(parts, min_size=1, max_size=3), zones)
def test_a_window_is_what_every_minute_says(data: st.DataObject, pieces: list[Part], zone: str) -> None:
    window = Window.parse("; ".join(piece.text for piece in pieces), zone=zone)
    info = ZoneInfo(zone)
    start = data.draw(instants(zone)).replace(second=0, microsecond=0)
    minutes = [start + MINUTE * number for number in range(9 * 24 * 60)]
    inside = [any(piece.contains(minute.astimezone(info)) for piece in pieces) for minute in minutes[:1500]]
    assert [window.contains(minute) for minute in minutes[:1500]] == inside
    opening = next((minute for minute in minutes if _inside(pieces, minute, info)), None)
    if opening is not None:
        assert window.next_opening(start) == opening
    closing = next((minute for minute in minutes if not _inside(pieces, minute, info)), None)
    if closing is not None:
        assert window.next_closing(start) == closing


expressions = st.sampled_from(["*/30 * * * *", "0 * * * *", "30 2 * * *", "15 0,12,23 * * *", "0 9 * * MON-FRI"])


@SETTINGS
@given(
    st.data(),
    expressions,
    st.lists(parts, max_size=2),
    st.sampled_from(["exclude", "only"]),
    st.sampled_from(["move", "skip"]),
    zones,
)
def test_nothing_that_runs_is_leapt_over(
    data: st.DataObject, expression: str, pieces: list[Part], mode: str, policy: str, zone: str
) -> None:
    start = data.draw(instants(zone))
    first = start.astimezone(ZoneInfo(zone)).date()
    numbers = data.draw(st.sets(st.integers(-1, 8), max_size=8))
    timing = Timing(
        cron=expression,
        zone=zone,
        calendar="days",
        window="; ".join(piece.text for piece in pieces) or None,
        window_policy=policy,  # type: ignore[arg-type]
        jitter="10m",
    )
    calendar = Calendar("days", tuple(first + timedelta(days=number) for number in numbers), mode)  # type: ignore[arg-type]
    table = compile_timing(timing, "key", calendar)
    everything = list(table.between(start, start + timedelta(days=7)))
    running = [one for one in everything if one.run_at is not None]
    assert [one.nominal for one in everything] == sorted({one.nominal for one in everything})
    found, now = [], start
    while len(found) < len(running):
        following = table.next_after(now)
        assert following is not None
        found.append(following)
        now = following.nominal
    assert found == running
    for one in everything:
        local: date = one.nominal.astimezone(ZoneInfo(zone)).date()
        excluded = (local in calendar.dates) == (mode == "exclude")
        assert ("excluded_by_calendar" in one.flags) == excluded
        _check_window(one.nominal, one.run_at, pieces, policy, zone)


def _check_window(nominal: datetime, run_at: datetime | None, pieces: list[Part], policy: str, zone: str) -> None:
    info = ZoneInfo(zone)
    if run_at is None:
        return
    assert run_at >= nominal
    if not pieces:
        assert run_at - nominal < timedelta(minutes=10)
        return
    assert _inside(pieces, run_at, info)
    if policy == "skip":
        assert _inside(pieces, nominal, info)


def _inside(pieces: list[Part], instant: datetime, info: ZoneInfo) -> bool:
    return any(piece.contains(instant.astimezone(info)) for piece in pieces)


def test_the_jump_over_an_excluded_day_does_not_cross_a_change_back() -> None:
    """In St John's the clocks went back from 00:01 to 23:01 of the previous day."""
    zone = "America/St_Johns"
    excluded = Calendar("one", (date(2010, 11, 7),))
    table = compile_timing(Timing(cron="*/10 * * * *", zone=zone, calendar="one", dst_policy="literal"), "", excluded)
    assert isinstance(table, Timetable)
    midnight = datetime(2010, 11, 7, 2, 30, tzinfo=UTC)
    following = table.next_after(midnight - MINUTE)
    assert following is not None
    assert following.nominal.astimezone(ZoneInfo(zone)).isoformat() == "2010-11-06T23:10:00-03:30"
    assert following.flags == ("repeated",)
    assert at(int(following.nominal.timestamp())) == following.nominal
