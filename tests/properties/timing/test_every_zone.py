"""Every zone around every change of its clocks from 2000 to 2037, under every policy, against the oracle."""

from __future__ import annotations

import pytest

from duetime.timing import DST_POLICIES, Cron, zone_table
from properties.timing.oracle import due_by_policy, moments
from properties.timing.stretches import DAY, SINCE, UNTIL, ZONES, Change, at, backward, changes, forward

BEFORE, AFTER = 3 * 3600, 7 * 3600 // 2
# All at multiples of five minutes, so that the oracle can probe every five minutes where the change allows it.
FEW = ("30 2 * * *", "15,45 0-3,23 * * *")
MORE = (
    *FEW,
    "*/20 * * * *",
    "30 1 * * *",
    "0 0 * * *",
    "0 3 * * *",
    "59 23 * * *",
    "*/7 2 * * *",
    "10 */2 * * *",
    "0-59/11 22-4 * * *",
    "0 0 1,15,L * *",
    "30 1 * * SUN",
    "0 * * * *",
)


def check(zone: str, change: Change, expressions: tuple[str, ...], *, step: int = 60) -> None:
    start, end = change.seconds - BEFORE, change.seconds + AFTER
    stretch = moments(zone, start, end, step)
    for expression in expressions:
        expected = due_by_policy(expression, stretch, step)
        for policy in DST_POLICIES:
            cron = Cron.parse(expression, zone=zone, dst=policy)
            where = (zone, at(change.seconds).isoformat(), expression, policy)
            assert (where, forward(cron, start, end)) == (where, expected[policy])
            assert (where, backward(cron, start, end)) == (where, expected[policy])


def table(zone: str) -> list[Change]:
    return [Change(one.begin, one.before, one.offset) for one in zone_table(zone).changes(SINCE, UNTIL)]


def different_changes() -> dict[Change, str]:
    """Each change once: zones that change at the same instant between the same offsets behave alike there."""
    return {change: zone for zone in ZONES for change in table(zone)}


def test_every_change_of_every_zone() -> None:
    found = different_changes()
    assert len(found) > 3000
    for change, zone in found.items():
        check(zone, change, FEW, step=60 if change.seconds % 300 else 300)


def test_every_shape_of_change_with_more_expressions() -> None:
    shapes = {
        ((change.seconds + change.before) % DAY, change.after - change.before): (change, zone)
        for change, zone in different_changes().items()
    }
    assert len(shapes) > 40
    for change, zone in shapes.values():
        check(zone, change, MORE)


@pytest.mark.long
@pytest.mark.parametrize("zone", ZONES)
def test_the_whole_product(zone: str) -> None:
    expected = changes(zone)
    assert table(zone) == expected
    for change in expected:
        check(zone, change, MORE)
