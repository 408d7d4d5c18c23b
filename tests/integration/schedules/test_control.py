"""Pausing, changing and removing schedules, also while they mint: after the answer nothing starts that must not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from duetime.clock.manual import ManualClock
from duetime.model.errors import Conflict, Invalid, NotFound
from duetime.model.job import JobEdit
from duetime.model.labels import ANY
from duetime.model.schedule import Misfire
from harness.engine import Engine, gather
from harness.schedules import MINUTE, add, at, content, ran, records, skip_to

START = at("2026-01-01T00:00:00Z")


async def test_pause_and_resume(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *")
    await engine.pass_time(60, step=30)
    paused = await engine.schedules.pause(user, schedule, user)
    assert (paused.state, paused.pending_job) == ("paused", None)
    assert await engine.count("jobs") == 0
    await engine.pass_time(1800, step=600)
    assert len(engine.bus.sent) == 1
    resumed = await engine.schedules.resume(user, schedule, user)
    assert (resumed.state, resumed.pending_nominal) == ("active", START + 32 * MINUTE)
    first, skipped, _ = await records(engine, user, schedule)
    assert first.state == "succeeded"
    assert (skipped.state, skipped.nominal, skipped.until) == ("skipped", START + 2 * MINUTE, START + 31 * MINUTE)
    assert (skipped.count, skipped.reason) == (30, "paused: it passed while the schedule was paused")
    await engine.pass_time(60, step=30)
    assert len(engine.bus.sent) == 2
    assert (await engine.schedules.resume(user, schedule, user)).version == resumed.version


async def test_delete(engine: Engine) -> None:
    user, stranger = await engine.user("a"), await engine.user("b")
    schedule = await add(engine, user, cron="* * * * *")
    for verb in (engine.schedules.delete, engine.schedules.pause, engine.schedules.resume):
        with pytest.raises(NotFound):
            await verb(stranger, schedule, stranger)
    await engine.schedules.delete(user, schedule, user)
    await engine.pass_time(120, step=30)
    assert not engine.bus.sent
    assert await engine.count("jobs") == await engine.count("in_flight") == 0
    with pytest.raises(NotFound):
        await engine.schedules.show(user, schedule)
    await add(engine, user, cron="* * * * *")


async def test_an_edit_counts_at_once(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="*/10 * * * *", message="old")
    edited = await engine.schedules.edit(user, schedule, content(cron="*/2 * * * *", message="new"), user)
    assert (edited.version, edited.pending_nominal, edited.content.message) == (2, START + 2 * MINUTE, "new")
    await engine.pass_time(600, step=60)
    assert await ran(engine, user, schedule) == [START + n * MINUTE for n in (2, 4, 6, 8, 10)]
    assert {run.message for run in engine.bus.sent} == {"new"}


async def test_an_edit_of_the_template_keeps_the_instant_that_has_come(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 * * * *", message="old")
    engine.clock.advance_to(START + timedelta(hours=1, minutes=5))
    await engine.ownership.run_once()
    await engine.schedules.edit(user, schedule, content(cron="0 * * * *", message="new"), user)
    await skip_to(engine, engine.clock.now())
    assert [(run.message, run.execute_at) for run in engine.bus.sent] == [("new", START + timedelta(hours=1))]


async def test_an_edit_of_the_timing_leaves_no_instant_of_the_past_unaccounted_for(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="0 * * * *")
    engine.clock.advance_to(START + timedelta(hours=3, minutes=5))
    await engine.ownership.run_once()
    await engine.schedules.edit(user, schedule, content(cron="30 * * * *"), user)
    await skip_to(engine, engine.clock.now())
    first, rest, coming = await records(engine, user, schedule)
    assert (first.state, first.nominal) == ("succeeded", START + timedelta(hours=1))
    assert (rest.state, rest.count, rest.nominal) == ("skipped", 2, START + timedelta(hours=2))
    assert (rest.reason or "").startswith("edited")
    assert coming.nominal == START + timedelta(hours=3, minutes=30)


async def test_refused_edits(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, "a", cron="0 * * * *")
    await add(engine, user, "b", cron="0 * * * *")
    with pytest.raises(Conflict, match="another schedule with the name 'b'"):
        await engine.schedules.edit(user, schedule, content("b", cron="0 * * * *"), user)
    with pytest.raises(Invalid, match="no instant in the future"):
        await engine.schedules.edit(user, schedule, content("a", at=(START,)), user)
    with pytest.raises(Conflict, match="is already a schedule with the name 'a'"):
        await add(engine, user, "a", cron="0 * * * *")
    assert await engine.count("schedules") == await engine.count("jobs") == 2


async def test_cancelling_the_pending_job_skips_just_that_one(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *")
    pending = (await engine.schedules.show(user, schedule)).pending_job
    await engine.control.cancel(user, pending, user)
    await engine.repair.run_once()
    assert (await engine.schedules.show(user, schedule)).pending_nominal == START + 2 * MINUTE
    await engine.pass_time(120, step=30)
    assert await ran(engine, user, schedule) == [START + 2 * MINUTE]


@pytest.mark.parametrize("more", [{}, {"ordering_key": "k"}, {"overlap": "queue"}])
async def test_what_a_person_made_of_the_pending_job_stays_when_it_folds(engine: Engine, more: dict[str, str]) -> None:
    user = await engine.user()
    template = {"cron": "* * * * *", "message": "{{nominal}} {{occurrence}}", "expires_after": 90.0}
    edited, _ = [await add(engine, user, name, **template, **more) for name in ("edited", "plain")]
    pending = (await engine.schedules.show(user, edited)).pending_job
    expires_at = START + timedelta(hours=2)
    await engine.control.edit(user, pending, JobEdit(message="by hand", expires_at=expires_at), user)
    await skip_to(engine, START + timedelta(hours=1))
    sent = {run.message: (await engine.insight.job(user, run.job_id)) for run in engine.bus.sent}
    by_hand, by_template = sent.pop("by hand"), sent.pop("2026-01-01T01:00:00Z 1")
    assert not sent
    assert (by_hand.id, by_hand.execute_at, by_hand.expires_at) == (pending, engine.clock.now(), expires_at)
    assert by_template.expires_at == engine.clock.now() + timedelta(seconds=90)
    engine.bus.sent.clear()
    await engine.pass_time(60)
    assert [run.message for run in engine.bus.sent] == ["2026-01-01T01:01:00Z 2"] * 2


async def test_two_occurrences_never_get_the_same_instant(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    schedule = await add(engine, user, cron="* * * * *", overlap="allow")
    await engine.pass_time(60, step=30)
    pending = (await engine.schedules.show(user, schedule)).pending_job
    with pytest.raises(Conflict, match="Another occurrence"):
        await engine.control.edit(user, pending, JobEdit(execute_at=START + MINUTE), user)
    await engine.pass_time(60, step=30)
    assert [run.execute_at for run in engine.bus.sent] == [START + MINUTE, START + 2 * MINUTE]


async def test_hurrying_the_pending_job_does_not_run_its_instant_twice(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *")
    pending = (await engine.schedules.show(user, schedule)).pending_job
    await engine.control.run_now(user, pending, user)
    await engine.settle_down()
    await engine.schedules.edit(user, schedule, content(cron="* * * * *", message="other"), user)
    await engine.pass_time(120, step=30)
    assert await ran(engine, user, schedule) == [START + MINUTE, START + 2 * MINUTE]


@pytest.mark.parametrize("verb", ["pause", "delete", "edit"])
async def test_changes_race_with_minting_and_nothing_starts_after_the_answer(engine: Engine, verb: str) -> None:
    user = await engine.user()
    names = [f"s{n}" for n in range(60)]
    made = [content(name, cron="* * * * *", message=name, overlap="allow") for name in names]
    ids = await engine.schedules.create(user, made, user)
    engine.clock.advance_to(START + MINUTE)

    async def change(number: int) -> None:
        if verb == "edit":
            later = content(names[number], cron="0 12 * * *", message=f"{names[number]} edited")
            await engine.schedules.edit(user, ids[number], later, user)
        else:
            await getattr(engine.schedules, verb)(user, ids[number], user)

    async def turn() -> None:
        for _ in range(5):
            engine.scheduler.decide(engine.clock.now())
            await engine.scheduler.idle()

    await gather(turn(), *(change(number) for number in range(60)))
    launched = len(engine.bus.sent)
    await engine.settle_down()
    assert verb == "edit" or len(engine.bus.sent) == launched
    before = len(engine.bus.sent)
    await engine.pass_time(300, step=60)
    assert len(engine.bus.sent) == before
    assert len({(run.message, run.execute_at) for run in engine.bus.sent}) == len(engine.bus.sent)
    assert await engine.count("in_flight") == 0
    assert await engine.count("jobs") == (60 if verb == "edit" else 0)
    assert await engine.count("history") == len(engine.bus.sent)


async def test_two_schedulers_mint_the_same_occurrence_once(dsn: str, engine: Engine) -> None:
    other = await Engine(dsn, engine.clock).start()
    try:
        user = await engine.user()
        ids = await engine.schedules.create(
            user, [content(f"s{n}", cron="* * * * *", overlap="allow") for n in range(200)], user
        )
        for minute in range(1, 4):
            engine.clock.advance_to(START + minute * MINUTE)
            refs = await engine.stores.due.due((START, 0), engine.clock.now(), [True] * 1024, 1000)
            assert len(refs) == 200
            # Both hold what the database says is the other's: as if ownership moved in between.
            for one in (engine, other):
                one.ownership.node, one.ownership.terms = engine.ownership.node, engine.ownership.terms
            terms = await engine.pool.rows("SELECT shard, owner, term FROM shards ORDER BY shard")
            await engine.pool.run("UPDATE shards SET owner = $1, term = term + 1", engine.ownership.node)
            engine.ownership.terms = other.ownership.terms = [row["term"] + 1 for row in terms]
            await gather(engine.launch.run(refs, ANY), other.launch.run(refs, ANY), other.launch.run(refs, ANY))
            await engine.settle.drain()
            await other.settle.drain()
        runs = engine.bus.sent + other.bus.sent
        assert len(runs) == len({run.job_id for run in runs}) == 600
        assert await engine.count("jobs") == 200
        assert await engine.count("history") == 600
        assert {(await engine.schedules.show(user, one)).occurrences for one in ids} == {3}
    finally:
        await other.stop()


async def test_an_instant_that_has_a_job_already_is_an_ordinary_answer(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *", overlap="allow")
    await engine.pool.run(
        "INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,"
        " schedule_id, occurrence, message) SELECT 1, user_id, definition_id, priority, false, flow, $1, $1, $1,"
        " schedule_id, 99, 'in the way' FROM jobs",
        START + 2 * MINUTE,
    )
    await engine.pass_time(60, step=30)
    assert len(engine.bus.sent) == 1
    await engine.repair.run_once()
    assert (await engine.schedules.show(user, schedule)).pending_nominal == START + 3 * MINUTE


async def test_a_fenced_node_mints_nothing(engine: Engine) -> None:
    user = await engine.user()
    await add(engine, user, cron="* * * * *", misfire=Misfire(policy="skip", grace=0))
    await engine.pool.run("DELETE FROM leases")
    engine.clock.advance_to(START + 10 * MINUTE)
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    assert not engine.bus.sent
    assert (await engine.count("jobs"), await engine.count("history")) == (1, 0)


async def test_ended_by_count_by_end_and_by_the_list(engine: Engine) -> None:
    user = await engine.user()
    counted = await add(engine, user, "a", cron="* * * * *", max_occurrences=2)
    until = await add(engine, user, "b", cron="* * * * *", end=START + 3 * MINUTE)
    listed = await add(engine, user, "c", at=(START + MINUTE, START + 4 * MINUTE))
    await engine.pass_time(600, step=30)
    for schedule, minutes in ((counted, (1, 2)), (until, (1, 2)), (listed, (1, 4))):
        shown = await engine.schedules.show(user, schedule)
        assert (shown.state, shown.pending_job) == ("ended", None)
        assert await ran(engine, user, schedule) == [START + n * MINUTE for n in minutes]
    with pytest.raises(Conflict):
        await engine.schedules.pause(user, counted, user)
    again = await engine.schedules.edit(user, counted, content("a", cron="* * * * *", max_occurrences=3), user)
    assert (again.state, again.pending_nominal) == ("active", START + 11 * MINUTE)
    await engine.pass_time(600, step=30)
    assert len(await ran(engine, user, counted)) == 3


async def test_each_change_is_audited(engine: Engine) -> None:
    user = await engine.user()
    schedule = await add(engine, user, cron="* * * * *")
    await engine.schedules.edit(user, schedule, content(cron="0 * * * *"), user)
    await engine.schedules.pause(user, schedule, user)
    await engine.schedules.resume(user, schedule, user)
    await engine.schedules.delete(user, schedule, user)
    rows = await engine.pool.rows("SELECT action FROM audit WHERE subject = $1 ORDER BY id", f"schedule:{schedule}")
    assert [row["action"] for row in rows] == [
        f"schedule.{verb}" for verb in ("created", "edited", "paused", "resumed", "deleted")
    ]


def test_the_clock_of_these_tests_starts_where_they_say() -> None:
    assert ManualClock().now() == START
