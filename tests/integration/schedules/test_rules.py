"""Overlap, lanes, windows, calendars, zones, backfill: the rules of a schedule on the real store."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from duetime.api.schedules.bodies import ScheduleBody
from duetime.api.schedules.parse import parse_schedule
from duetime.engine import slices
from duetime.model.definition import Definition
from duetime.model.errors import Conflict, Invalid
from duetime.model.outcome import CANCELLED, SUCCEEDED, failed
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from duetime.timing.calendars import Calendar
from duetime.timing.spec import Timing
from harness.engine import Engine
from harness.schedules import MINUTE, add, at, content, follow, ran, records, restart_at, skip_to

START = at("2026-01-01T00:00:00Z")
ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1), on_failure="skip"))


async def test_overlap_skip(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    schedule = await add(engine, user, cron="* * * * *", overlap="skip")
    await engine.pass_time(180, step=30)
    assert len(engine.bus.sent) == 1
    found = await records(engine, user, schedule)
    assert [(one.state, one.nominal) for one in found] == [
        ("running", START + MINUTE),
        ("skipped", START + 2 * MINUTE),
        ("skipped", START + 3 * MINUTE),
        ("created", START + 4 * MINUTE),
    ]
    assert found[1].reason == "overlap: an earlier occurrence had not finished"
    engine.bus.end(engine.bus.sent[0].job_id)
    await engine.pass_time(60, step=30)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE, START + 4 * MINUTE]


async def test_overlap_skip_holds_while_a_retry_waits(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: failed("x", "no")
    slow = Definition(policy=Policy(retry=Retry(max_attempts=2, backoff="fixed", base=90, jitter="none")))
    schedule = await add(engine, user, cron="* * * * *", overlap="skip", definition=slow)
    await engine.pass_time(180, step=30)
    states = [one.state for one in await records(engine, user, schedule)]
    assert states == ["dead", "skipped", "created", "created"]


async def test_overlap_allow(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    await add(engine, user, cron="* * * * *", overlap="allow")
    await engine.pass_time(180, step=30)
    assert len(engine.bus.open) == 3


@pytest.mark.parametrize("key", [None, "k"])
async def test_overlap_queue_runs_each_one_after_the_other(engine: Engine, key: str | None) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    schedule = await add(engine, user, cron="* * * * *", overlap="queue", ordering_key=key, definition=ONCE)
    await engine.pass_time(300, step=30)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE]
    await engine.schedules.pause(user, schedule, user)
    for minute in range(2, 6):
        engine.bus.end(engine.bus.sent[-1].job_id, failed("x", "no") if minute == 3 else SUCCEEDED)
        await engine.settle_down()
        assert [run.execute_at for run in engine.bus.sent] == [START + n * MINUTE for n in range(1, minute + 1)]
    engine.bus.end(engine.bus.sent[-1].job_id)
    await engine.settle_down()
    states = [one.state for one in await records(engine, user, schedule)]
    assert states == ["succeeded", "dead", "succeeded", "succeeded", "succeeded"]
    assert await engine.count("jobs") == await engine.count("in_flight") == 0


async def test_occurrences_that_go_with_their_lane_stay_occurrences_on_record(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    schedule = await add(engine, user, cron="* * * * *", overlap="queue")
    await engine.pass_time(180, step=30)
    await engine.dead_letters.clear(user, f"schedule:{schedule}", user)
    cleared = [one for one in await records(engine, user, schedule) if one.state == "cancelled"]
    assert [(one.nominal, one.occurrence) for one in cleared] == [(START + n * MINUTE, True) for n in (2, 3)]


@pytest.mark.parametrize("overlap", ["skip", "cancel_running"])
async def test_a_redriven_occurrence_goes_beside_those_that_are_due(engine: Engine, overlap: str) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: failed("x", "no")
    schedule = await add(engine, user, cron="* * * * *", overlap=overlap, definition=ONCE)
    await engine.pass_time(60, step=30)
    engine.bus.answer = lambda run: None
    first = engine.bus.sent[0].job_id
    assert await engine.dead_letters.redrive(user, [first], None, user) == [first]
    await engine.pass_time(60, step=30)
    assert engine.stopped == []
    found = await records(engine, user, schedule)
    assert [(one.nominal, one.state, one.occurrence) for one in found[:2]] == [
        (START + MINUTE, "running", False),
        (START + 2 * MINUTE, "running", True),
    ]


async def test_occurrences_share_a_lane_with_jobs(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    first = await engine.add(user, "by hand", after=30, lane="k")
    await add(engine, user, cron="* * * * *", overlap="allow", ordering_key="k", message="recurring")
    await engine.pass_time(90, step=10)
    assert [run.job_id for run in engine.bus.sent] == [first]
    engine.bus.end(first)
    await engine.settle_down()
    assert [run.message for run in engine.bus.sent] == ["by hand", "recurring"]


async def test_overlap_cancel_running(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    await add(engine, user, cron="* * * * *", overlap="cancel_running")
    await engine.pass_time(120, step=30)
    first, second = engine.bus.sent
    assert engine.stopped == [first.job_id]
    engine.bus.end(first.job_id, CANCELLED, asked=True)
    await engine.settle_down()
    assert (await engine.insight.job(user, first.job_id)).state is JobState.CANCELLED
    assert (await engine.insight.job(user, second.job_id)).state is JobState.RUNNING


async def test_expired_occurrences_are_skipped_as_such(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 * * * *", expires_after=600.0)
    await skip_to(engine, START + timedelta(hours=1, minutes=20))
    found = await records(engine, user, schedule)
    assert [(one.state, (one.reason or "")[:7]) for one in found] == [("skipped", "expired"), ("created", "")]


async def test_windows_move_and_skip(engine: Engine) -> None:
    await restart_at(engine, at("2026-01-05T12:00:00Z"))
    user = await engine.user()
    window = {"cron": "0 */4 * * *", "window": "MON-FRI 09:00-17:00"}
    move = await add(engine, user, "move", **window, window_policy="move", overlap="allow")
    skip = await add(engine, user, "skip", **window, window_policy="skip")
    await follow(engine, user, move, at("2026-01-06T12:30:00Z"))
    await follow(engine, user, skip, at("2026-01-06T16:30:00Z"))
    moved = [(one.nominal.hour, one.state, one.count) for one in await records(engine, user, move)]
    assert moved[:3] == [(16, "succeeded", None), (20, "skipped", 3), (8, "succeeded", None)]
    launched = {run.execute_at: run.due_at for run in engine.bus.sent}
    assert launched[at("2026-01-06T08:00:00Z")] == at("2026-01-06T09:00:00Z")
    skipped = [one for one in await records(engine, user, skip) if one.state == "skipped"]
    assert [(one.nominal, one.count, one.reason) for one in skipped] == [
        (at("2026-01-05T20:00:00Z"), 4, "window: outside its hours")
    ]


async def test_moved_runs_and_retries_keep_off_excluded_dates(engine: Engine) -> None:
    """The 1st and the 2nd are excluded, so that a run moved by the window waits until the 5th, a Monday."""
    user = await engine.user()
    await engine.calendars.create(user, Calendar("holidays", (date(2025, 12, 31), date(2026, 1, 2))), user)
    body = ScheduleBody(
        name="s",
        cron="0 20 * * *",
        calendar="holidays",
        window="MON-FRI 09:00-17:00",
        retry=Retry(max_attempts=3, backoff="fixed", base=2 * 86_400, cap=2 * 86_400, jitter="none"),
    )
    made = parse_schedule(body, user_id=user, now=START, max_message_bytes=1000)
    (schedule,) = await engine.schedules.create(user, [made], user)
    shown = await engine.schedules.show(user, schedule)
    assert (shown.pending_nominal, shown.pending_due) == (at("2026-01-01T20:00:00Z"), at("2026-01-05T09:00:00Z"))
    holidays = await engine.calendars.list(user, 0, 1)
    dates = (*holidays[0].calendar.dates, date(2026, 1, 7), date(2026, 1, 8))
    await engine.calendars.edit(user, holidays[0].id, Calendar("holidays", dates), user)
    engine.bus.answer = lambda run: failed("x", "no")
    await skip_to(engine, at("2026-01-05T09:00:00Z"))
    assert len(engine.bus.sent) == 1
    job = await engine.insight.job(user, engine.bus.sent[0].job_id)
    assert (job.state, job.due_at) == (JobState.CREATED, at("2026-01-09T09:00:00Z"))


async def test_long_computations_let_other_tasks_run(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these examines thousands of candidates, and offers the event loop to others again and again."""
    monkeypatch.setattr(slices, "LONGEST", 0.0)
    monkeypatch.setattr(slices, "LONGEST_OF_REQUEST", 0.0)
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(engine.clock, "sleep", pause)
    monkeypatch.setattr(slices.RequestSlices, "_give_way", lambda _: pause(0))

    def offered() -> int:
        found = pauses.count(0)
        pauses.clear()
        return found

    user = await engine.user()
    crons = tuple(f"{minute} 3 * * *" for minute in range(60))
    never: dict[str, Any] = {"cron": crons, "window": "09:00-17:00", "window_policy": "skip"}
    await engine.schedules.preview_of(user, Timing(**never), "s", 100, None)
    assert offered() > 100
    await engine.schedules.preview_of(user, Timing(rrule="FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29"), "s", 1000, None)
    assert offered() >= 5
    with pytest.raises(Invalid, match="No instant of this timing that runs was found up to"):
        await add(engine, user, "never", **never)
    assert offered() > 50
    schedule = await add(engine, user, "often", cron="* * * * * *")
    await engine.schedules.pause(user, schedule, user)
    engine.clock.advance_to(START + timedelta(hours=6))
    offered()
    await engine.schedules.resume(user, schedule, user)
    assert offered() > 100
    await skip_to(engine, START + timedelta(hours=8))
    assert offered() > 30
    assert [one.count for one in await records(engine, user, schedule) if one.count][:1] == [6 * 3600]


