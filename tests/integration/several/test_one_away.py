"""One of two databases is away: its jobs wait, everything else goes on, and nothing is said silently less."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.engine.node.health import Health
from duetime.model.errors import PartlyStored, StoreAway
from duetime.model.ids import shard_of, shard_of_lane
from duetime.model.job import JobFilter
from duetime.model.partial_answers import collect_missing
from duetime.model.states import JobState
from harness.several import SpreadEngine


def lane_in(number: int, user: int) -> str:
    return next(lane for lane in (f"lane {n}" for n in range(99)) if shard_of_lane(user, lane) // 512 == number)


async def test_the_others_jobs_go_on_and_its_own_wait(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = [await spread.add(user, after=10) for _ in range(20)]
    there = [one for one in ids if shard_of(one) >= 512]
    await spread.away(1)
    assert (spread.ownership.count, any(spread.ownership.held[512:])) == (512, False)
    await spread.pass_time(12)
    assert {run.job_id for run in spread.bus.sent} == set(ids) - set(there)
    await spread.back(1)
    await spread.settle_down()
    assert sorted(run.job_id for run in spread.bus.sent) == sorted(ids)
    assert await spread.insight.stats(user) == {JobState.SUCCEEDED: 20}


async def test_new_unordered_jobs_go_to_the_others_and_bound_ones_are_refused(spread: SpreadEngine) -> None:
    user = await spread.user()
    await spread.add(user)
    await spread.away(1)
    for _ in range(10):
        assert shard_of(await spread.add(user, after=60)) < 512
    assert await spread.add(user, lane=lane_in(0, user))
    with pytest.raises(StoreAway, match=r"Database 1 \(shards 512-1023\) does not answer"):
        await spread.add(user, lane=lane_in(1, user))
    mixed = [spread.job(user, after=60), spread.job(user, lane=lane_in(1, user))]
    before = await spread.count("jobs")
    with pytest.raises(StoreAway):
        await spread.submit.many(mixed)
    assert await spread.count("jobs") == before


async def test_a_request_that_spans_databases_says_what_was_stored(
    spread: SpreadEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second database fails just when the jobs are on their way."""
    user = await spread.user()
    lanes = [lane_in(0, user), lane_in(1, user)] * 3

    async def fails(*_: Any) -> None:
        raise StoreAway

    monkeypatch.setattr(spread.base.parts[1].member.stores.submit, "submit", fails)
    with pytest.raises(PartlyStored) as caught:
        await spread.submit.many([spread.job(user, lane=lane, after=60) for lane in lanes])
    stored = await spread.straight[0].rows("SELECT id FROM jobs ORDER BY id")
    assert caught.value.details["stored"] == {str(at): row["id"] for at, row in zip((0, 2, 4), stored, strict=True)}
    assert caught.value.details["not_stored"] == [1, 3, 5]
    assert await spread.count("jobs") == 3
    monkeypatch.undo()
    assert len(await spread.submit.many([spread.job(user, lane=lane, after=60) for lane in lanes])) == 6


async def test_reads_answer_with_the_rest_and_say_so(spread: SpreadEngine) -> None:
    user = await spread.user()
    ids = [await spread.add(user, after=60) for _ in range(20)]
    there = [one for one in ids if shard_of(one) >= 512]
    await spread.away(1)
    with collect_missing() as missing:
        listed = await spread.insight.jobs(user, JobFilter())
    assert {job.id for job in listed} == set(ids) - set(there)
    assert missing == ["Database 1 (shards 512-1023) does not answer: what it has is missing here."]
    with collect_missing() as missing:
        await spread.insight.stats(user)
    assert len(missing) == 1
    with pytest.raises(StoreAway, match="Database 1"):
        await spread.insight.job(user, there[0])
    with pytest.raises(StoreAway, match="Database 1"):
        await spread.control.cancel(user, there[0], user)


async def test_outcomes_wait_for_their_database_and_hold_nobody_up(spread: SpreadEngine) -> None:
    user = await spread.user()
    spread.bus.answer = lambda run: None
    ids = [await spread.add(user) for _ in range(20)]
    await spread.settle_down()
    await spread.away(1)
    for job_id in ids:
        spread.bus.end(job_id)
    await spread.settle.drain()
    there = [one for one in ids if shard_of(one) >= 512]
    assert spread.stores.settle.waiting == len(there) > 0
    assert await spread.count_in(0, "history") == 20 - len(there)
    assert await spread.count_in(1, "in_flight") == len(there)
    await spread.back(1)
    assert spread.stores.settle.waiting == 0
    assert await spread.count("in_flight") == await spread.count("jobs") == 0
    await spread.rescue.run_once()
    await spread.settle_down()
    assert len(spread.bus.sent) == 20
    assert await spread.insight.stats(user) == {JobState.SUCCEEDED: 20}


