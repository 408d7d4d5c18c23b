"""Refused expressions and zones: the error has the position and a sentence that says what would be right."""

from __future__ import annotations

import pytest

from duetime.model.errors import DuetimeError, Invalid
from duetime.timing import Cron, CronError, TimingError, ZoneError
from duetime.timing.expression import parse_expression


@pytest.mark.parametrize(
    ("expression", "position", "sentence"),
    [
        ("60 * * * *", 0, "'60' is not a minute: use 0 to 59."),
        ("0 24 * * *", 2, "'24' is not an hour: use 0 to 23."),
        ("0 0 0 * *", 4, "use 1 to 31"),
        ("0 0 32 * *", 4, "use 1 to 31"),
        ("0 0 * 13 *", 6, "use 1 to 12, or JAN to DEC"),
        ("0 0 * * 8", 8, "use 0 to 6, or SUN to SAT"),
        ("0 0 * * FOO", 8, "'FOO' is not a day of week"),
        ("0 0 * JAN-XXX *", 10, "'XXX' is not a month"),
        ("0,10,99 * * * *", 5, "'99' is not a minute"),
        ("5-70 * * * *", 2, "'70' is not a minute"),
        ("-5 * * * *", 0, "'-5' is not a minute"),
        ("1.5 * * * *", 0, "not a minute"),
        ("5- * * * *", 0, "not a minute"),
        ("1-2-3 * * * *", 0, "not a minute"),
        ("*5 * * * *", 0, "not a minute"),
        ("** * * * *", 0, "not a minute"),
        ("*/ * * * *", 0, "not a minute"),
        ("*/0 * * * *", 2, "use 1 to 60"),
        ("5/0 * * * *", 2, "use 1 to 60"),
        ("*/61 * * * *", 2, "use 1 to 60, or '@every'"),
        ("0 */25 * * *", 4, "use 1 to 24"),
        ("*/99999999999999999999999999999999 * * * *", 2, "use 1 to 60"),
        ("99999999999999999999999999999999 * * * *", 0, "use 0 to 59"),
        ("1,,2 * * * *", 2, "comma"),
        (",1 * * * *", 0, "comma"),
        ("0 0 1, * *", 6, "comma"),
        ("* * * *", 7, "4 fields: it needs 5"),
        ("* * * * * * *", 12, "7 fields"),
        ("0 0 12 1 1 ? 2030", 13, "needs the dialect 'quartz'"),
        ("0 0 */100 * MON", 6, "use 1 to 31"),
        ("*/100,1-7 * * * *", 2, "use 1 to 60"),
        ("0 0 */10000,1-7 * MON", 6, "use 1 to 31"),
        ("0 0 */0,1-7 * MON", 6, "use 1 to 31"),
        ("", 0, "0 fields"),
        (" \t ", 0, "0 fields"),
        ("0 0 30 2 *", 4, "never due"),
        ("0 0 31 4,6,9,NOV *", 4, "never due"),
        ("0 0 L-29 2 *", 4, "never due"),
        ("0 0 31W 2,4 *", 4, "never due"),
        ("0 0 15W * */6", 4, "never due"),
        ("0 0 L-31 * *", 6, "L-1 to L-30"),
        ("0 0 0W * *", 4, "use 1 to 31"),
        ("0 0 15W-3 * *", 4, "not a day of month"),
        ("0 0 L/2 * *", 4, "not a day of month"),
        ("0 0 * * L", 8, "6L"),
        ("0 0 * * MON#0", 12, "#1 to #5"),
        ("0 0 * * MON#6", 12, "#1 to #5"),
        ("0 0 * * MON#", 8, "not a day of week"),
        ("0 0 * * 9#1", 8, "use 0 to 6"),
        ("0 0 * * MON#1-FRI#2", 8, "not a day of week"),
        ("L 0 * * *", 0, "'L' is not a minute"),
        ("@reboot", 0, "no single start"),
        ("@fortnightly", 0, "There is no nickname"),
        ("@daily 5", 0, "There is no nickname"),
        ("@every", 6, "not a duration"),
        ("@every 5x", 7, "not a duration"),
        ("@every 500ms", 7, "finer than one second"),
        ("@every 1.5s", 7, "finer than one second"),
        ("@every 0s", 7, "finer than one second"),
        ("@every P1M", 8, "no fixed length"),
        ("ä * * * *", 0, "is not allowed"),
        ("* * * *\n* *", 7, "is not allowed"),
        ("* * \x00 * *", 4, "is not allowed"),
        ("٣ * * * *", 0, "is not allowed"),
        ("TZ=Europe/Riga * * * * *", 0, "not a second"),
    ],
)
def test_refused_with_position_and_sentence(expression: str, position: int, sentence: str) -> None:
    with pytest.raises(CronError) as caught:
        Cron.parse(expression)
    assert sentence in caught.value.message
    assert caught.value.position == position
    assert caught.value.details == {"position": position}
    assert caught.value.code == "invalid_cron"
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "hostile",
    [
        "*" * 10_000,
        "* " * 5_000,
        "1," * 5_000 + "1 * * * *",
        "0-59/1," * 1_000 + "0 * * * *",
        "H(" * 5_000,
        "@every " + "9" * 10_000,
        "@every " + "1h" * 5_000,
        "(" * 200 + " * * * *",
        "1-" * 100 + " * * * *",
        "9" * 250 + " * * *",
        "#" * 200 + " * * * *",
        "L" * 200 + " * * * *",
        "0 0 * * " + "MON#1," * 40 + "L",
    ],
)
def test_hostile_expressions_are_refused_with_little_work(hostile: str) -> None:
    with pytest.raises(CronError) as caught:
        Cron.parse(hostile)
    assert len(caught.value.message) < 300
    assert 0 <= caught.value.position <= 256