async def test_a_changed_calendar_moves_what_is_pending(engine: Engine) -> None:
    user = await engine.user()
    holidays = await engine.calendars.create(user, Calendar("holidays", (date(2026, 1, 2),)), user)
    schedule = await add(engine, user, cron="0 9 * * *", calendar="holidays")
    await follow(engine, user, schedule, at("2026-01-01T10:00:00Z"))
    assert (await engine.schedules.show(user, schedule)).pending_nominal == at("2026-01-03T09:00:00Z")
    await engine.calendars.edit(user, holidays.id, Calendar("holidays", (date(2026, 1, 3),)), user)
    shown = await engine.schedules.show(user, schedule)
    assert shown.pending_nominal == at("2026-01-02T09:00:00Z")
    assert await engine.count("jobs") == 1
    await follow(engine, user, schedule, at("2026-01-04T10:00:00Z"))
    assert [one.day for one in await ran(engine, user, schedule)] == [1, 2, 4]
    skipped = [one for one in await records(engine, user, schedule) if one.state == "skipped"]
    assert [(one.nominal.day, one.reason) for one in skipped] == [(3, "calendar: the date is excluded")]
    with pytest.raises(Conflict):
        await engine.calendars.delete(user, holidays.id, user)
    with pytest.raises(Invalid, match="no calendar 'other'"):
        await add(engine, user, "other", cron="0 9 * * *", calendar="other")