async def test_a_run_that_is_over_is_not_taken_back_when_its_database_returns(spread: SpreadEngine) -> None:
    """The rescue looks before the outcome is stored: an old launch that the engine does not know any more."""
    user = await spread.user()
    spread.bus.answer = lambda run: None
    ids = [await spread.add(user) for _ in range(12)]
    await spread.settle_down()
    await spread.away(1)
    for job_id in ids:
        spread.bus.end(job_id)
    await spread.settle.drain()
    spread.clock.advance(60)
    await spread.base.parts[1].keep_lease()
    await spread.rescue.run_once()
    await spread.base.look()
    await spread.settle_down()
    assert len(spread.bus.sent) == 12
    assert await spread.insight.stats(user) == {JobState.SUCCEEDED: 12}


async def test_a_launch_that_fails_in_one_database_goes_on_in_the_other_and_is_made_up_for(
    spread: SpreadEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launch is committed there, but nobody hears of it."""
    user = await spread.user()
    launches = spread.base.parts[1].member.stores.launch
    launch = launches.launch
    failed = 0

    async def committed_unheard(*given: Any) -> set[int]:
        nonlocal failed
        await launch(*given)
        failed += 1
        raise StoreAway

    ids = [await spread.add(user, after=5) for _ in range(20)]
    monkeypatch.setattr(launches, "launch", committed_unheard)
    await spread.pass_time(5)
    assert failed
    assert {run.job_id for run in spread.bus.sent} == {one for one in ids if shard_of(one) < 512}
    monkeypatch.undo()
    await spread.rescue.run_once()
    await spread.base.look()
    await spread.settle_down()
    assert sorted(run.job_id for run in spread.bus.sent) == sorted(ids)
    assert await spread.count("in_flight") == 0


async def test_a_launch_that_one_database_carries_out_late_is_taken_back_and_nothing_else_is(
    spread: SpreadEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await spread.user()
    spread.bus.answer = lambda run: None
    launches = spread.base.parts[1].member.stores.launch
    launch, sent = launches.launch, list[tuple[object, ...]]()

    async def lose(*given: Any) -> set[int]:
        sent.append(given)
        raise StoreAway

    ids = [await spread.add(user, after=5) for _ in range(20)]
    here, there = [one for one in ids if shard_of(one) < 512], [one for one in ids if shard_of(one) >= 512]
    monkeypatch.setattr(launches, "launch", lose)
    await spread.pass_time(5)
    monkeypatch.undo()
    await spread.rescue.run_once()
    assert {row.id for row in (await launch(*sent[0])).rows} == set(there)
    for _ in range(2):
        spread.clock.advance(1)
        await spread.base.look()
        await spread.settle_down()
        await spread.rescue.run_once()
    await spread.base.look()
    await spread.settle_down()
    assert sorted(run.job_id for run in spread.bus.sent) == sorted(here + there), "each was sent once"
    await spread.rescue.run_once()
    assert await spread.count("in_flight") == 20
    for job_id in ids:
        spread.bus.end(job_id)
    await spread.settle.drain()
    assert await spread.insight.stats(user) == {JobState.SUCCEEDED: 20}
    spread.clock.advance(60)
    await spread.rescue.run_once()
    assert not spread.base.parts[1].member.doubts


async def test_users_and_definitions_that_are_known_work_on_while_home_is_away(spread: SpreadEngine) -> None:
    user = await spread.user()
    for _ in range(4):
        await spread.add(user)
    await spread.settle_down()
    await spread.away(0)
    spread.accounts._users.forget(user)
    assert (await spread.accounts.by_id(user)).username == "someone"
    job_id = await spread.add(user)
    assert shard_of(job_id) >= 512
    await spread.settle_down()
    assert job_id in {run.job_id for run in spread.bus.sent}
    with pytest.raises(StoreAway):
        await spread.user("another")


async def test_readiness_says_which_database_is_away(spread: SpreadEngine) -> None:
    health = Health(spread.clock, spread.ownership, None, lambda: True, spread.base.health)
    assert [one.answers for one in (await health.readiness()).databases] == [True, True]
    await spread.away(1)
    ready = await health.readiness()
    assert ready.ready
    assert [(one.number, one.answers, one.shards) for one in ready.databases] == [
        (0, True, "0-511"),
        (1, False, "512-1023"),
    ]
    await spread.away(0)
    assert not (await health.readiness()).ready
