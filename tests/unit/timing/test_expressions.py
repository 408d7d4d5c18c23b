"""The meaning of cron expressions, one rule of the dialect after the other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from duetime.timing import Cron, TimingError, explain
from duetime.timing.expression import parse_expression

START = datetime(2026, 1, 1, tzinfo=UTC)


def days(expression: str, count: int = 6, start: datetime = START) -> list[str]:
    """The next dates of an expression that is due once a day."""
    return [instant.strftime("%m-%d") for instant in following(expression, count, start)]


def times(expression: str, count: int = 6, start: datetime = START) -> list[str]:
    return [instant.strftime("%H:%M:%S") for instant in following(expression, count, start)]


def following(expression: str, count: int, start: datetime = START) -> list[datetime]:
    cron, now, found = Cron.parse(expression), start - timedelta(seconds=1), []
    for _ in range(count):
        after = cron.next_after(now)
        assert after is not None
        found.append(after)
        now = after
    return found


def test_five_fields_and_six() -> None:
    assert times("30 1 * * *", 2) == ["01:30:00", "01:30:00"]
    assert times("15 30 1 * * *", 1) == ["01:30:15"]
    assert times("*/20 * * * * *", 4) == ["00:00:00", "00:00:20", "00:00:40", "00:01:00"]
    assert times("  5\t*  * * * ", 2) == ["00:05:00", "01:05:00"]


def test_lists_ranges_and_steps() -> None:
    assert times("0 9,12,17 * * *", 3) == ["09:00:00", "12:00:00", "17:00:00"]
    assert times("0 9-11 * * *", 4)[:3] == ["09:00:00", "10:00:00", "11:00:00"]
    assert times("10-30/10 0 * * *", 3) == ["00:10:00", "00:20:00", "00:30:00"]
    assert times("5/25 0 * * *", 3) == ["00:05:00", "00:30:00", "00:55:00"]
    assert times("*/25 0 * * *", 3) == ["00:00:00", "00:25:00", "00:50:00"]
    assert times("*/60 * * * *", 2) == ["00:00:00", "01:00:00"]


def test_ranges_wrap() -> None:
    assert times("0 22-2 * * *", 6) == ["00:00:00", "01:00:00", "02:00:00", "22:00:00", "23:00:00", "00:00:00"]
    assert times("0 22-4/3 * * *", 4) == ["01:00:00", "04:00:00", "22:00:00", "01:00:00"]
    assert days("0 0 30-2 * *") == ["01-01", "01-02", "01-30", "01-31", "02-01", "02-02"]
    assert days("0 0 1 NOV-FEB *", 5) == ["01-01", "02-01", "11-01", "12-01", "01-01"]
    # 2026-01-01 is a Thursday.
    assert days("0 0 * * FRI-MON") == ["01-02", "01-03", "01-04", "01-05", "01-09", "01-10"]


def test_a_step_beyond_the_field_is_its_first_value_in_a_list_of_days() -> None:
    """The way to write the first Monday of the month in Vixie cron: the list begins with a `*`, so both must match."""
    assert days("0 0 */100,1-7 * MON", 4) == days("0 0 * * MON#1", 4) == ["01-05", "02-02", "03-02", "04-06"]
    assert days("0 0 1-7 * */100,MON", 3) == ["01-04", "01-05", "02-01"]
    assert explain(parse_expression("0 0 */100,1-7 * MON")) == (
        "At 00:00 on days 1 to 7 of the month, if that is Monday."
    )


def test_names_in_any_case_and_seven_is_sunday() -> None:
    assert days("0 0 * jan Mon", 3) == days("0 0 * 1 1", 3) == ["01-05", "01-12", "01-19"]
    for sunday in ("7", "0", "SUN", "7-7", "7L,0L,0"):
        assert days(f"0 0 * * {sunday}", 2) == ["01-04", "01-11"]
    assert days("0 0 * * 5-7", 3) == ["01-02", "01-03", "01-04"]
    assert days("0 0 * * 7-2", 4) == ["01-04", "01-05", "01-06", "01-11"]
    assert days("0 0 * * 7/2", 4) == days("0 0 * * 0/2", 4) == ["01-01", "01-03", "01-04", "01-06"]
    for whole in ("0-7", "SUN-7", "0-6", "1-7", "1-0"):
        assert days(f"0 0 * * {whole}", 3) == ["01-01", "01-02", "01-03"]


def test_last_days() -> None:
    assert days("0 0 L * *", 3) == ["01-31", "02-28", "03-31"]
    assert days("0 0 L 2 *", 1, datetime(2028, 1, 1, tzinfo=UTC)) == ["02-29"]
    assert days("0 0 L-3 * *", 3) == ["01-28", "02-25", "03-28"]
    # January 2026 ends on a Saturday, February too, May on a Sunday.
    assert days("0 0 LW * *", 5) == ["01-30", "02-27", "03-31", "04-30", "05-29"]
    assert days("0 0 L-3W * *", 3) == ["01-28", "02-25", "03-27"]
    assert days("0 0 * * 5L", 3) == days("0 0 * * FRIL", 3) == ["01-30", "02-27", "03-27"]


def test_nearest_working_days() -> None:
    # 2026-02-15 is a Sunday, 2026-08-15 a Saturday, 2026-08-01 a Saturday, 2026-05-31 a Sunday.
    assert days("0 0 15W 2 *", 1) == ["02-16"]
    assert days("0 0 15W 8 *", 1) == ["08-14"]
    assert days("0 0 1W 8 *", 1) == ["08-03"]
    assert days("0 0 31W 5 *", 1) == ["05-29"]
    assert days("0 0 31W * *", 3) == ["01-30", "03-31", "05-29"]


def test_the_nth_weekday() -> None:
    assert days("0 0 * * MON#2", 3) == ["01-12", "02-09", "03-09"]
    assert days("0 0 * * 4#1,THU#5", 3) == ["01-01", "01-29", "02-05"]
    assert days("0 0 * * 7#5", 2) == ["03-29", "05-31"]
    assert following("0 0 29 2 */7", 2)[1] - following("0 0 29 2 */7", 1)[0] == timedelta(days=28 * 365 + 7)


def test_two_restricted_day_fields_mean_either_unless_one_begins_with_a_star() -> None:
    assert days("0 0 13 * FRI", 5) == ["01-02", "01-09", "01-13", "01-16", "01-23"]
    # Odd days that are Fridays.
    assert days("0 0 */2 * 5", 4) == ["01-09", "01-23", "02-13", "02-27"]
    assert days("0 0 13 * */5", 3) == ["02-13", "03-13", "09-13"]
    assert days("0 0 * * 5", 2) == ["01-02", "01-09"]
    assert days("0 0 13 * *", 2) == ["01-13", "02-13"]
    # February never has a thirtieth, but it has Mondays.
    assert days("0 0 30 2 MON", 2) == ["02-02", "02-09"]


@pytest.mark.parametrize(
    ("nickname", "plain"),
    [
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("@monthly", "0 0 1 * *"),
        ("@weekly", "0 0 * * 0"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@hourly", "0 * * * *"),
        ("  @Daily ", "0 0 * * *"),
    ],
)
def test_nicknames(nickname: str, plain: str) -> None:
    assert following(nickname, 4) == following(plain, 4)


def test_every_is_anchored_in_1970_and_knows_no_zone() -> None:
    assert times("@every 90s", 3) == ["00:00:00", "00:01:30", "00:03:00"]
    assert times("@every 1h30m", 3) == ["00:00:00", "01:30:00", "03:00:00"]
    cron = Cron.parse("@every 2h", zone="America/New_York")
    assert cron.next_after(datetime(2026, 3, 8, 6, 30, tzinfo=UTC)) == datetime(2026, 3, 8, 8, tzinfo=UTC)
    assert cron.prev_before(datetime(2026, 3, 8, 8, tzinfo=UTC)) == datetime(2026, 3, 8, 6, tzinfo=UTC)


def test_rare_dates_are_found() -> None:
    assert following("0 0 29 2 *", 1, datetime(2096, 3, 1, tzinfo=UTC)) == [datetime(2104, 2, 29, tzinfo=UTC)]
    # The 29th of February is a Sunday every 28 years, but not across 2100.
    sundays = following("0 0 29 2 */7", 3, datetime(2060, 3, 1, tzinfo=UTC))
    assert [instant.year for instant in sundays] == [2088, 2128, 2156]


def test_the_end_and_the_begin_of_time() -> None:
    for zone in ("UTC", "Europe/Riga", "Pacific/Apia"):
        cron = Cron.parse("0 0 1 1 *", zone=zone)
        assert cron.next_after(datetime(9999, 6, 1, tzinfo=UTC)) is None
        assert cron.prev_before(datetime(1, 1, 1, tzinfo=UTC)) is None
        assert cron.next_after(datetime.max.replace(tzinfo=UTC)) is None
        first = cron.next_after(datetime.min.replace(tzinfo=UTC))
        assert first is not None
        assert first.year in (1, 2)
        last = cron.prev_before(datetime.max.replace(tzinfo=UTC))
        assert last is not None
        assert last.year in (9998, 9999)


def test_a_time_that_is_always_in_the_gap_never_comes() -> None:
    """Since 2007 this local time has not existed in New York: the answer is `None`, after bounded work."""
    for policy in ("literal", "skip_once"):
        cron = Cron.parse("30 2 * 3 SUN#2", zone="America/New_York", dst=policy)
        assert cron.next_after(datetime(2026, 1, 1, tzinfo=UTC)) is None
        assert cron.prev_before(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2006, 3, 12, 7, 30, tzinfo=UTC)
    cron = Cron.parse("30 2 * 3 SUN#2", zone="America/New_York", dst="vixie")
    assert cron.next_after(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 3, 8, 7, tzinfo=UTC)


def test_a_cron_is_a_value() -> None:
    one, same = (Cron.parse("0 0 * * *", zone="Europe/Riga", key="a") for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != Cron.parse("0 0 * * *", zone="Europe/Riga", key="b")
    assert one != "0 0 * * *"
    assert eval(repr(one), {"Cron": Cron}) == one
    assert (one.expression, one.zone, one.dst, one.key) == ("0 0 * * *", "Europe/Riga", "vixie", "a")


def test_a_naive_instant_is_refused() -> None:
    naive = START.replace(tzinfo=None)
    for ask in (Cron.parse("0 0 * * *").next_after, Cron.parse("0 0 * * *").prev_before):
        with pytest.raises(TimingError, match="aware"):
            ask(naive)
    with pytest.raises(TimingError, match="aware"):
        Cron.parse("@every 90s").next_after(naive)
