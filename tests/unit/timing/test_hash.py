"""`H`: values chosen from the schedule's identity, the same in every release; and `?`, which chooses nothing."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from duetime.timing import Cron, CronError
from duetime.timing.expression import parse_expression

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def bits(expression: str, key: str, field: int) -> list[int]:
    mask = parse_expression(expression, key).fields[field].mask
    return [bit for bit in range(64) if mask >> bit & 1]


def test_the_choice_is_pinned() -> None:
    """A change here would move every schedule with `H`, and must never happen."""
    assert bits("H H * * *", "report", 1) + bits("H H * * *", "report", 2) == [35, 3]
    assert Cron.parse("H H H H H", key="report").next_after(NOW) == datetime(2026, 11, 4, 3, 35, tzinfo=UTC)


def test_the_same_key_chooses_the_same_and_keys_spread() -> None:
    assert bits("H * * * *", "a", 1) == bits("H * * * *", "a", 1)
    minutes = Counter(bits("H * * * *", f"job {number}", 1)[0] for number in range(6000))
    assert set(minutes) == set(range(60))
    assert max(minutes.values()) < 160
    days = {bits("0 0 H * *", f"job {number}", 3)[0] for number in range(2000)}
    assert days == set(range(1, 29))


def test_hours_and_minutes_are_chosen_apart() -> None:
    pairs = {(*bits("H H * * *", str(n), 1), *bits("H H * * *", str(n), 2)) for n in range(3000)}
    assert len(pairs) > 1000


@pytest.mark.parametrize("key", ["", "a", "Ünïcode \udc80"])
def test_ranges_and_steps(key: str) -> None:
    assert bits("H(10-12) * * * *", key, 1)[0] in range(10, 13)
    assert bits("0 0 * * H(MON-FRI)", key, 5)[0] in range(1, 6)
    quarters = bits("H/15 * * * *", key, 1)
    assert quarters == [quarters[0] + 15 * number for number in range(4)]
    assert quarters[0] < 15
    some = bits("H(30-59)/10 * * * *", key, 1)
    assert len(some) == 3
    assert 30 <= some[0] < 40
    assert bits("H(7-7) * * * *", key, 1) == [7]
    assert len(bits("H,30 * * * *", key, 1)) <= 2


@pytest.mark.parametrize("seconds", ["", "0 "])
def test_a_question_mark_is_every_day_in_five_fields_as_in_six(seconds: str) -> None:
    for written, meant in (
        ("0 12 * * ?", "0 12 * * *"),
        ("0 12 ? * *", "0 12 * * *"),
        ("0 12 ? * ?", "0 12 * * *"),
        ("0 0 ? * MON", "0 0 * * MON"),
        ("0 0 15 * ?", "0 0 15 * *"),
        ("0 0 ? * 5L", "0 0 * * 5L"),
    ):
        ours, plain = (parse_expression(seconds + text, "k").fields for text in (written, meant))
        assert [field.mask for field in ours] == [field.mask for field in plain]
        assert Cron.parse(seconds + written, key="k").next_after(NOW) == Cron.parse(seconds + meant).next_after(NOW)


@pytest.mark.parametrize(
    "expression", ["? * * * *", "0 ? * * *", "0 0 * ? *", "0 0 ?/2 * *", "0 0 1,? * *", "? 0 0 * * *"]
)
def test_a_question_mark_anywhere_else_is_refused(expression: str) -> None:
    with pytest.raises(CronError, match="write '\\*' here, or 'H'") as caught:
        Cron.parse(expression)
    assert caught.value.position == expression.index("?")


def test_a_chosen_hour_is_a_fixed_time_for_vixie() -> None:
    assert not parse_expression("H H * * *").wildcard
    assert not parse_expression("H/15 3 * * *").wildcard
    assert parse_expression("H * * * *").wildcard


def test_what_h_cannot_do() -> None:
    for expression in ("H(40-70) * * * *", "H(20-10) * * * *", "H-5 * * * *", "H() * * * *", "H/0 * * * *"):
        with pytest.raises(CronError):
            Cron.parse(expression)
