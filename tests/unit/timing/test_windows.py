"""Windows: what they contain, when they open and close, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from duetime.timing import Window, WindowError, ZoneError

RIGA = ZoneInfo("Europe/Riga")


def riga(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=RIGA)


def test_office_hours() -> None:
    window = Window.parse("MON-FRI 09:00-17:00", zone="Europe/Riga")
    friday = riga("2026-01-02T16:59:59.999999")
    assert window.contains(friday)
    assert window.next_opening(friday) == friday
    assert window.next_closing(friday) == riga("2026-01-02T17:00")
    assert not window.contains(riga("2026-01-02T17:00"))
    assert window.next_opening(riga("2026-01-02T17:00")) == riga("2026-01-05T09:00")
    assert window.next_opening(riga("2026-01-05T08:59:59.5")) == riga("2026-01-05T09:00")
    assert window.contains(riga("2026-01-05T09:00"))


def test_across_midnight_and_across_the_week() -> None:
    window = Window.parse("FRI,SUN 22:00-06:00", zone="Europe/Riga")
    assert window.contains(riga("2026-01-03T05:59"))
    assert not window.contains(riga("2026-01-03T22:30"))
    assert window.contains(riga("2026-01-04T23:00"))
    assert window.contains(riga("2026-01-05T05:59"))
    assert window.next_closing(riga("2026-01-04T23:00")) == riga("2026-01-05T06:00")
    assert window.next_opening(riga("2026-01-05T06:00")) == riga("2026-01-09T22:00")


def test_several_parts_join() -> None:
    window = Window.parse("MON-FRI 09:00-12:00,13:00-17:00; sat 10:00-14:00")
    at = datetime(2026, 1, 5, 12, 30, tzinfo=UTC)
    assert not window.contains(at)
    assert window.next_opening(at) == datetime(2026, 1, 5, 13, tzinfo=UTC)
    assert window.contains(datetime(2026, 1, 10, 13, 59, tzinfo=UTC))
    whole = Window.parse("DAILY 00:00-12:00, 12:00-24:00".replace(", ", ","))
    assert whole.next_closing(at) is None
    assert Window.parse("00:00-24:00").next_closing(at) is None
    assert Window.parse("* 06:00-05:00").next_opening(datetime(2026, 1, 5, 5, 30, tzinfo=UTC)) == datetime(
        2026, 1, 5, 6, tzinfo=UTC
    )
    assert Window.parse("SAT-MON 9:00-10:00").contains(datetime(2026, 1, 4, 9, tzinfo=UTC))


def test_an_opening_in_the_gap_is_its_end() -> None:
    window = Window.parse("SUN 03:30-05:00", zone="Europe/Riga")
    assert window.next_opening(riga("2026-03-29T02:00")) == riga("2026-03-29T04:00")
    swallowed = Window.parse("SUN 03:00-04:00", zone="Europe/Riga")
    assert swallowed.next_opening(riga("2026-03-29T02:00")) == riga("2026-04-05T03:00")


def test_an_hour_that_comes_twice_is_inside_twice() -> None:
    window = Window.parse("SUN 03:00-03:30", zone="Europe/Riga")
    first, second = datetime(2026, 10, 25, 0, 10, tzinfo=UTC), datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    assert window.contains(first)
    assert window.contains(second)
    assert window.next_closing(first) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert window.next_opening(datetime(2026, 10, 25, 0, 30, tzinfo=UTC)) == datetime(2026, 10, 25, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("MON-FRI", 0),
        ("09:00", 0),
        ("MON 09:00-09:00", 4),
        ("MON 24:00-05:00", 4),
        ("MON 09:00-24:01", 4),
        ("MON 09:60-10:00", 4),
        ("MON 9-17", 4),
        ("MON 09:00-12:00,13-14", 16),
        ("MON-XXX 09:00-17:00", 0),
        ("MON,FOO 09:00-17:00", 4),
        ("MON-FRI 09:00-17:00; SAT", 20),
        ("MON 09:00-17:00;", 16),
        ("MÖN 09:00-17:00", 0),
        ("MON-FRI 09:00-17:00" * 100, 0),
        ("*" * 400, 0),
        ("MON," * 100 + "MON 09:00", 404),
    ],
)
def test_refused(text: str, position: int) -> None:
    with pytest.raises(WindowError) as caught:
        Window.parse(text)
    assert caught.value.position == position
    assert caught.value.message.endswith(".")
    assert len(caught.value.message) < 200


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ZoneError):
        Window.parse("MON 09:00-17:00", zone="../../etc/passwd")
