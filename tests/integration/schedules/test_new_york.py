"""Daily schedules in New York through both changes of the clocks, under each policy, end to end."""

from __future__ import annotations

import pytest

from harness.engine import Engine
from harness.schedules import add, at, follow, ran, records, restart_at

SPRING, AUTUMN = "2026-03-06T12:00:00Z", "2026-10-30T12:00:00Z"
"""The clocks go forward on 2026-03-08 at 07:00Z, and back on 2026-11-01 at 06:00Z."""

CASES = [
    (SPRING, "30 2 * * *", "vixie", ["03-07T07:30", "03-08T07:00", "03-09T06:30"]),
    (SPRING, "30 2 * * *", "literal", ["03-07T07:30", "03-09T06:30"]),
    (SPRING, "30 2 * * *", "skip_once", ["03-07T07:30", "03-09T06:30"]),
    (SPRING, "30 2 * * *", "shift", ["03-07T07:30", "03-08T07:30", "03-09T06:30"]),
    (SPRING, "30 1 * * *", "vixie", ["03-07T06:30", "03-08T06:30", "03-09T05:30"]),
    (SPRING, "30 1 * * *", "literal", ["03-07T06:30", "03-08T06:30", "03-09T05:30"]),
    (SPRING, "30 1 * * *", "skip_once", ["03-07T06:30", "03-08T06:30", "03-09T05:30"]),
    (SPRING, "30 1 * * *", "shift", ["03-07T06:30", "03-08T06:30", "03-09T05:30"]),
    (AUTUMN, "30 1 * * *", "vixie", ["10-31T05:30", "11-01T05:30", "11-02T06:30"]),
    (AUTUMN, "30 1 * * *", "literal", ["10-31T05:30", "11-01T05:30", "11-01T06:30", "11-02T06:30"]),
    (AUTUMN, "30 1 * * *", "skip_once", ["10-31T05:30", "11-01T05:30", "11-02T06:30"]),
    (AUTUMN, "30 1 * * *", "shift", ["10-31T05:30", "11-01T05:30", "11-02T06:30"]),
    (AUTUMN, "30 2 * * *", "vixie", ["10-31T06:30", "11-01T07:30", "11-02T07:30"]),
    (AUTUMN, "30 2 * * *", "literal", ["10-31T06:30", "11-01T07:30", "11-02T07:30"]),
    (AUTUMN, "30 2 * * *", "skip_once", ["10-31T06:30", "11-01T07:30", "11-02T07:30"]),
    (AUTUMN, "30 2 * * *", "shift", ["10-31T06:30", "11-01T07:30", "11-02T07:30"]),
]


@pytest.mark.parametrize(("start", "cron", "dst", "expected"), CASES)
async def test_fired_when_the_table_says_each_once(
    engine: Engine, start: str, cron: str, dst: str, expected: list[str]
) -> None:
    await restart_at(engine, at(start))
    user = await engine.user()
    schedule = await add(engine, user, cron=cron, zone="America/New_York", dst_policy=dst)
    wanted = [at(f"2026-{one}:00Z") for one in expected]
    fired: list[object] = []
    engine.bus.answer = lambda run, succeed=engine.bus.answer: fired.append(engine.clock.now()) or succeed(run)
    await follow(engine, user, schedule, wanted[-1])
    assert fired == wanted
    assert await ran(engine, user, schedule) == wanted
    assert [one.state for one in await records(engine, user, schedule)] == ["succeeded"] * len(wanted) + ["created"]
