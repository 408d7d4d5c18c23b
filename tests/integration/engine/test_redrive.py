"""Dead letters on the real store: another life as something else, giving up, and hours that edits keep."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from duetime.engine.asking.dead_letters import SET_ASIDE
from duetime.model.definition import Definition
from duetime.model.errors import Conflict, StoreAway
from duetime.model.job import DeadFilter, JobEdit
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Hours, Policy, Retry
from duetime.model.states import JobState
from harness.engine import Engine

ONCE = Definition(policy=Policy(retry=Retry(max_attempts=1)))


async def dead(engine: Engine, user: int, count: int = 1, **more: Any) -> list[int]:
    """Jobs that failed for good."""
    engine.bus.answer = lambda run: failed("http_500", "broken")
    ids = [await engine.add(user, definition=ONCE, **more) for _ in range(count)]  # type: ignore[arg-type]
    await engine.settle_down()
    engine.bus.answer = lambda run: SUCCEEDED
    engine.bus.sent.clear()
    return ids


@pytest.mark.parametrize("lane", [None, "k"])
async def test_another_life_as_something_else(engine: Engine, lane: str | None) -> None:
    user = await engine.user()
    (job_id,) = await dead(engine, user, lane=lane)
    patient = Definition(policy=Policy(timeout=5.0))
    job = await engine.dead_letters.redrive_edited(user, job_id, JobEdit(message="new", definition=patient), user)
    assert (job.message, job.due_at) == ("new", engine.clock.now())
    await engine.settle_down()
    (run,) = engine.bus.sent
    assert (run.job_id, run.attempt, run.message, run.definition) == (job_id, 2, "new", patient)
    assert (await engine.insight.job(user, job_id)).state is JobState.SUCCEEDED
    with pytest.raises(Conflict):
        await engine.dead_letters.redrive_edited(user, job_id, JobEdit(message="again"), user)


@pytest.mark.parametrize("lane", [None, "k"])
async def test_what_is_interrupted_half_way_does_not_start_unchanged(
    engine: Engine, lane: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await engine.user()
    (job_id,) = await dead(engine, user, lane=lane)

    async def away(*_: Any) -> None:
        raise StoreAway

    with monkeypatch.context() as patch:
        patch.setattr(engine.control, "edit", away)
        with pytest.raises(StoreAway):
            await engine.dead_letters.redrive_edited(user, job_id, JobEdit(message="new"), user)
    await engine.settle_down()
    assert engine.bus.sent == []
    waiting = await engine.insight.job(user, job_id)
    assert (waiting.state, waiting.due_at) == (JobState.CREATED, SET_ASIDE)
    await engine.control.edit(user, job_id, JobEdit(message="new"), user)
    await engine.control.run_now(user, job_id, user)
    await engine.settle_down()
    assert [run.message for run in engine.bus.sent] == ["new"]


@pytest.mark.parametrize("lane", [None, "k"])
async def test_an_expiry_counts_in_the_next_life_too_unless_it_has_passed(engine: Engine, lane: str | None) -> None:
    user = await engine.user()
    soon, late = (engine.clock.now() + timedelta(seconds=seconds) for seconds in (10, 3600))
    (passed,) = await dead(engine, user, lane=lane, expires_at=soon)
    (ahead,) = await dead(engine, user, lane=lane and f"{lane}2", expires_at=late)
    await engine.pass_time(20)
    await engine.dead_letters.redrive(user, [passed, ahead], 0.001, user)
    await engine.settle_down()
    jobs = [await engine.insight.job(user, job_id) for job_id in (passed, ahead)]
    assert [(job.state, job.expires_at) for job in jobs] == [(JobState.SUCCEEDED, None), (JobState.CREATED, late)]
    await engine.control.run_now(user, ahead, user)
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [passed, ahead]


async def test_the_pace_holds_for_heads_of_lanes_too(engine: Engine) -> None:
    user = await engine.user()
    lanes = [(await dead(engine, user, lane=f"k{n}"))[0] for n in range(3)]
    plain = await dead(engine, user, 3)
    alive = await engine.add(user, after=86_400)
    order = [job_id for pair in zip(lanes, plain, strict=True) for job_id in pair]
    assert set(await engine.dead_letters.redrive(user, [order[0], alive, *order], 0.5, user)) == set(order)
    start = engine.clock.now()
    await engine.settle_down()
    await engine.pass_time(20)
    assert [(run.job_id, run.due_at) for run in engine.bus.sent] == [
        (job_id, start + timedelta(seconds=2 * number)) for number, job_id in enumerate(order)
    ]


async def test_what_a_redriven_job_shows_of_its_runs(engine: Engine) -> None:
    """`failed` where another attempt was due, `dead` where none was: whether it held its lane or not."""
    user = await engine.user()
    twice = Definition(policy=Policy(retry=Retry(max_attempts=2, delays=(1.0,))))
    engine.bus.answer = lambda run: failed("http_500", "broken")
    ids = [await engine.add(user, definition=twice, lane=lane) for lane in ("k", None)]
    await engine.pass_time(5)
    for job_id in ids:
        assert [run.state for run in await engine.insight.runs(user, job_id)] == [JobState.FAILED, JobState.DEAD]
    engine.bus.answer = lambda run: SUCCEEDED
    await engine.dead_letters.redrive(user, ids, None, user)
    await engine.settle_down()
    for job_id in ids:
        states = [run.state for run in await engine.insight.runs(user, job_id)]
        assert states == [JobState.FAILED, JobState.DEAD, JobState.SUCCEEDED]


async def test_giving_up_finds_the_parked_ones_whatever_came_after(engine: Engine) -> None:
    user = await engine.user()
    (parked,) = await dead(engine, user, lane="k")
    later = await dead(engine, user, 3)
    behind = await engine.add(user, lane="k")
    assert await engine.dead_letters.discard(user, [parked], user) == [parked]
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [behind]
    assert [job.id for job in await engine.dead_letters.list(user, DeadFilter())] == later[::-1]
    assert await engine.dead_letters.discard(user, [parked, later[0], behind], user) == [later[0]]


async def test_ids_are_looked_at_for_their_owner_only(engine: Engine) -> None:
    user, other = await engine.user("a"), await engine.user("b")
    ids = await dead(engine, user, 2)
    wanted = DeadFilter(ids=(*ids, 1024))
    assert [job.id for job in await engine.dead_letters.list(user, wanted)] == ids[::-1]
    assert await engine.dead_letters.list(other, wanted) == []


async def test_the_head_of_a_lane_is_retried_and_which_one_is_said(engine: Engine) -> None:
    user = await engine.user()
    (head,) = await dead(engine, user, lane="k")
    assert await engine.dead_letters.retry_head(user, "k", user) == head
    with pytest.raises(Conflict):
        await engine.dead_letters.retry_head(user, "k", user)
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [head]


async def test_an_edit_keeps_to_the_hours(engine: Engine) -> None:
    user = await engine.user()
    now = engine.clock.now()
    opening = (now + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0)
    office = Definition(policy=Policy(hours=Hours(f"{opening.strftime('%a').upper()} 09:00-10:00")))
    job_id = await engine.add(user, after=3600)
    job = await engine.control.edit(user, job_id, JobEdit(definition=office), user)
    assert (job.execute_at, job.due_at) == (now + timedelta(hours=1), opening)
    job = await engine.control.edit(user, job_id, JobEdit(execute_at=now + timedelta(hours=2)), user)
    assert (job.execute_at, job.due_at) == (now + timedelta(hours=2), opening)
    job = await engine.control.edit(user, job_id, JobEdit(execute_at=opening + timedelta(minutes=5)), user)
    assert job.due_at == opening + timedelta(minutes=5)
    job = await engine.control.edit(user, job_id, JobEdit(message="m", priority=9), user)
    assert job.due_at == opening + timedelta(minutes=5)
    job = await engine.control.edit(user, job_id, JobEdit(definition=Definition()), user)
    assert job.due_at == job.execute_at == opening + timedelta(minutes=5)
