"""What a node knows of schedules saves it statements, and is never relied on when it is out of date."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Any

import pytest
from msgspec import structs

from duetime.clock.manual import ManualClock
from duetime.model.errors import StoreAway
from duetime.model.outcome import SUCCEEDED
from duetime.model.schedule import Overlap
from duetime.store.postgres.queries import sql
from duetime.store.schedule_port import ScheduleRow
from duetime.timing.calendars import Calendar
from harness.engine import Engine
from harness.schedules import MINUTE, add, at, follow, records, restart_at
from harness.wiretap import Wiretap

START = at("2026-01-01T00:00:00Z")
OCCURRENCES = 20
LAUNCH = sql("mint.launch_occurrences").splitlines()[0]
OVERLAPS: tuple[Overlap, ...] = ("allow", "skip", "queue", "cancel_running")


@pytest.fixture
async def heard(tap: Wiretap) -> AsyncIterator[Engine]:
    """An engine whose traffic can be seen."""
    made = await Engine(tap.dsn, ManualClock(START)).start()
    yield made
    await made.stop()


@pytest.mark.parametrize("first", [True, False], ids=["first", "second"])
@pytest.mark.parametrize("key", [None, "key"])
@pytest.mark.parametrize("overlap", OVERLAPS)
async def test_an_occurrence_goes_with_one_statement(
    heard: Engine, tap: Wiretap, overlap: Overlap, key: str | None, first: bool
) -> None:
    """The first one too: its schedule was read ahead with all others that come into sight."""
    user = await heard.user()
    for number in range(OCCURRENCES):
        await add(heard, user, f"{number}", every="60s", overlap=overlap, ordering_key=key and f"{key} {number}")
    if not first:
        await heard.pass_time(60, step=30)
    await heard.pass_time(58, step=29)
    await heard.pass_time(1)
    tap.clear()
    await heard.pass_time(1)
    assert len(heard.bus.sent) == (OCCURRENCES if first else 2 * OCCURRENCES)
    seen = tap.by_purpose()
    launches = [line for line in seen if line == LAUNCH]
    assert [seen.pop(line) for line in launches] == [1], tap
    assert [line for line in seen if "schedule" in line.lower() or "transaction" in line.lower()] == [], tap


async def test_a_calendar_that_changed_unheard_is_followed_at_once(engine: Engine) -> None:
    """What is pending stays as it is, so the schedule's own version does too; the next one is by the new dates."""
    user = await engine.user()
    holidays = await engine.calendars.create(user, Calendar("holidays", (date(2026, 1, 20),)), user)
    await restart_at(engine, at("2026-01-02T08:00:00Z"))
    schedule = await add(engine, user, cron="0 9 * * *", calendar="holidays")
    await follow(engine, user, schedule, at("2026-01-02T20:00:00Z"))
    assert [run.execute_at.day for run in engine.bus.sent] == [2]
    before = await engine.schedules.show(user, schedule)
    await engine.calendars.edit(user, holidays.id, Calendar("holidays", (date(2026, 1, 4),)), user)
    assert (await engine.schedules.show(user, schedule)).version == before.version
    await follow(engine, user, schedule, at("2026-01-03T09:00:00Z"))
    assert [run.execute_at.day for run in engine.bus.sent] == [2, 3]
    after = await engine.schedules.show(user, schedule)
    assert after.pending_nominal == at("2026-01-05T09:00:00Z")


async def test_a_pending_occurrence_that_was_cancelled_unheard_is_not_launched(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, every="60s")
    await engine.pass_time(119)
    pending = (await engine.schedules.show(user, schedule)).pending_job or 0
    await engine.control.cancel(user, pending, user)
    await engine.pass_time(1)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE]
    await engine.repair.run_once()
    await engine.pass_time(60)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE, START + 3 * MINUTE]


async def test_an_edit_of_a_known_schedule_is_what_runs(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, every="60s", message="before")
    await engine.pass_time(90)
    content = (await engine.schedules.show(user, schedule)).content
    await engine.schedules.edit(user, schedule, structs.replace(content, message="after"), user)
    await engine.pass_time(60)
    assert [run.message for run in engine.bus.sent] == ["before", "after"]


async def test_schedules_that_cannot_be_read_ahead_are_read_at_their_instant(engine: Engine) -> None:
    user, store = await engine.user(), engine.stores.mint
    await add(engine, user, every="60s")
    real = store.to_launch

    async def lost(ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        raise StoreAway

    store.to_launch = lost
    await engine.pass_time(59)
    store.to_launch = real
    await engine.pass_time(1)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE]


async def test_a_schedule_that_changes_while_it_is_planned_is_planned_again_at_once(engine: Engine) -> None:
    """Not by the safety net: everything happens at the one instant."""
    user, store = await engine.user(), engine.stores.mint
    schedule = await add(engine, user, every="60s", overlap="skip")
    engine.bus.answer = lambda run: None
    await engine.pass_time(119)
    launch = store.launch_and_mint

    async def meanwhile(*arguments: Any) -> Any:
        """The earlier occurrence ends after it stood in the way."""
        answer = await launch(*arguments)
        store.launch_and_mint = launch
        for job_id in list(engine.bus.open):
            engine.bus.end(job_id, SUCCEEDED)
        await engine.settle.drain()
        return answer

    store.launch_and_mint = meanwhile  # type: ignore[method-assign]
    await engine.pass_time(1)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE, START + 2 * MINUTE]
    assert [one.state for one in await records(engine, user, schedule)] == ["succeeded", "running", "created"]
