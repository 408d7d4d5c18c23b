"""Fair share, limits, quotas, hours, breakers and dead letters on the real store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from duetime.engine.due.breaker import FIRST_PAUSE, THRESHOLD
from duetime.engine.due.scheduler import EXPRESS, SMALL_BATCH
from duetime.model.definition import Definition
from duetime.model.errors import Conflict, OverLimit, TooLarge
from duetime.model.ids import NodeId
from duetime.model.job import DeadFilter, JobEdit
from duetime.model.outcome import SUCCEEDED, failed
from duetime.model.policy import Hours, Limit, Policy, Retry
from duetime.model.states import JobState
from duetime.model.targets.http import HttpTarget
from duetime.model.user import Quotas, UserChange
from duetime.store.port import Ending, Launched, LaunchIntent
from harness.engine import Engine

ONCE = Policy(retry=Retry(max_attempts=1))


async def test_shares_follow_the_weights_through_the_store(engine: Engine) -> None:
    """More is due than memory holds, so queues are read on from the store while slots free up."""
    users = {await engine.user(f"w{weight}", weight): weight for weight in (1.0, 2.0, 4.0)}
    engine.pick.set_weights(users)
    engine.hold_in_memory(300)
    for user in users:
        await engine.submit.many([engine.job(user, after=-1) for _ in range(2500)])
    engine.bus.slots = 64
    await engine.settle_down(turns=1000)
    order = [run.user_id for run in engine.bus.sent]
    assert len(order) == 7500
    contested = order[: int(2500 / 4 * 7 * 0.95)]
    for start in range(0, len(contested) - 1000, 50):
        counts = Counter(contested[start : start + 1000])
        for user, weight in users.items():
            assert abs(counts[user] / 1000 - weight / 7) <= 0.05


async def test_one_users_flood_does_not_hide_anothers_job(engine: Engine) -> None:
    flood, other = await engine.user("flood"), await engine.user("other")
    engine.hold_in_memory(100)
    await engine.submit.many([engine.job(flood, after=-60) for _ in range(3000)])
    engine.bus.answer = lambda run: None
    engine.bus.slots = 10
    await engine.settle_down()
    job_id = await engine.add(other)
    engine.bus.slots = 12
    await engine.settle_down()
    assert job_id in engine.bus.open


async def test_while_somebody_comes_a_flood_waits_for_its_record_and_who_comes_does_not(engine: Engine) -> None:
    flood, other = await engine.user("flood"), await engine.user("other")
    finish, recorded = engine.stores.settle.finish, asyncio.Event()

    async def slowly(endings: Sequence[Ending]) -> set[int]:
        await recorded.wait()
        return await finish(endings)

    async def turn_often() -> int:
        for _ in range(5):
            engine.scheduler.decide(engine.clock.now())
            await engine.scheduler.idle()
        return len(engine.bus.sent)

    engine.stores.settle.finish, engine.bus.slots = slowly, 0
    await engine.submit.many([engine.job(flood, after=-60) for _ in range(300)])
    await engine.add(other)
    engine.bus.slots = 1000
    sent = await turn_often()
    job_id = await engine.add(other)
    sent_with_another = await turn_often()
    recorded.set()
    assert sent == SMALL_BATCH, "one batch, and no other before it is on record"
    assert sent_with_another <= SMALL_BATCH + EXPRESS
    assert job_id in {run.job_id for run in engine.bus.sent[sent:sent_with_another]}
    await engine.settle_down()
    assert len(engine.bus.sent) == 302


async def test_launches_that_are_under_way_together_are_of_one_size(engine: Engine) -> None:
    user, launches, sizes = await engine.user(), engine.stores.launch, list[int]()
    launch = launches.launch

    async def noted(node: NodeId, now: datetime, intents: Sequence[LaunchIntent]) -> Launched:
        sizes.append(len(intents))
        return await launch(node, now, intents)

    launches.launch, engine.bus.slots, engine.bus.answer = noted, 0, lambda run: None  # type: ignore[method-assign]
    await engine.submit.many([engine.job(user, after=-60) for _ in range(300)])
    engine.bus.slots = 101
    engine.scheduler.decide(engine.clock.now())
    await engine.scheduler.idle()
    assert sizes == [51, 50]


async def test_a_flood_found_at_the_start_does_not_hide_anothers_job(dsn: str, engine: Engine) -> None:
    flood, other = await engine.user("flood"), await engine.user("other")
    engine.bus.slots = 0
    await engine.submit.many([engine.job(flood, after=-60) for _ in range(12_000)])
    job_id = await engine.add(other, after=-1)
    await engine.ownership.leave()
    fresh = await Engine(dsn, engine.clock, slots=4).start()
    fresh.bus.answer = lambda run: None
    await fresh.settle_down()
    assert job_id in fresh.bus.open
    assert len(fresh.backlog) < 12_000, "memory is bounded"
    await fresh.stop()


async def test_a_flood_that_comes_due_while_it_is_read_ahead_is_not_read_to_its_end(engine: Engine) -> None:
    user, due = await engine.user("flood"), engine.stores.due
    engine.hold_in_memory(100)
    engine.bus.slots = 0
    await engine.submit.many([engine.job(user, after=1) for _ in range(12_000)])
    engine.due.restart()
    read, pages = due.due, list[int]()

    async def slowly(*arguments: Any) -> Any:
        page = await read(*arguments)
        if not pages:
            engine.clock.advance(1)
        pages.append(len(page))
        return page

    due.due = slowly  # type: ignore[method-assign]
    await engine.settle_down()
    assert sum(pages) <= 4000, "what is due already is read from the heads of the queues"
    engine.bus.slots = 1000
    await engine.settle_down(turns=1000)
    assert len(engine.bus.sent) == 12_000


async def test_limits_of_a_definition_hold_across_restarts(dsn: str, engine: Engine) -> None:
    user = await engine.user()
    limited = Definition(policy=Policy(limit=Limit(max_concurrency=2)))
    engine.bus.answer = lambda run: None
    ids = await engine.submit.many([engine.job(user, definition=limited, after=-1) for _ in range(10)])
    assert len({one % 1024 for one in ids}) == 1, "one shard, so one scheduler sees them all"
    await engine.settle_down()
    assert len(engine.bus.open) == 2
    engine.bus.end(next(iter(engine.bus.open)))
    await engine.settle_down()
    assert (len(engine.bus.open), len(engine.bus.sent)) == (2, 3)
    await engine.ownership.leave()
    fresh = await Engine(dsn, engine.clock).start()
    fresh.bus.answer = lambda run: None
    await fresh.rescue.run_once()
    await fresh.settle_down()
    assert len(fresh.bus.open) == 2, "the limit was looked up from the definition"
    await fresh.stop()


async def test_a_users_limit_that_is_raised_or_taken_away_holds_nobody_back_any_more(engine: Engine) -> None:
    """The user waits for a run to end, and that would let it go only by the limit that it had then."""
    user = await engine.user()
    engine.bus.answer = lambda run: None
    for limits, open_after in ((Limit(max_concurrency=1), 1), (Limit(max_concurrency=3), 3), (None, 5)):
        await engine.stores.accounts.change_user(user, UserChange(limits=limits), engine.clock.now(), user)
        await engine.rules.run_once()
        if open_after == 1:
            await engine.submit.many([engine.job(user, after=-1) for _ in range(5)])
        await engine.settle_down()
        assert len(engine.bus.open) == open_after


async def test_a_users_limit_counts_what_ran_before_it_was_set(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    before = await engine.submit.many([engine.job(user, after=-1) for _ in range(3)])
    await engine.settle_down()
    assert len(engine.bus.open) == 3
    change = UserChange(limits=Limit(max_concurrency=1))
    await engine.stores.accounts.change_user(user, change, engine.clock.now(), user)
    await engine.rules.run_once()
    await engine.submit.many([engine.job(user, after=-1) for _ in range(5)])
    for left, job_id in zip((2, 1, 1), before, strict=True):
        engine.bus.end(job_id)
        await engine.settle_down()
        assert len(engine.bus.open) == left


async def test_quotas_refuse_before_accepting(engine: Engine) -> None:
    user = await engine.user()
    change = UserChange(quotas=Quotas(pending_jobs=5, payload_bytes=10))
    await engine.stores.accounts.change_user(user, change, engine.clock.now(), user)
    engine.clock.advance(2)
    with pytest.raises(TooLarge, match="10 bytes"):
        await engine.add(user, "much too long for ten")
    await engine.submit.many([engine.job(user, after=100) for _ in range(5)])
    with pytest.raises(OverLimit, match="5 waiting jobs") as refused:
        await engine.add(user, after=100)
    assert refused.value.retry_after > 0
    assert await engine.count("jobs") == 5
    await engine.pass_time(120, step=30)
    await engine.add(user)


async def test_pinned_users_stay_on_their_shards(engine: Engine) -> None:
    user = await engine.user()
    await engine.stores.accounts.change_user(user, UserChange(pinned_to=(3, 900)), engine.clock.now(), user)
    engine.clock.advance(2)
    ids = await engine.submit.many([engine.job(user, after=100) for _ in range(20)])
    assert {one % 1024 for one in ids} == {3, 900}


async def test_hours_hold_the_first_attempt(engine: Engine) -> None:
    user = await engine.user()
    hours = Definition(policy=Policy(hours=Hours("09:00-17:00", "UTC")))
    submitted = await engine.submit.one(engine.job(user, definition=hours))
    assert submitted.job.due_at == engine.clock.now() + timedelta(hours=9)
    assert submitted.job.execute_at == engine.clock.now()
    await engine.settle_down()
    assert not engine.bus.sent
    engine.clock.advance(timedelta(hours=9))
    await engine.ownership.run_once()
    await engine.settle_down()
    assert len(engine.bus.sent) == 1


async def test_a_broken_host_keeps_its_jobs_attempts_and_is_visible(engine: Engine) -> None:
    user = await engine.user()
    down = Definition(target=HttpTarget("http://down.example/x"))
    up = Definition(target=HttpTarget("http://up.example/x"))
    engine.bus.answer = lambda run: failed("connection", "no") if "down" in str(run.definition.target) else SUCCEEDED
    engine.bus.slots = THRESHOLD
    await engine.submit.many([engine.job(user, definition=down, after=-1) for _ in range(100)])
    await engine.submit.many([engine.job(user, definition=up) for _ in range(5)])
    await engine.settle_down()
    tried = [run for run in engine.bus.sent if "down" in str(run.definition.target)]
    assert len(tried) < 3 * THRESHOLD, "attempts are not burned"
    assert await engine.count("history") == 5
    await engine.publish_gates.run_once()
    (broken,) = await engine.breakers.list(user)
    assert broken.host == "http://down.example"
    engine.bus.answer = lambda run: SUCCEEDED
    engine.clock.advance(FIRST_PAUSE)
    await engine.pass_time(30, step=1)
    assert await engine.count("history") == 105
    await engine.publish_gates.run_once()
    assert await engine.breakers.list(user) == []


async def test_dead_letters_are_found_and_live_again(engine: Engine) -> None:
    user = await engine.user()
    once = Definition(policy=ONCE)
    engine.bus.answer = lambda run: failed("x", f"cannot {run.message}")
    ids = [await engine.add(user, f"thing {n}", definition=once) for n in range(3)]
    await engine.settle_down()
    found = await engine.dead_letters.list(user, DeadFilter(error="THING 1"))
    assert [job.id for job in found] == [ids[1]]
    engine.bus.answer = lambda run: SUCCEEDED
    assert await engine.dead_letters.redrive(user, ids[:2], None, user) == ids[:2]
    assert await engine.dead_letters.redrive(user, ids[:2], None, user) == [], "they are not dead any more"
    await engine.settle_down()
    job = await engine.insight.job(user, ids[0])
    assert (job.state, job.attempts) == (JobState.SUCCEEDED, 2)
    assert [(run.attempt, run.state) for run in await engine.insight.runs(user, ids[0])] == [
        (1, JobState.DEAD),
        (2, JobState.SUCCEEDED),
    ]
    assert await engine.dead_letters.discard(user, [ids[2], ids[0]], user) == [ids[2]]
    assert (await engine.insight.job(user, ids[2])).state is JobState.CANCELLED
    assert await engine.insight.stats(user) == {JobState.SUCCEEDED: 2, JobState.CANCELLED: 1}


async def test_a_redriven_job_has_all_its_attempts_again_and_is_paced(engine: Engine) -> None:
    user = await engine.user()
    policy = Definition(policy=Policy(retry=Retry(max_attempts=2, delays=(1,))))
    engine.bus.answer = lambda run: failed("x", "no")
    ids = [await engine.add(user, definition=policy) for _ in range(3)]
    await engine.pass_time(5)
    await engine.dead_letters.redrive(user, ids, 0.1, user)
    before = len(engine.bus.sent)
    await engine.pass_time(5)
    assert len(engine.bus.sent) - before == 2, "one job, two attempts; the others wait for their pace"
    await engine.pass_time(25)
    jobs = [await engine.insight.job(user, one) for one in ids]
    assert [(job.state, job.attempts) for job in jobs] == [(JobState.DEAD, 4)] * 3


async def test_lanes_wait_for_a_person_who_retries_skips_or_clears(engine: Engine) -> None:
    user = await engine.user()
    bad = True
    engine.bus.answer = lambda run: failed("x", "broken") if run.message == "bad" and bad else SUCCEEDED
    once = Definition(policy=ONCE)

    async def blocked_lane(name: str) -> list[int]:
        ids = [await engine.add(user, message, lane=name, definition=once) for message in ("bad", "good", "good")]
        await engine.settle_down()
        return ids

    a, b, c = await blocked_lane("a"), await blocked_lane("b"), await blocked_lane("c")
    lanes = await engine.dead_letters.lanes(user, blocked=True, limit=10)
    assert [(lane.lane, lane.head, lane.length, lane.blocked, lane.reason) for lane in lanes] == [
        ("a", a[0], 3, True, "broken"),
        ("b", b[0], 3, True, "broken"),
        ("c", c[0], 3, True, "broken"),
    ]
    await engine.dead_letters.skip_head(user, "a", user)
    assert sorted(await engine.dead_letters.clear(user, "c", user)) == sorted(c)
    bad = False
    await engine.dead_letters.retry_head(user, "b", user)
    await engine.settle_down()
    states = {one: (await engine.insight.job(user, one)).state for one in a + b + c}
    assert [states[one] for one in a] == [JobState.DEAD, JobState.SUCCEEDED, JobState.SUCCEEDED]
    assert [states[one] for one in b] == [JobState.SUCCEEDED] * 3
    assert [states[one] for one in c] == [JobState.CANCELLED] * 3
    await engine.add(user, lane="d", after=100)
    with pytest.raises(Conflict, match="not blocked"):
        await engine.dead_letters.retry_head(user, "d", user)


async def test_a_dead_job_cannot_be_edited_in_place(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: failed("x", "no")
    job_id = await engine.add(user, definition=Definition(policy=ONCE))
    await engine.settle_down()
    with pytest.raises(Conflict):
        await engine.control.edit(user, job_id, JobEdit(message="y"), user)


async def test_more_than_a_page_due_at_the_very_same_instant(dsn: str, engine: Engine) -> None:
    """The look-ahead gets past an instant at which more is due than a page holds."""
    user = await engine.user()
    at = engine.clock.now() + timedelta(seconds=30)
    await engine.submit.many([engine.job(user, at=at) for _ in range(6000)])
    await engine.ownership.leave()
    engine.clock.advance_to(at)
    fresh = await Engine(dsn, engine.clock).start()
    await fresh.settle_down()
    assert len(fresh.bus.sent) == 6000
    await fresh.stop()
