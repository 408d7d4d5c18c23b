"""Eight hours of downtime: every instant that passed is on record, under each misfire policy, and there is no storm."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from duetime.clock.manual import ManualClock
from duetime.model.schedule import Misfire, ScheduleRecord
from harness.engine import Engine
from harness.schedules import MINUTE, add, at, content, records, skip_to

START = at("2026-01-01T00:00:00Z")
HOURS = timedelta(hours=8)
MINUTES = 480
MANY = 1000
SLOTS = 100


@dataclass
class Storm:
    """The most that there was at once while the backlog was worked off."""

    running: int = 0
    stored: int = 0


@pytest.fixture
async def small(dsn: str) -> AsyncIterator[Engine]:
    """An engine with far fewer slots than there are schedules."""
    made = await Engine(dsn, ManualClock(), slots=SLOTS).start()
    yield made
    await made.stop()


async def come_back(engine: Engine, instant: datetime, turns: int = 20_000) -> Storm:
    """Be down until an instant, then work until all is done; every run holds its slot to the end of its turn."""
    storm, bus = Storm(), engine.bus
    bus.answer = lambda run: None
    engine.clock.advance_to(instant)
    await engine.retention.run_once()
    await engine.ownership.run_once()
    engine.due.restart()
    quiet = 0
    for _ in range(turns):
        engine.scheduler.decide(instant)
        await engine.scheduler.idle()
        storm.running = max(storm.running, len(bus.open))
        storm.stored = max(storm.stored, await engine.count("jobs"))
        quiet = 0 if bus.open or engine.pick.waiting or engine.due.wants_fill(instant) else quiet + 1
        if quiet == 3:
            return storm
        for job_id in list(bus.open):
            bus.end(job_id)
        await engine.settle.drain()
    raise AssertionError("there is no end to it")


async def ends(engine: Engine) -> list[Counter[str]]:
    """How the instants of each schedule ended: every single one of the eight hours, and none twice."""
    rows = await engine.pool.rows(
        "SELECT schedule_id, state::text, execute_at, covers_until, covers_count FROM history"
    )
    seen: dict[int, list[int]] = defaultdict(list)
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for schedule, state, nominal, until, count in rows:
        first, last = (nominal - START) // MINUTE, ((until or nominal) - START) // MINUTE
        assert (count or 1) == last - first + 1
        seen[schedule].extend(range(first, last + 1))
        found[schedule][state] += last - first + 1
    for schedule, instants in seen.items():
        assert sorted(instants) == list(range(1, MINUTES + 1)), schedule
    return list(found.values())


def accounted(found: list[ScheduleRecord]) -> int:
    return sum(one.count or 1 for one in found if one.state != "created")


async def registered(engine: Engine, user: int, count: int, **more: Any) -> list[int]:
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
    assert await ends(engine) == [Counter(succeeded=1, skipped=MINUTES - 1)] * MANY
    assert await engine.count("history") == MANY * 2
    assert await engine.count("jobs") == MANY


async def test_skip_records_all_that_is_late_and_goes_on(engine: Engine) -> None:
    user = await engine.user()
    ids = await registered(engine, user, MANY, misfire=Misfire(policy="skip", grace=10))
    await skip_to(engine, START + HOURS + timedelta(seconds=20))
    await engine.pass_time(10, step=2)  # a launch that met another transaction is found by the safety net
    assert not engine.bus.sent
    assert await ends(engine) == [Counter(skipped=MINUTES)] * MANY
    assert await engine.count("history") == MANY
    await engine.pass_time(30, step=10)
    await engine.pass_time(8, step=2)
    assert len(engine.bus.sent) == MANY
    found = await records(engine, user, ids[7])
    assert [(one.state, one.count) for one in found] == [("skipped", 480), ("succeeded", None), ("created", None)]


async def test_skip_launches_the_latest_within_its_grace(engine: Engine) -> None:
    user = await engine.user()
    (schedule,) = await registered(engine, user, 1, misfire=Misfire(policy="skip", grace=60))
    await skip_to(engine, START + HOURS + timedelta(seconds=30))
    assert [run.execute_at for run in engine.bus.sent] == [START + HOURS]
    assert accounted(await records(engine, user, schedule)) == 480


async def each_in_turn(engine: Engine, kept: int, **bounds: float) -> None:
    """A thousand schedules catch up: so many of each, in order, as many at once as there are slots."""
    user = await engine.user()
    ids = await registered(engine, user, MANY, misfire=Misfire(policy="fire_all", **bounds))
    storm = await come_back(engine, START + HOURS)
    assert storm.running == SLOTS
    assert storm.stored <= MANY + SLOTS
    wanted = Counter(succeeded=kept, skipped=MINUTES - kept)
    assert await ends(engine) == [+wanted] * MANY
    assert len(engine.bus.sent) == MANY * kept
    rows = await engine.pool.rows("SELECT id, schedule_id FROM history WHERE state = 'succeeded'")
    schedule_of = {row["id"]: row["schedule_id"] for row in rows}
    launched: dict[int, list[datetime]] = defaultdict(list)
    for run in engine.bus.sent:
        launched[schedule_of[run.job_id]].append(run.execute_at)
    last = [START + HOURS - MINUTE * n for n in reversed(range(kept))]
    assert launched == dict.fromkeys(ids, last)
    assert await engine.count("jobs") == MANY


async def test_fire_all_is_paced_and_bounded_by_count(small: Engine) -> None:
    await each_in_turn(small, 8, max_count=8, max_age=86_400.0)


async def test_fire_all_is_paced_and_bounded_by_age(small: Engine) -> None:
    await each_in_turn(small, 6, max_count=1000, max_age=330.0)


@pytest.mark.long
async def test_fire_all_launches_each_instant(small: Engine) -> None:
    await each_in_turn(small, MINUTES, max_count=1000, max_age=86_400.0)


async def test_fire_once_and_skip_are_paced(small: Engine) -> None:
    user = await small.user()
    await registered(small, user, MANY // 2)
    skipping = [
        content(f"skip{n}", cron="* * * * *", overlap="allow", misfire=Misfire(policy="skip", grace=60))
        for n in range(MANY // 2)
    ]
    await small.schedules.create(user, skipping, user)
    storm = await come_back(small, START + HOURS + timedelta(seconds=30))
    assert storm.running == SLOTS
    assert storm.stored <= MANY + SLOTS
    assert await ends(small) == [Counter(succeeded=1, skipped=MINUTES - 1)] * MANY
    assert {run.execute_at for run in small.bus.sent} == {START + HOURS}
    assert len(small.bus.sent) == MANY


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
    monkeypatch.setattr("duetime.engine.recurring.plan.CHUNK", 100)
    user = await engine.user()
    schedule = await add(engine, user, every="10s", overlap="allow")
    await skip_to(engine, START + timedelta(hours=2))
    for _ in range(8):
        await engine.settle_down()
    found = await records(engine, user, schedule)
    assert accounted(found) == 720
    assert max(one.count or 1 for one in found) == 100
    assert [run.execute_at for run in engine.bus.sent] == [START + timedelta(hours=2)]
