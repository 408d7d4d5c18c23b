"""One job's whole way through the real store, step by step, on a clock that the test turns."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from duetime.model.definition import Definition
from duetime.model.errors import Conflict, NotFound
from duetime.model.job import JobEdit, JobFilter
from duetime.model.outcome import CANCELLED, failed
from duetime.model.policy import Policy, Retry
from duetime.model.states import JobState
from duetime.model.targets.http import HttpAnswer
from harness.engine import Engine


def policy(**more: Any) -> Definition:
    return Definition(policy=Policy(**more))


async def test_a_job_for_now_runs_and_is_on_record(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, "hello", labels={"team": "a"}, priority=7)
    await engine.settle_down()
    job = await engine.insight.job(user, job_id)
    assert (job.state, job.attempts, job.message, job.labels, job.priority) == (
        JobState.SUCCEEDED,
        1,
        "hello",
        {"team": "a"},
        7,
    )
    (run,) = await engine.insight.runs(user, job_id)
    assert (run.state, run.attempt, run.log) == (JobState.SUCCEEDED, 1, "hello")
    assert run.due_at <= run.launched_at <= run.started_at <= run.finished_at
    assert await engine.count("jobs") == await engine.count("in_flight") == 0


async def test_never_early_and_at_its_instant(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=10)
    await engine.pass_time(9.999)
    assert not engine.bus.sent
    assert (await engine.insight.job(user, job_id)).state is JobState.CREATED
    await engine.pass_time(0.001)
    assert [run.job_id for run in engine.bus.sent] == [job_id]
    assert engine.bus.sent[0].due_at == engine.clock.now()


async def test_due_order_then_id_and_priority_first(engine: Engine) -> None:
    user = await engine.user()
    late = await engine.add(user, "late", after=3)
    early = await engine.add(user, "early", after=1)
    urgent = await engine.add(user, "urgent", after=3, priority=9)
    engine.bus.slots = 0
    await engine.pass_time(4)
    engine.bus.slots = 10
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [urgent, early, late]


async def test_ids_carry_the_shard_and_stay_below_2_53(engine: Engine) -> None:
    user = await engine.user()
    ids = await engine.submit.many([engine.job(user, str(n), after=100) for n in range(2000)])
    assert ids == sorted(ids)
    assert max(ids) < 2**53
    assert len({one % 1024 for one in ids}) == 1024
    lane = [await engine.add(user, "x", after=100, lane="k") for _ in range(3)]
    assert len({one % 1024 for one in lane}) == 1


async def test_jobs_in_the_past_run_at_once(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=-3600)
    await engine.settle_down()
    job = await engine.insight.job(user, job_id)
    assert job.state is JobState.SUCCEEDED
    assert job.execute_at < job.created_at


async def test_idempotency_key_finds_the_same_job(engine: Engine) -> None:
    user, other = await engine.user("a"), await engine.user("b")
    first = await engine.submit.one(engine.job(user, "x", idempotency_key="k", fingerprint=b"1"))
    again = await engine.submit.one(engine.job(user, "x", idempotency_key="k", fingerprint=b"1"))
    assert (again.job.id, first.repeated, again.repeated) == (first.job.id, False, True)
    with pytest.raises(Conflict):
        await engine.submit.one(engine.job(user, "y", idempotency_key="k", fingerprint=b"2"))
    elsewhere = await engine.submit.one(engine.job(other, "x", idempotency_key="k", fingerprint=b"1"))
    assert elsewhere.job.id != first.job.id
    assert await engine.count("jobs") == 2


async def test_a_failure_is_retried_with_backoff_and_each_run_recorded(engine: Engine) -> None:
    user = await engine.user()
    answer = HttpAnswer(503, {"a": "b"}, "busy", body_cut=False)
    engine.bus.answer = lambda run: failed("http_503", "busy", answer=answer)
    retry = Retry(max_attempts=3, backoff="fixed", base=10.0, jitter="none")
    job_id = await engine.add(user, definition=policy(retry=retry))
    await engine.settle_down()
    assert len(engine.bus.sent) == 1
    await engine.pass_time(30)
    job = await engine.insight.job(user, job_id)
    assert (job.state, job.attempts, job.reason) == (JobState.DEAD, 3, "busy")
    runs = await engine.insight.runs(user, job_id)
    assert [run.attempt for run in runs] == [1, 2, 3]
    assert [run.state for run in runs] == [JobState.FAILED, JobState.FAILED, JobState.DEAD]
    assert [(b.due_at - a.due_at).total_seconds() for a, b in pairwise(runs)] == [10.0, 10.0]
    assert runs[0].answer == answer


async def test_expired_jobs_are_skipped_with_the_reason(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.slots = 0
    job_id = await engine.add(user, after=1, expires_at=engine.clock.now() + timedelta(seconds=5))
    await engine.pass_time(6)
    engine.bus.slots = 1
    await engine.settle_down()
    job = await engine.insight.job(user, job_id)
    assert job.state is JobState.SKIPPED
    assert "expires_at" in (job.reason or "")
    assert not engine.bus.sent


async def test_cancel_before_start_and_after_the_end(engine: Engine) -> None:
    user, stranger = await engine.user("a"), await engine.user("b")
    job_id = await engine.add(user, after=5)
    with pytest.raises(NotFound):
        await engine.control.cancel(stranger, job_id, stranger)
    assert (await engine.control.cancel(user, job_id, user)).state is JobState.CANCELLED
    await engine.pass_time(10)
    assert not engine.bus.sent
    with pytest.raises(Conflict, match="cancelled"):
        await engine.control.cancel(user, job_id, user)


async def test_cancel_of_a_running_job_asks_it_to_stop(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    job_id = await engine.add(user)
    await engine.settle_down()
    job = await engine.control.cancel(user, job_id, user)
    assert (job.state, job.cancel_requested, engine.stopped) == (JobState.RUNNING, True, [job_id])
    engine.bus.end(job_id, CANCELLED, asked=True)
    await engine.settle_down()
    assert (await engine.insight.job(user, job_id)).state is JobState.CANCELLED


async def test_a_job_asked_to_stop_is_not_retried_even_if_the_executor_has_not_heard(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None
    job_id = await engine.add(user)
    await engine.settle_down()
    await engine.control.cancel(user, job_id, user)
    engine.bus.end(job_id, failed("timeout", "slow"))
    await engine.pass_time(600, step=60)
    assert len(engine.bus.sent) == 1
    assert (await engine.insight.job(user, job_id)).state is JobState.CANCELLED


async def test_an_edit_counts_for_what_is_launched_later(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, "old", after=1)
    await engine.settle_down()
    edited = await engine.control.edit(
        user, job_id, JobEdit(message="new", execute_at=engine.clock.now() + timedelta(seconds=1.5)), user
    )
    assert edited.message == "new"
    await engine.pass_time(1.2, step=0.1)
    assert not engine.bus.sent
    await engine.pass_time(0.4, step=0.1)
    assert [run.message for run in engine.bus.sent] == ["new"]
    with pytest.raises(Conflict):
        await engine.control.edit(user, job_id, JobEdit(message="newer"), user)


async def test_run_now(engine: Engine) -> None:
    user = await engine.user()
    job_id = await engine.add(user, after=3600)
    job = await engine.control.run_now(user, job_id, user)
    await engine.settle_down()
    assert [run.job_id for run in engine.bus.sent] == [job_id]
    assert engine.bus.sent[0].execute_at == job.execute_at > engine.clock.now()


async def test_listing_pages_through_open_and_finished_newest_first(engine: Engine) -> None:
    user = await engine.user()
    done = [await engine.add(user, f"done {n}", lane="k" if n == 1 else None) for n in range(3)]
    await engine.settle_down()
    waiting = [await engine.add(user, f"Waiting {n}", after=100 + n) for n in range(3)]
    everything = sorted(done + waiting, reverse=True)
    first = await engine.insight.jobs(user, JobFilter(limit=4))
    rest = await engine.insight.jobs(user, JobFilter(limit=4, before_id=first[-1].id))
    assert [job.id for job in first + rest] == everything

    async def ids(**wanted: Any) -> list[int]:
        return [job.id for job in await engine.insight.jobs(user, JobFilter(**wanted))]

    assert await ids(statuses=(JobState.SUCCEEDED,)) == done[::-1]
    assert await ids(statuses=(JobState.CREATED,)) == waiting[::-1]
    assert await ids(ordering_key="k") == [done[1]]
    assert await ids(q="WAITING 2") == [waiting[2]]
    now = engine.clock.now()
    assert await ids(from_=now + timedelta(seconds=101), to=now + timedelta(seconds=102)) == [waiting[1]]
    assert await ids(statuses=(JobState.RUNNING,)) == []


async def test_stats_agree_with_the_rows_whatever_happened(engine: Engine) -> None:
    user = await engine.user()
    engine.bus.answer = lambda run: None if run.message == "open" else failed("x", "no")
    once = policy(retry=Retry(max_attempts=1))
    for message in ("open", "fails", "fails"):
        await engine.add(user, message, definition=once)
    cancelled = await engine.add(user, after=50)
    await engine.add(user, after=60)
    await engine.control.cancel(user, cancelled, user)
    await engine.settle_down()
    expected = {JobState.RUNNING: 1, JobState.DEAD: 2, JobState.CANCELLED: 1, JobState.CREATED: 1}
    assert await engine.insight.stats(user) == expected
    await engine.retention._store.fold_tallies()
    assert await engine.insight.stats(user) == expected


async def test_days_past_retention_are_dropped_with_their_counts(engine: Engine) -> None:
    user = await engine.user()
    old = await engine.add(user)
    await engine.settle_down()
    engine.clock.advance(timedelta(days=29))
    await engine.retention.run_once()
    await engine.ownership.run_once()
    recent = await engine.add(user)
    await engine.settle_down()
    assert (await engine.insight.stats(user))[JobState.SUCCEEDED] == 2
    engine.clock.advance(timedelta(days=3))
    await engine.retention.run_once()
    with pytest.raises(NotFound):
        await engine.insight.job(user, old)
    assert (await engine.insight.job(user, recent)).state is JobState.SUCCEEDED
    assert (await engine.insight.stats(user))[JobState.SUCCEEDED] == 1
