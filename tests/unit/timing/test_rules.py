"""Recurrence rules: the RFC's own examples, zones and policies, and rules whose search must stay cheap."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from duetime.timing import DstPolicy, Rule, RuleError, Timing, compile_timing, rrule_units

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BRUTE = next(
    one
    for number in range(10_000)
    if (one := datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=1000 * number)) > NOW
    and (one.month, one.day) == (2, 29)
)
NEW_YORK = "America/New_York"
START = "DTSTART;TZID=America/New_York:19970902T090000\n"


def local(rule: Rule, count: int, start: datetime | None = None) -> list[str]:
    now = start or datetime(1997, 1, 1, tzinfo=UTC)
    found: list[str] = []
    while len(found) < count and (following := rule.next_after(now)) is not None:
        found.append(following.astimezone(ZoneInfo(NEW_YORK)).strftime("%Y-%m-%d %H:%M%z"))
        now = following
    return found


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=DAILY;COUNT=3", ["1997-09-02", "1997-09-03", "1997-09-04"]),
        ("FREQ=DAILY;INTERVAL=10;COUNT=3", ["1997-09-02", "1997-09-12", "1997-09-22"]),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=3", ["1997-09-02", "1997-09-16", "1997-09-30"]),
        ("FREQ=WEEKLY;COUNT=4;WKST=SU;BYDAY=TU,TH", ["1997-09-02", "1997-09-04", "1997-09-09", "1997-09-11"]),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=1FR", ["1997-09-05", "1997-10-03", "1997-11-07"]),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=-2MO", ["1997-09-22", "1997-10-20", "1997-11-17"]),
        ("FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-3", ["1997-09-28", "1997-10-29", "1997-11-28"]),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", ["1998-02-13", "1998-03-13", "1998-11-13"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3", ["1997-09-29", "1997-10-30", "1997-11-27"]),
        ("FREQ=YEARLY;COUNT=3;BYMONTH=6,7", ["1998-06-02", "1998-07-02", "1999-06-02"]),
        (
            "FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200",
            ["2000-01-01", "2000-04-09", "2000-07-18", "2003-01-01"],
        ),
        ("FREQ=YEARLY;BYDAY=20MO;COUNT=3", ["1998-05-18", "1999-05-17", "2000-05-15"]),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3", ["1998-05-11", "1999-05-17", "2000-05-15"]),
        (
            "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3",
            ["1997-11-04", "2001-11-06", "2005-11-08"],
        ),
        ("FREQ=DAILY;UNTIL=19970904T130000Z", ["1997-09-02", "1997-09-03", "1997-09-04"]),
        ("FREQ=DAILY;UNTIL=19970904", ["1997-09-02", "1997-09-03", "1997-09-04"]),
        ("FREQ=DAILY;UNTIL=19970904T085959", ["1997-09-02", "1997-09-03"]),
    ],
)
def test_examples_of_the_rfc(rule: str, expected: list[str]) -> None:
    # In the RFC the start is always the first date. Here it counts only if it matches the rule.
    found = local(Rule.parse(START + "RRULE:" + rule, zone=NEW_YORK), 12)
    assert [text[:10] for text in found[: len(expected)]] == expected
    if "COUNT" in rule or "UNTIL" in rule:
        assert len(found) == len(expected)
    assert all(text[11:16] == "09:00" for text in found)


def test_the_twenty_minutes_of_the_rfc_in_two_spellings() -> None:
    daily = Rule.parse(START + "RRULE:FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0,20,40", zone=NEW_YORK)
    minutely = Rule.parse(START + "RRULE:FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11", zone=NEW_YORK)
    assert local(daily, 40) == local(minutely, 40)


@pytest.mark.parametrize(
    ("policy", "spring", "autumn"),
    [
        ("shift", ["2026-03-08 03:30-0400"], ["2026-11-01 01:30-0400"]),
        ("vixie", ["2026-03-08 03:00-0400"], ["2026-11-01 01:30-0400"]),
        ("skip_once", [], ["2026-11-01 01:30-0400"]),
        ("literal", [], ["2026-11-01 01:30-0400", "2026-11-01 01:30-0500"]),
    ],
)
def test_changes_of_the_clocks(policy: DstPolicy, spring: list[str], autumn: list[str]) -> None:
    early = Rule.parse("DTSTART:20260101T023000\nRRULE:FREQ=DAILY", zone=NEW_YORK, dst=policy)
    late = Rule.parse("DTSTART:20260101T013000\nRRULE:FREQ=DAILY", zone=NEW_YORK, dst=policy)
    found = local(early, 2, datetime(2026, 3, 8, 5, tzinfo=UTC))
    assert [text for text in found if text.startswith("2026-03-08")] == spring
    found = local(late, 3, datetime(2026, 11, 1, 4, tzinfo=UTC))
    assert [text for text in found if text.startswith("2026-11-01")] == autumn
    if policy in ("shift", "vixie"):
        assert early.is_shifted(datetime(2026, 3, 8, 7, 30 if policy == "shift" else 0, tzinfo=UTC))
        assert not early.is_shifted(datetime(2026, 3, 9, 6, 30, tzinfo=UTC))


def test_the_last_one_of_a_count_comes_again_in_the_repeated_hour_only_literally() -> None:
    text = "DTSTART:20261101T013000\nRRULE:FREQ=DAILY;COUNT=1"
    between = datetime(2026, 11, 1, 5, 45, tzinfo=UTC)
    assert Rule.parse(text, zone=NEW_YORK, dst="shift").next_after(between) is None
    literal = Rule.parse(text, zone=NEW_YORK, dst="literal")
    assert literal.next_after(between) == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)
    assert literal.next_after(datetime(2026, 11, 1, 6, 30, tzinfo=UTC)) is None


def test_the_start() -> None:
    start = datetime(2026, 6, 1, 12, 34, 56, tzinfo=UTC)
    rule = Rule.parse("FREQ=DAILY", start=start)
    assert rule.next_after(datetime(2020, 1, 1, tzinfo=UTC)) == start
    in_utc = Rule.parse("DTSTART:20260601T123456Z\nRRULE:FREQ=DAILY", zone="Asia/Tokyo")
    assert in_utc.next_after(datetime(2020, 1, 1, tzinfo=UTC)) == start
    # Without a start the rule begins with 1970, a Thursday, in UTC.
    weekly = Rule.parse("rrule:freq=weekly")
    assert weekly.next_after(start) == datetime(2026, 6, 4, tzinfo=UTC)


def test_a_million_seconds_from_the_start_cost_nothing() -> None:
    rule = Rule.parse("DTSTART:19700101T000001\nRRULE:FREQ=SECONDLY;INTERVAL=2")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert rule.next_after(now) == now + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FREQ=SECONDLY;INTERVAL=3601;BYHOUR=9;BYMINUTE=0;BYSECOND=0", datetime(2032, 11, 7, 9, tzinfo=UTC)),
        ("FREQ=YEARLY;INTERVAL=500;BYMONTH=1;BYMONTHDAY=1", datetime(2470, 1, 1, tzinfo=UTC)),
        ("FREQ=DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29", BRUTE),
        ("FREQ=WEEKLY;INTERVAL=773;BYMONTH=2;BYDAY=MO", datetime(2118, 2, 21, tzinfo=UTC)),
    ],
)
def test_a_rule_that_is_rarely_due_is_found(text: str, expected: datetime) -> None:
    rule = Rule.parse(text)
    assert rule.next_after(datetime(2026, 11, 16, tzinfo=UTC)) == expected
    assert not rule.is_shifted(expected)


def test_the_rarely_due_rule_keeps_its_interval() -> None:
    rule, now, found = Rule.parse("FREQ=SECONDLY;INTERVAL=3601;BYHOUR=9,15;BYMINUTE=0;BYSECOND=0"), NOW, []
    while (following := rule.next_after(now)) is not None:
        found.append(following)
        now = following
    seconds = [(one - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1) for one in found]
    assert len(found) > 1000
    assert all(one % 3601 == 0 and one % 86_400 in (9 * 3600, 15 * 3600) for one in seconds)
    assert found[-1].year == 9999


def test_a_search_without_an_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rrule_units, "_NEAR", 3)
    monkeypatch.setattr(rrule_units, "_FAR", 3)
    text = "FREQ=HOURLY;INTERVAL=25;BYHOUR=9;BYMONTH=2;BYMONTHDAY=29"
    with pytest.raises(RuleError, match="due too rarely"):
        Rule.parse(text)
    monkeypatch.setattr(rrule_units, "_FAR", 8000)
    table = compile_timing(Timing(rrule=text, at=(datetime(2500, 1, 1, tzinfo=UTC),)), "k")
    monkeypatch.setattr(rrule_units, "_FAR", 3)
    flags: list[tuple[str, ...]] = []
    now = NOW
    while len(flags) < 99 and (one := table.nominal_after(now)) is not None:
        assert one.nominal > now
        flags.append(one.flags)
        now = one.nominal
    assert ("search_ended",) in flags
    assert () in flags


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no rule"),
        ("DTSTART:20260101T000000", "There is no rule"),
        ("FREQ=FORTNIGHTLY", "FREQ must be one of"),
        ("INTERVAL=2", "is not allowed here"),
        ("RRULE:INTERVAL=2", "FREQ must be one of"),
        ("FREQ=DAILY;FREQ=DAILY", "is not allowed here"),
        ("FREQ=DAILY;FOO=1", "is not allowed here"),
        ("FREQ=DAILY;", "is not allowed here"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL must be a number"),
        ("FREQ=DAILY;INTERVAL=99999999999999999999", "INTERVAL must be a number"),
        ("DTSTART:20260101\nFREQ=DAILY;COUNT=0", "COUNT must be a number"),
        ("DTSTART:20260101\nFREQ=DAILY;COUNT=1000000", "COUNT must be a number"),
        ("FREQ=DAILY;COUNT=5", "COUNT needs a first date"),
        ("DTSTART:20260101\nFREQ=DAILY;COUNT=5;UNTIL=20270101", "not both"),
        ("FREQ=DAILY;BYHOUR=24", "use 0 to 23"),
        ("FREQ=DAILY;BYHOUR=-1", "use 0 to 23"),
        ("FREQ=DAILY;BYSECOND=60", "use 0 to 59"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "use 1 to 31"),
        ("FREQ=MONTHLY;BYMONTHDAY=-32", "use 1 to 31"),
        ("FREQ=MONTHLY;BYDAY=XX", "not a day"),
        ("FREQ=MONTHLY;BYDAY=0MO", "not a day"),
        ("FREQ=WEEKLY;BYDAY=2MO", "needs FREQ=MONTHLY"),
        ("FREQ=MONTHLY;BYWEEKNO=2", "needs FREQ=YEARLY"),
        ("FREQ=DAILY;BYYEARDAY=2", "use FREQ=YEARLY"),
        ("FREQ=WEEKLY;BYMONTHDAY=2", "use FREQ=MONTHLY"),
        ("FREQ=DAILY;BYSETPOS=1", "BYSETPOS needs"),
        ("FREQ=HOURLY;BYMINUTE=1;BYSETPOS=1", "BYSETPOS needs"),
        ("FREQ=DAILY;UNTIL=yesterday", "not a date"),
        ("DTSTART:20260230T000000\nFREQ=DAILY", "not a date"),
        ("DTSTART:00010101T000000\nFREQ=DAILY", "not a date"),
        ("DTSTART;TZID=Europe/Riga:20260101T000000\nRRULE:FREQ=DAILY", "same zone"),
        ("DTSTART=20260101\nRRULE:FREQ=DAILY", "not a start"),
        ("RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY", "one RRULE"),
        ("RRULE:FREQ=DAILY\nEXDATE:20260101T000000", "use a calendar"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never due"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "never due"),
        ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "never due"),
        ("DTSTART:20260101T000001\nFREQ=SECONDLY;INTERVAL=2;BYSECOND=0", "never due"),
        ("DTSTART:20260101\nFREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "never due"),
        ("DTSTART:20260101\nFREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2", "never due"),
        ("DTSTART:20260101\nFREQ=DAILY;UNTIL=20250101", "never due"),
        ("FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6", "never due"),
        ("FREQ=HOURLY;INTERVAL=7;BYHOUR=9;BYDAY=MO;BYMONTHDAY=30;BYMONTH=2", "never due"),
        ("DTSTART:20260101T000000\nFREQ=MINUTELY;INTERVAL=7;BYHOUR=9;BYMINUTE=5;BYDAY=MO", "never due"),
        ("DTSTART:20260105\nFREQ=DAILY;INTERVAL=14;BYDAY=TU", "never due"),
        ("DTSTART:20260101\nFREQ=WEEKLY;BYDAY=MO;BYSETPOS=2", "never due"),
        (
            "FREQ=YEARLY;BYHOUR={0};BYMINUTE={1};BYSECOND={1}".format(
                ",".join(map(str, range(24))), ",".join(map(str, range(60)))
            ),
            "more than 1440 times",
        ),
        ("FREQ=DAILY;BYHOUR=" + "1," * 5000 + "1", "at most 1024 characters"),
        ("FREQ=DAILY" + "\n" * 500 + "X", "is not allowed here"),
    ],
)
def test_refused(text: str, sentence: str) -> None:
    with pytest.raises(RuleError) as caught:
        Rule.parse(text)
    assert sentence in caught.value.message
    assert 0 <= caught.value.position <= 1024
    assert len(caught.value.message) < 300


def test_the_position_is_where_it_is_wrong() -> None:
    with pytest.raises(RuleError) as caught:
        Rule.parse("DTSTART:20260101T000000\n RRULE:FREQ=DAILY;BYHOUR=1,99")
    assert caught.value.position == len("DTSTART:20260101T000000\n RRULE:FREQ=DAILY;BYHOUR=1,")


@pytest.mark.parametrize("zone", ["UTC", NEW_YORK, "Pacific/Kiritimati", "Asia/Manila"])
@pytest.mark.parametrize("policy", ["vixie", "literal", "skip_once", "shift"])
def test_a_rule_is_found_however_long_before_its_start_one_looks(zone: str, policy: DstPolicy) -> None:
    ours = Rule.parse("FREQ=DAILY", zone=zone, dst=policy)
    first = ours.next_after(datetime(1, 1, 1, tzinfo=UTC))
    assert first == ours.next_after(datetime(1969, 1, 1, tzinfo=UTC)) == datetime(1970, 1, 1, tzinfo=UTC)
    far = Rule.parse("DTSTART:21500101T000000\nRRULE:FREQ=YEARLY;COUNT=2", zone=zone, dst=policy)
    assert (
        far.next_after(datetime(2026, 1, 1, tzinfo=UTC)) == far.next_after(datetime(2149, 1, 1, tzinfo=UTC)) is not None
    )
