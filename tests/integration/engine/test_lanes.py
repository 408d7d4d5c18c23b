"""Lanes: one at a time, in order of the due instant, and a failing one holds back only its own key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from duetime.model.definition import Definition
from duetime.model.outcome import SUCCEEDED, Outcome, failed
from duetime.model.policy import Policy, Retry
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.store.port import JobRef
from harness.engine import Engine

ONCE = Retry(max_attempts=1)
SLOW_RETRY = Retry(max_attempts=2, backoff="fixed", base=30.0, jitter="none")


async def test_one_at_a_time_in_order_of_due_instant_not_of_arrival(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    third = await engine.add(user, lane="k", after=-1)
    second = await engine.add(user, lane="k", after=-2)
    first = await engine.add(user, lane="k", after=-3)
    order = []
    for _ in range(3):
        await engine.settle_down()
        assert len(engine.bus.open) == 1
        (job_id,) = engine.bus.open
        order.append(job_id)
        engine.bus.end(job_id)
    assert order[1:] == [one for one in (first, second, third) if one != order[0]]
    assert order == [first, second, third]


async def test_a_bulk_of_one_lane_goes_in_order(engine: Engine) -> None:
    user = await engine.user()
    ids = await engine.submit.many([engine.job(user, lane="k", after=-n) for n in range(50)])
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == ids[::-1]


async def test_lanes_do_not_wait_for_each_other(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None if run.lane == "stuck" else SUCCEEDED
    await engine.submit.many([engine.job(user, lane="stuck") for _ in range(5)])
    free = await engine.submit.many([engine.job(user, lane=f"lane {n % 7}") for n in range(70)])
    await engine.settle_down()
    assert len(engine.bus.open) == 1
    assert {run.job_id for run in engine.bus.sent} >= set(free)


async def test_the_same_key_of_two_users_is_two_lanes(engine: Engine) -> None:
    a, b = await engine.user("a"), await engine.user("b")
    engine.bus.answer = lambda run: None
    await engine.add(a, lane="k")
    await engine.add(b, lane="k")
    await engine.settle_down()
    assert len(engine.bus.open) == 2


async def test_a_retry_keeps_its_place_and_the_lane_waits(engine: Engine) -> None:
    user = await engine.user()
    failures = iter([failed("x", "no")])
    engine.bus.answer = lambda run: next(failures, SUCCEEDED)
    definition = Definition(policy=Policy(retry=SLOW_RETRY))
    first = await engine.add(user, lane="k", definition=definition)
    second = await engine.add(user, lane="k", definition=definition)
    await engine.pass_time(29)
    assert [run.job_id for run in engine.bus.sent] == [first]
    await engine.pass_time(2)
    assert [(run.job_id, run.attempt) for run in engine.bus.sent] == [(first, 1), (first, 2), (second, 1)]


async def test_a_final_failure_blocks_by_default_and_passes_on_skip(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: failed("x", "no") if run.message == "bad" else SUCCEEDED
    blocking = Definition(policy=Policy(retry=ONCE))
    skipping = Definition(policy=Policy(retry=ONCE, on_failure="skip"))
    bad = await engine.add(user, "bad", lane="blocked", definition=blocking)
    behind = await engine.add(user, lane="blocked", definition=blocking)
    passed = await engine.add(user, "bad", lane="open", definition=skipping)
    after = await engine.add(user, lane="open", definition=skipping)
    await engine.pass_time(60, step=20)
    assert (await engine.insight.job(user, bad)).state is JobState.DEAD
    assert (await engine.insight.job(user, behind)).state is JobState.CREATED
    assert (await engine.insight.job(user, passed)).state is JobState.DEAD
    assert (await engine.insight.job(user, after)).state is JobState.SUCCEEDED
    assert await engine.insight.stats(user) == {JobState.DEAD: 2, JobState.CREATED: 1, JobState.SUCCEEDED: 1}
    await engine.control.cancel(user, bad, user)
    await engine.settle_down()
    assert (await engine.insight.job(user, behind)).state is JobState.SUCCEEDED


async def test_blocked_lanes_are_counted_by_their_heads(engine: Engine) -> None:
    user, other = await engine.user("a"), await engine.user("b")
    engine.bus.answer = lambda run: failed("x", "no") if run.message == "bad" else SUCCEEDED
    once = Definition(policy=Policy(retry=ONCE))
    heads = [await engine.add(user, "bad", lane=f"k{n}", definition=once) for n in range(3)]
    await engine.add(user, lane="k0", definition=once)
    await engine.add(other, "bad", lane="k0", definition=once)
    await engine.settle_down()
    assert (await engine.dead_letters.blocked_lanes(user), await engine.dead_letters.blocked_lanes(other)) == (3, 1)
    # One that is due earlier goes before the dead one: the lane moves, until that fails as well.
    await engine.add(user, "good", lane="k1", definition=once, after=-60)
    earlier = await engine.add(user, "bad", lane="k1", definition=once, after=-30)
    assert await engine.dead_letters.blocked_lanes(user) == 2
    await engine.settle_down()
    assert await engine.dead_letters.blocked_lanes(user) == 3
    assert len(await engine.dead_letters.lanes(user, blocked=True, limit=10)) == 3
    await engine.control.cancel(user, earlier, user)
    await engine.dead_letters.discard(user, [heads[0]], user)
    assert await engine.dead_letters.blocked_lanes(user) == 2


async def test_cancelling_the_head_lets_the_next_go(engine: Engine) -> None:
    user = await engine.user()
    head = await engine.add(user, lane="k", after=3600)
    behind = await engine.add(user, lane="k", after=3601)
    await engine.control.run_now(user, behind, user)
    await engine.settle_down()
    assert not engine.bus.sent, "hurrying does not overtake"
    await engine.control.cancel(user, head, user)
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [behind]


async def test_many_lanes_with_failures_never_overlap_and_keep_order(engine: Engine) -> None:
    user = await engine.user()
    seen: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def answer(run: LaunchedRun) -> Outcome:
        assert run.lane is not None
        seen[run.lane].append((run.job_id, run.attempt))
        return failed("x", "no") if (run.job_id // 1024 + run.attempt) % 5 == 0 else SUCCEEDED

    engine.bus.answer = answer
    definition = Definition(policy=Policy(retry=Retry(max_attempts=10, delays=(0.5,))))
    ids = await engine.submit.many(
        [engine.job(user, lane=f"lane {n % 20}", after=-1, definition=definition) for n in range(400)]
    )
    await engine.pass_time(200, step=5)
    assert await engine.count("history") == 400
    for lane, runs in seen.items():
        mine = [job_id for n, job_id in enumerate(ids) if f"lane {n % 20}" == lane]
        assert list(dict.fromkeys(job_id for job_id, _ in runs)) == mine
        for job_id in mine:
            assert [attempt for one, attempt in runs if one == job_id] == list(
                range(1, sum(one == job_id for one, _ in runs) + 1)
            )


async def test_a_lane_whose_mover_died_goes_on(engine: Engine) -> None:
    """All that were ready are gone and nobody made the next ones ready: the sweep finds them, page by page."""
    user = await engine.user()
    ids = await engine.submit.many([engine.job(user, lane=f"lane {n % 3}", after=100 + n) for n in range(18)])
    await engine.pool.run("DELETE FROM jobs WHERE id = ANY($1)", [ids[n] for n in range(12) if n % 3 < 2])
    await engine.lane_sweep.whole_round()
    assert engine.lane_sweep.found == 2
    rows = await engine.pool.rows("SELECT id FROM jobs WHERE ready ORDER BY id")
    waiting = (ids[14], ids[17])
    assert [row["id"] for row in rows] == sorted(set(ids[12:]) - set(waiting) | {ids[n] for n in (2, 5, 8, 11)})
    await engine.lane_sweep.whole_round()
    assert engine.lane_sweep.found == 2


async def test_a_lane_on_its_way_to_its_next_job_is_not_taken_for_one_left_behind(engine: Engine) -> None:
    """Between the record of one job and the step to the next, a lane has no ready head: that is no sign of a death."""
    user = await engine.user()
    for lane in "ab":
        await engine.submit.many([engine.job(user, lane=lane) for _ in range(10)])
    promote, due, looks = engine.stores.due.promote_waiting, engine.stores.due, 0

    async def looked_at_meanwhile(lanes: Sequence[tuple[int, str]]) -> Any:
        nonlocal looks
        looks += 1
        await engine.lane_sweep.run_once()
        return await promote(lanes)

    due.promote_waiting = looked_at_meanwhile
    await engine.settle_down()
    assert len(engine.bus.sent) == 20
    assert (engine.lane_sweep.found, looks > 1) == (0, True)


async def test_a_lane_that_two_looks_find_with_the_same_head_goes_on(engine: Engine) -> None:
    user = await engine.user()
    *first, last = await engine.submit.many([engine.job(user, lane="a", after=100) for _ in range(5)])
    await engine.pool.run("DELETE FROM jobs WHERE id = ANY($1)", first)
    await engine.lane_sweep.run_once()
    assert engine.lane_sweep.found == 0
    await engine.lane_sweep.run_once()
    assert engine.lane_sweep.found == 1
    assert [row["id"] for row in await engine.pool.rows("SELECT id FROM jobs WHERE ready")] == [last]


async def ready(engine: Engine) -> list[int]:
    return [row["id"] for row in await engine.pool.rows("SELECT id FROM jobs WHERE ready ORDER BY execute_at, id")]


async def test_the_store_is_asked_for_a_long_lane_a_few_at_a_time(engine: Engine) -> None:
    user = await engine.user()
    ids = await engine.submit.many([engine.job(user, lane="a") for _ in range(40)])
    promote, due, asked = engine.stores.due.promote_waiting, engine.stores.due, 0

    async def counted(lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        nonlocal asked
        asked += 1
        return await promote(lanes)

    due.promote_waiting = counted
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == ids
    assert 1 < asked <= len(ids) / 2, "several at a time, and not all at once"


async def test_nobody_is_ready_behind_one_that_is_to_be_tried_again(engine: Engine) -> None:
    """What cannot go costs nothing: it is not read, however long the one before it takes."""
    user = await engine.user()
    failures = iter([failed("x", "no")])
    engine.bus.answer = lambda run: next(failures, SUCCEEDED)
    definition = Definition(policy=Policy(retry=SLOW_RETRY))
    ids = await engine.submit.many([engine.job(user, lane="a", definition=definition) for _ in range(3)])
    assert await ready(engine) == ids
    await engine.settle_down()
    assert await ready(engine) == ids[:1]
    await engine.pass_time(31)
    assert [run.job_id for run in engine.bus.sent] == [ids[0], *ids]


async def test_one_that_comes_late_goes_next_when_the_one_in_flight_is_tried_again_later(engine: Engine) -> None:
    user = await engine.user()
    failures = iter([failed("x", "no")])
    engine.bus.answer = lambda run: None
    definition = Definition(policy=Policy(retry=SLOW_RETRY))
    first, second = await engine.submit.many([engine.job(user, lane="a", definition=definition) for _ in range(2)])
    await engine.settle_down()
    late = await engine.add(user, lane="a", after=-60, definition=definition)
    await engine.settle_down()
    assert list(engine.bus.open) == [first]
    engine.bus.end(first, next(failures))
    await engine.settle_down()
    assert list(engine.bus.open) == [late]
    engine.bus.answer = lambda run: SUCCEEDED
    engine.bus.end(late)
    await engine.pass_time(31)
    assert [run.job_id for run in engine.bus.sent] == [first, late, first, second]


async def test_a_scheduler_that_does_not_know_of_a_run_is_told_by_the_store_to_wait(engine: Engine) -> None:
    """As after a change of owner: the one in flight is somebody else's, and those behind it are read as ready."""
    user = await engine.user()
    engine.bus.answer = lambda run: None
    ids = await engine.submit.many([engine.job(user, lane="a") for _ in range(3)])
    await engine.settle_down()
    engine.pick.release([ids[0]])
    await engine.settle_down()
    assert list(engine.bus.open) == ids[:1]
    assert await ready(engine) == ids[:1], "the others are held back"
    for job_id in ids:
        assert list(engine.bus.open) == [job_id]
        engine.bus.end(job_id)
        await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == ids


async def test_a_lane_goes_on_past_one_that_was_cancelled_without_a_word(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    ids = await engine.submit.many([engine.job(user, lane="a") for _ in range(3)])
    await engine.settle_down()
    assert await engine.stores.control.withdraw(user, ids[1], JobState.CANCELLED, "x", engine.clock.now(), user)
    engine.bus.end(ids[0])
    await engine.settle_down()
    assert list(engine.bus.open) == [ids[2]]


async def test_a_lane_can_have_any_name(engine: Engine) -> None:
    user = await engine.user()
    names = ('a"b', "c\\d", "{x,y}", "NULL", "null", " ", 'ü,"\\', "'; --", "\n", "a")
    jobs = [engine.job(user, lane=name) for _ in range(6) for name in names]
    ids = await engine.submit.many([engine.job(user), *jobs])
    await engine.settle_down()
    assert {run.job_id for run in engine.bus.sent} == set(ids)
    for n, name in enumerate(names, 1):
        assert [run.job_id for run in engine.bus.sent if run.lane == name] == ids[n :: len(names)]
