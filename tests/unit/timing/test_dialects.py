"""The dialect of Quartz, and the warning about lines that mean other days there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duetime.timing import Cron, CronError, explain, other_days_in_quartz
from duetime.timing.expression import parse_expression

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def following(cron: Cron, count: int, start: datetime = NOW) -> list[datetime]:
    found: list[datetime] = []
    while len(found) < count and (one := cron.next_after(start)) is not None:
        found.append(one)
        start = one
    return found


@pytest.mark.parametrize(
    ("quartz", "standard"),
    [
        # The examples of Quartz's own tutorial.
        ("0 0 12 * * ?", "0 0 12 * * *"),
        ("0 15 10 ? * *", "0 15 10 * * *"),
        ("0 15 10 * * ? *", "0 15 10 * * *"),
        ("0 * 14 * * ?", "0 * 14 * * *"),
        ("0 0/5 14,18 * * ?", "0 */5 14,18 * * *"),
        ("0 0-5 14 * * ?", "0 0-5 14 * * *"),
        ("0 10,44 14 ? 3 WED", "0 10,44 14 * 3 WED"),
        ("0 15 10 ? * MON-FRI", "0 15 10 * * MON-FRI"),
        ("0 15 10 15 * ?", "0 15 10 15 * *"),
        ("0 15 10 L * ?", "0 15 10 L * *"),
        ("0 15 10 L-2 * ?", "0 15 10 L-2 * *"),
        ("0 15 10 ? * 6L", "0 15 10 * * FRIL"),
        ("0 15 10 ? * 6#3", "0 15 10 * * FRI#3"),
        ("0 0 12 1/5 * ?", "0 0 12 1/5 * *"),
        ("0 11 11 11 11 ?", "0 11 11 11 11 *"),
        # Sunday is 1.
        ("0 0 12 ? * 1", "0 0 12 * * SUN"),
        ("0 0 12 ? * 2-6", "0 0 12 * * MON-FRI"),
        ("0 0 12 ? * 7", "0 0 12 * * SAT"),
        ("0 0 12 ? * L", "0 0 12 * * SAT"),
        ("0 0 12 ? * 7-2", "0 0 12 * * SAT-MON"),
        ("0 0 12 ? * thu", "0 0 12 * * THU"),
        ("0 0 12 15W * ?", "0 0 12 15W * *"),
        ("0 0 12 LW * ?", "0 0 12 LW * *"),
        ("0 /20 12 * * ?", "0 */20 12 * * *"),
    ],
)
def test_a_line_of_quartz_means_what_it_means_there(quartz: str, standard: str) -> None:
    ours = Cron.parse(quartz, dialect="quartz")
    assert following(ours, 30) == following(Cron.parse(standard), 30)
    assert ours != Cron.parse(standard)
    assert eval(repr(ours), {"Cron": Cron}) == ours


def test_years() -> None:
    cron = Cron.parse("0 0 12 29 2 ? 2026-2040", dialect="quartz", zone="Europe/Riga")
    assert [one.year for one in following(cron, 9)] == [2028, 2032, 2036, 2040]
    assert cron.prev_before(datetime(2099, 1, 1, tzinfo=UTC)) == datetime(2040, 2, 29, 10, tzinfo=UTC)
    assert cron.prev_before(datetime(2028, 2, 29, 10, tzinfo=UTC)) is None
    two = Cron.parse("0 0 0 1 1 ? 2027,2030/3", dialect="quartz")
    assert [one.year for one in following(two, 3)] == [2027, 2030, 2033]
    assert following(Cron.parse("0 0 0 1 1 ? 2020", dialect="quartz"), 1) == []
    words = explain(parse_expression("0 0 12 ? * 2 2027", dialect="quartz"))
    assert words == "At 12:00 on Monday of 2027."


@pytest.mark.parametrize(
    ("expression", "position", "sentence"),
    [
        ("0 12 * * ?", 10, "5 fields: in the dialect 'quartz' it needs 6"),
        ("0 0 12 * * ? 2027 1", 18, "8 fields"),
        ("0 0 12 ? * 0", 11, "use 1 to 7, or SUN to SAT"),
        ("0 0 12 ? * 8", 11, "use 1 to 7"),
        ("0 0 12 ? * ?", 7, "only one of the day fields"),
        ("0 0 12 1 * MON", 7, "not both"),
        ("0 0 12 * * ? 1969", 13, "use 1970 to 2099"),
        ("0 0 12 29 2 ? 2027", 14, "never due"),
        ("0 H 12 * * ?", 2, "no 'H'"),
        ("0 0 12 ? * THU,H", 15, "no 'H'"),
        ("@daily", 6, "1 fields"),
        ("0 ? 12 * * ?", 2, "write '*' here"),
    ],
)
def test_refused(expression: str, position: int, sentence: str) -> None:
    with pytest.raises(CronError) as caught:
        Cron.parse(expression, dialect="quartz")
    assert sentence in caught.value.message
    assert caught.value.position == position


def test_a_step_from_zero_is_a_wildcard_as_it_is_written_in_quartz() -> None:
    assert parse_expression("0 0 0/1 * * ?", dialect="quartz").wildcard
    assert parse_expression("0 0 /1 * * ?", dialect="quartz").wildcard
    assert not parse_expression("0 0 0/1 * * ?").wildcard


@pytest.mark.parametrize(
    ("expression", "ours", "theirs"),
    [
        ("0 0 12 ? * 2", "Tuesday", "Monday"),
        ("0 0 12 * * 1-5", "Monday to Friday", "Sunday to Thursday"),
        ("0 0 12 * * 6L", "the last Saturday of the month", "the last Friday of the month"),
        ("0 0 12 * * 2#1", "the first Tuesday of the month", "the first Monday of the month"),
        ("0 0 12 * * 7", "Sunday", "Saturday"),
    ],
)
def test_a_warning_names_both_days(expression: str, ours: str, theirs: str) -> None:
    warning = other_days_in_quartz(parse_expression(expression))
    assert warning is not None
    assert f"is {ours}. In Quartz" in warning
    assert f"it is {theirs}." in warning


@pytest.mark.parametrize(
    "expression",
    [
        "0 12 * * 2",
        "0 0 12 * * MON-FRI",
        "0 0 12 * * MON#2",
        "0 0 12 * * *",
        "0 0 12 * * 1-7",
        "0 0 12 * * 0",
        "0 0 12 * * H",
        "@weekly",
        "@every 5m",
    ],
)
def test_no_warning_where_the_days_are_the_same_or_quartz_refuses_the_line(expression: str) -> None:
    assert other_days_in_quartz(parse_expression(expression)) is None
