"""Eight hours of downtime: every instant that passed is on record, under each misfire policy, and there is no storm."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duetime.model.schedule import Misfire, ScheduleRecord
from harness.engine import Engine
from harness.schedules import MINUTE, add, at, content, records, skip_to

START = at("2026-01-01T00:00:00Z")
HOURS = timedelta(hours=8)
MANY = 1000


def accounted(found: list[ScheduleRecord]) -> int:
    return sum(one.count or 1 for one in found if one.state != "created")


async def registered(engine: Engine, user: int, count: int, **more: object) -> list[int]:
    contents = [content(f"s{n}", cron="* * * * *", overlap="allow", **more) for n in range(count)]
    return await engine.schedules.create(user, contents, user)


@pytest.mark.parametrize("lateness", [0, 30])
async def test_fire_once_folds_all_but_the_latest(engine: Engine, lateness: int) -> None:
    user = await engine.user()
    ids = await registered(engine, user, MANY)
    await skip_to(engine, START + HOURS + timedelta(seconds=lateness))
    assert len(engine.bus.sent) == MANY
    assert {run.execute_at for run in engine.bus.sent} == {START + HOURS}
    for schedule in ids[:: MANY // 5]:
        skipped, launched, coming = await records(engine, user, schedule)
        assert (skipped.state, skipped.nominal, skipped.until) == ("skipped", START + MINUTE, START + HOURS - MINUTE)
        assert (skipped.count, skipped.reason) == (479, "misfire: folded into the run of a later instant")
        assert (launched.state, launched.nominal) == ("succeeded", START + HOURS)
        assert (coming.state, coming.nominal) == ("created", START + HOURS + MINUTE)
    total = await engine.pool.row("SELECT sum(coalesce(covers_count, 1)) AS n, count(*) AS rows FROM history")
    assert (total["n"], total["rows"]) == (MANY * 480, MANY * 2)
    assert await engine.count("jobs") == MANY


async def test_skip_records_all_that_is_late_and_goes_on(engine: Engine) -> None:
    user = await engine.user()
    ids = await registered(engine, user, MANY, misfire=Misfire(policy="skip", grace=10))
    await skip_to(engine, START + HOURS + timedelta(seconds=30))
    assert not engine.bus.sent
    total = await engine.pool.row(
        "SELECT sum(covers_count) AS n, count(*) AS rows FROM history WHERE state = 'skipped'"
    )
    assert (total["n"], total["rows"]) == (MANY * 480, MANY)
    await engine.pass_time(30, step=10)
    assert len(engine.bus.sent) == MANY
    found = await records(engine, user, ids[7])
    assert [(one.state, one.count) for one in found] == [("skipped", 480), ("succeeded", None), ("created", None)]


async def test_skip_launches_the_latest_within_its_grace(engine: Engine) -> None:
    user = await engine.user()
    (schedule,) = await registered(engine, user, 1, misfire=Misfire(policy="skip", grace=60))
    await skip_to(engine, START + HOURS + timedelta(seconds=30))
    assert [run.execute_at for run in engine.bus.sent] == [START + HOURS]
    assert accounted(await records(engine, user, schedule)) == 480


async def test_fire_all_launches_each_in_turn_and_paced(engine: Engine) -> None:
    user, many = await engine.user(), 20
    ids = await registered(engine, user, many, misfire=Misfire(policy="fire_all", max_count=1000))
    open_at_once: list[int] = []
    engine.bus.answer = lambda run, succeed=engine.bus.answer: open_at_once.append(len(engine.bus.open)) or succeed(run)
    waiting: list[int] = []
    engine.clock.advance_to(START + HOURS)
    await engine.ownership.run_once()
    engine.due.restart()
    while len(engine.bus.sent) < many * 480:
        engine.scheduler.turn(engine.clock.now())
        await engine.scheduler.idle()
        waiting.append(await engine.count("jobs"))
        await engine.settle.drain()
    assert max(waiting) <= 2 * many
    for schedule in ids:
        nominals = [run.execute_at for run in engine.bus.sent if run.message == "m" and run.job_id]
        assert len(nominals) == many * 480
        found = await records(engine, user, schedule)
        assert [one.nominal for one in found] == [START + MINUTE * n for n in range(1, 482)]
        assert [one.state for one in found] == ["succeeded"] * 480 + ["created"]


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [({"max_count": 100, "max_age": 86400.0}, 100), ({"max_count": 1000, "max_age": 3600.0}, 61)],
)
async def test_fire_all_is_bounded_by_count_and_age(engine: Engine, bounds: dict[str, float], kept: int) -> None:
    user = await engine.user()
    (schedule,) = await registered(engine, user, 1, misfire=Misfire(policy="fire_all", **bounds))
    await skip_to(engine, START + HOURS)
    skipped, *launched, coming = await records(engine, user, schedule)
    assert (skipped.count, skipped.reason) == (480 - kept, "misfire: beyond the bounds of fire_all")
    assert [one.nominal for one in launched] == [START + HOURS - MINUTE * n for n in reversed(range(kept))]
    assert {one.state for one in launched} == {"succeeded"}
    assert coming.nominal == START + HOURS + MINUTE


async def test_a_long_time_is_accounted_for_in_bounded_steps(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duetime.engine.occurrence.CHUNK", 100)
    user = await engine.user()
    schedule = await add(engine, user, every="10s", overlap="allow")
    await skip_to(engine, START + timedelta(hours=2))
    for _ in range(8):
        await engine.settle_down()
    found = await records(engine, user, schedule)
    assert accounted(found) == 720
    assert max(one.count or 1 for one in found) == 100
    assert [run.execute_at for run in engine.bus.sent] == [START + timedelta(hours=2)]
