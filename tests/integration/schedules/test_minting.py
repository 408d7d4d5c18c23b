"""Occurrences on the real store: one after the other, each minted when the one before is launched."""

from __future__ import annotations

from datetime import timedelta

from harness.engine import Engine
from harness.schedules import MINUTE, add, at, ran, records


async def test_minutes_run_one_after_the_other(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *", message="{{schedule}} {{occurrence}} {{nominal}}")
    shown = await engine.schedules.show(user, schedule)
    assert shown.pending_nominal == engine.clock.now() + MINUTE
    assert await engine.count("jobs") == 1
    await engine.pass_time(180, step=30)
    start = at("2026-01-01T00:00:00Z")
    assert await ran(engine, user, schedule) == [start + MINUTE * n for n in (1, 2, 3)]
    assert [run.message for run in engine.bus.sent] == [f"s {n} 2026-01-01T00:0{n}:00Z" for n in (1, 2, 3)]
    assert [run.due_at for run in engine.bus.sent] == [run.execute_at for run in engine.bus.sent]
    shown = await engine.schedules.show(user, schedule)
    assert (shown.state, shown.occurrences, shown.version) == ("active", 3, 1)
    assert shown.pending_nominal == start + 4 * MINUTE
    assert await engine.count("jobs") == 1
    found = await records(engine, user, schedule)
    assert [(one.state, one.occurrence) for one in found] == [("succeeded", True)] * 3 + [("created", True)]


async def test_one_second_apart(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, every="1s", overlap="allow")
    await engine.pass_time(20, step=0.5)
    start = at("2026-01-01T00:00:00Z")
    assert await ran(engine, user, schedule) == [start + timedelta(seconds=n) for n in range(1, 21)]