async def test_other_time_zone_data_moves_what_is_pending(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 9 * * *", zone="Europe/Riga")
    await engine.repair.run_once()
    before = await engine.schedules.show(user, schedule)
    # As if it had been worked out when Riga's offset was another.
    await engine.pool.run(
        "UPDATE schedules SET pending_nominal = pending_nominal + interval '1 hour',"
        " pending_due = pending_due + interval '1 hour'"
    )
    await engine.pool.run("UPDATE schedule_facts SET value = '2000a'")
    engine.repair._zones_known = False
    await engine.repair.run_once()
    after = await engine.schedules.show(user, schedule)
    assert (after.pending_nominal, after.version) == (before.pending_nominal, before.version + 1)
    assert await engine.count("jobs") == 1
    await engine.repair.run_once()
    assert (await engine.schedules.show(user, schedule)).version == after.version


async def test_jitter_is_late_by_less_than_its_span_and_always_the_same(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="*/10 * * * *", jitter="5m")
    rows = (await engine.schedules.preview(user, schedule, 6, None))[1].rows
    await follow(engine, user, schedule, START + timedelta(minutes=59, seconds=59))
    assert [(run.execute_at, run.due_at) for run in engine.bus.sent] == [
        (row.nominal, row.run_at) for row in rows if row.run_at < engine.clock.now()
    ]
    assert len({row.run_at - row.nominal for row in rows}) == 6
    assert all(timedelta(0) <= row.run_at - row.nominal < timedelta(minutes=5) for row in rows)


async def test_run_now_is_beside_the_occurrences(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 * * * *", message="{{nominal}}", overlap="skip")
    engine.bus.answer = lambda run: None
    job = await engine.backfill.run_now(user, schedule, user)
    await engine.settle_down()
    assert [(run.job_id, run.message) for run in engine.bus.sent] == [(job, "2026-01-01T00:00:00Z")]
    found = await records(engine, user, schedule)
    assert [(one.occurrence, one.state) for one in found] == [(False, "running"), (True, "created")]
    await follow(engine, user, schedule, START + timedelta(hours=1))
    assert len(engine.bus.sent) == 2


async def test_backfill_is_shown_first_and_paced(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 * * * *", message="{{nominal}}")
    yesterday = START - timedelta(days=1)
    shown = await engine.backfill.fill(user, schedule, yesterday, START, user, pace=MINUTE, dry_run=True)
    assert (len(shown.nominals), shown.ids) == (24, [])
    assert shown.last_at == START + 23 * MINUTE
    assert await engine.count("jobs") == 1
    made = await engine.backfill.fill(user, schedule, yesterday, START, user, pace=MINUTE)
    assert len(made.ids) == 24
    await engine.pass_time(60 * 23, step=60)
    assert [run.execute_at for run in engine.bus.sent] == shown.nominals
    assert [run.due_at for run in engine.bus.sent] == [START + n * MINUTE for n in range(24)]
    assert engine.bus.sent[0].message == "2025-12-31T00:00:00Z"
    with pytest.raises(Invalid, match="later than now"):
        await engine.backfill.fill(user, schedule, START, START + timedelta(days=9), user)


async def test_bulk_is_all_or_nothing(engine: Engine) -> None:
    user = await engine.user()
    many = [content(f"s{n}", cron="H H * * *") for n in range(3000)]
    ids = await engine.schedules.create(user, many, user)
    assert len(set(ids)) == await engine.count("schedules") == await engine.count("jobs") == 3000
    listed = await engine.schedules.list(user, 0, 1000)
    assert [one.id for one in listed] == ids[:1000]
    assert len({one.pending_nominal for one in listed}) > 400
    with pytest.raises(Conflict, match="'s7'") as taken:
        await engine.schedules.create(user, [content("new", cron="0 0 * * *"), content("s7", cron="0 0 * * *")], user)
    assert taken.value.details == {"index": 1}
    with pytest.raises(Invalid) as wrong:
        await engine.schedules.create(user, [content("x", cron="0 0 * * *"), content("y", cron="61 * * * *")], user)
    assert wrong.value.message.startswith("Schedule 1: ")
    assert wrong.value.details["index"] == 1
    assert await engine.count("schedules") == 3000


async def test_idle_schedules_cost_no_reading(engine: Engine) -> None:
    user = await engine.user()
    await engine.schedules.create(user, [content(f"s{n}", cron="0 0 1 1 *") for n in range(500)], user)
    await engine.settle_down()
    assert len(engine.backlog) == 0
    assert await engine.stores.schedules.needing_repair(10) == []