def test_the_longest_expressions_still_work() -> None:
    longest = ",".join(str(number) for number in range(60)) + " * * * *"
    assert len(longest) < 256
    assert parse_expression(longest).fields[1].mask == (1 << 60) - 1
    padded = "* * * * *" + " " * 247
    assert parse_expression(padded).fields[1].mask == (1 << 60) - 1
    with pytest.raises(CronError):
        parse_expression(padded + " ")


@pytest.mark.parametrize(
    "zone",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "/usr/share/zoneinfo/Europe/Riga",
        "Europe/../Europe/Riga",
        "Europe/Riga\x00",
        "Europe",
        "",
        " UTC",
        "UTC\n",
        "localtime",
        "posixrules",
        "tzdata.zi",
        "zone.tab",
        "EST5EDT4,M3.2.0,M11.1.0",
        "Europe/Ri" + "g" * 10_000,
        "\udc80",
        "Zürich",
    ],
)
def test_zones_that_are_not_of_the_database_are_refused(zone: str) -> None:
    with pytest.raises(CronError) as caught:
        Cron.parse("* * * * *", zone=zone)
    assert isinstance(caught.value, ZoneError)
    assert caught.value.code == "invalid_zone"
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("zone", "meant"), [("europe/riga", "Europe/Riga"), ("Amercia/New_York", "America/New_York"), ("utc", "UTC")]
)
def test_a_near_miss_is_named(zone: str, meant: str) -> None:
    with pytest.raises(ZoneError, match=f"did you mean '{meant}'"):
        Cron.parse("* * * * *", zone=zone)


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(TimingError, match="vixie, literal, skip_once, shift"):
        Cron.parse("* * * * *", dst="quartz")  # type: ignore[arg-type]


def test_all_refusals_are_invalid_input_to_the_rest_of_the_system() -> None:
    assert issubclass(CronError, TimingError)
    assert issubclass(TimingError, Invalid)
    assert issubclass(Invalid, DuetimeError)
