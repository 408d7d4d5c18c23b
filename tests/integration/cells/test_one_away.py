"""One of two databases is away: its jobs wait, everything else goes on, and nothing is said silently less."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from duetime.cells.health import CellsHealth
from duetime.engine.node.health import Health
from duetime.model.errors import PartlyStored, StoreAway
from duetime.model.ids import shard_of, shard_of_lane
from duetime.model.job import JobFilter
from duetime.model.partial_answers import collect_missing
from duetime.model.states import JobState
from harness.cells import CellEngines


def lane_in(number: int, user: int) -> str:
    return next(lane for lane in (f"lane {n}" for n in range(99)) if shard_of_lane(user, lane) // 512 == number)


async def test_the_others_jobs_go_on_and_its_own_wait(cells: CellEngines) -> None:
    user = await cells.user()
    ids = [await cells.add(user, after=10) for _ in range(20)]
    there = [one for one in ids if shard_of(one) >= 512]
    await cells.away(1)
    assert (cells.ownership.count, any(cells.ownership.held[512:])) == (512, False)
    await cells.pass_time(12)
    assert {run.job_id for run in cells.bus.sent} == set(ids) - set(there)
    await cells.back(1)
    await cells.settle_down()
    assert sorted(run.job_id for run in cells.bus.sent) == sorted(ids)
    assert await cells.insight.stats(user) == {JobState.SUCCEEDED: 20}


async def test_new_unordered_jobs_go_to_the_others_and_bound_ones_are_refused(cells: CellEngines) -> None:
    user = await cells.user()
    await cells.add(user)
    await cells.away(1)
    for _ in range(10):
        assert shard_of(await cells.add(user, after=60)) < 512
    assert await cells.add(user, lane=lane_in(0, user))
    with pytest.raises(StoreAway, match=r"Database 1 \(shards 512-1023\) does not answer"):
        await cells.add(user, lane=lane_in(1, user))
    mixed = [cells.job(user, after=60), cells.job(user, lane=lane_in(1, user))]
    before = await cells.count("jobs")
    with pytest.raises(StoreAway):
        await cells.submit.many(mixed)
    assert await cells.count("jobs") == before


async def test_a_request_that_spans_databases_says_what_was_stored(
    cells: CellEngines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second database fails just when the jobs are on their way."""
    user = await cells.user()
    lanes = [lane_in(0, user), lane_in(1, user)] * 3

    async def fails(*_: Any) -> None:
        raise StoreAway

    monkeypatch.setattr(cells.databases[1].placed, "submit", fails)
    with pytest.raises(PartlyStored) as caught:
        await cells.submit.many([cells.job(user, lane=lane, after=60) for lane in lanes])
    stored = await cells.straight[0].rows("SELECT id FROM jobs ORDER BY id")
    assert caught.value.details["stored"] == {str(at): row["id"] for at, row in zip((0, 2, 4), stored, strict=True)}
    assert caught.value.details["not_stored"] == [1, 3, 5]
    assert await cells.count("jobs") == 3
    monkeypatch.undo()
    assert len(await cells.submit.many([cells.job(user, lane=lane, after=60) for lane in lanes])) == 6


async def test_reads_answer_with_the_rest_and_say_so(cells: CellEngines) -> None:
    user = await cells.user()
    ids = [await cells.add(user, after=60) for _ in range(20)]
    there = [one for one in ids if shard_of(one) >= 512]
    await cells.away(1)
    with collect_missing() as missing:
        listed = await cells.insight.jobs(user, JobFilter())
    assert {job.id for job in listed} == set(ids) - set(there)
    assert missing == ["Database 1 (shards 512-1023) does not answer: what it has is missing here."]
    with collect_missing() as missing:
        await cells.insight.stats(user)
    assert len(missing) == 1
    with pytest.raises(StoreAway, match="Database 1"):
        await cells.insight.job(user, there[0])
    with pytest.raises(StoreAway, match="Database 1"):
        await cells.control.cancel(user, there[0], user)


async def test_outcomes_wait_for_their_database_and_hold_no_other_up(cells: CellEngines) -> None:
    user = await cells.user()
    cells.bus.answer = lambda run: None
    ids = [await cells.add(user) for _ in range(20)]
    await cells.settle_down()
    await cells.away(1)
    there = [one for one in ids if shard_of(one) >= 512]
    with unreachable(cells, 1):
        for job_id in ids:
            cells.bus.end(job_id)
        await cells.settle.drain()
        assert len(cells.engines[1].settle) == len(there) > 0
        assert await cells.count_in(0, "history") == 20 - len(there)
        assert await cells.count_in(1, "in_flight") == len(there)
    await cells.back(1)
    await cells.pass_time(3)
    await cells.settle.drain()
    assert await cells.count("in_flight") == await cells.count("jobs") == 0
    await cells.rescue()
    await cells.settle_down()
    assert len(cells.bus.sent) == 20
    assert await cells.insight.stats(user) == {JobState.SUCCEEDED: 20}


@contextmanager
def unreachable(cells: CellEngines, number: int) -> Iterator[None]:
    """Every call to the store of settlements of one cell fails."""
    store = cells.engines[number].stores.settle

    async def away(*_: Any) -> None:
        raise StoreAway

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "finish", away)
        patch.setattr(store, "retry", away)
        yield


async def test_a_launch_whose_answer_is_lost_in_one_cell_is_made_up_for_there(
    cells: CellEngines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launch is committed, but this node does not learn of it. The other cell goes on."""
    user = await cells.user()
    launches = cells.engines[1].stores.launch
    launch = launches.launch
    failed = 0

    async def committed_unheard(*given: Any) -> set[int]:
        nonlocal failed
        await launch(*given)
        failed += 1
        raise StoreAway

    ids = [await cells.add(user, after=5) for _ in range(20)]
    monkeypatch.setattr(launches, "launch", committed_unheard)
    with suppress(AssertionError):
        await cells.pass_time(5)
    assert failed
    assert {run.job_id for run in cells.bus.sent} == {one for one in ids if shard_of(one) < 512}
    monkeypatch.undo()
    await cells.pass_time(60, step=5)
    await cells.rescue()
    await cells.settle_down()
    assert sorted(run.job_id for run in cells.bus.sent) == sorted(ids)
    assert await cells.count("in_flight") == 0


async def test_users_and_definitions_that_are_known_work_on_while_home_is_away(cells: CellEngines) -> None:
    user = await cells.user()
    for _ in range(4):
        await cells.add(user)
    await cells.settle_down()
    await cells.away(0)
    cells.accounts._users.forget(user)
    assert (await cells.accounts.by_id(user)).username == "someone"
    job_id = await cells.add(user)
    assert shard_of(job_id) >= 512
    await cells.settle_down()
    assert job_id in {run.job_id for run in cells.bus.sent}
    with pytest.raises(StoreAway):
        await cells.user("another")


async def test_readiness_says_which_database_is_away(cells: CellEngines) -> None:
    healths = [
        Health(cells.clock, one.ownership, None, lambda: True, lambda one=one: [one.health()])
        for one in cells.databases
    ]
    health = CellsHealth(healths, cells.routed.health)
    assert [one.answers for one in (await health.readiness()).databases] == [True, True]
    await cells.away(1)
    ready = await health.readiness()
    assert ready.ready
    assert [(one.number, one.answers, one.shards) for one in ready.databases] == [
        (0, True, "0-511"),
        (1, False, "512-1023"),
    ]
    await cells.away(0)
    assert not (await health.readiness()).ready
