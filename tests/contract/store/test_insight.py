"""What people read: one job, listings, every attempt, counts; each for its user only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from contract.store.place import NOW, Place, at
from duetime.model.definition import Definition
from duetime.model.job import JobFilter
from duetime.model.states import JobState
from duetime.store.port import Again


async def ids(place: Place, **wanted: Any) -> list[int]:
    """The ids that a filter means."""
    return [job.id for job in await place.stores.insight.jobs(place.user, JobFilter(**wanted))]


async def test_a_job_is_shown_as_it_was_handed_in(place: Place) -> None:
    ref = await place.add(
        30, lane="a", priority=8, labels='{"team":"x"}', message="do it", expires_at=at(60), due_at=at(40)
    )
    job = await place.stores.insight.job(place.user, ref.id)
    assert job is not None
    assert (job.id, job.user_id, job.state) == (ref.id, place.user, JobState.CREATED)
    assert (job.definition_id, job.definition, job.message) == (place.definition, Definition(), "do it")
    assert (job.execute_at, job.due_at, job.created_at, job.expires_at) == (at(30), at(40), at(-10), at(60))
    assert (job.lane, job.priority, job.labels, job.attempts) == ("a", 8, {"team": "x"}, 0)
    assert (job.finished_at, job.reason, job.cancel_requested, job.schedule_id) == (None, None, False, None)
    assert await place.stores.insight.job(place.user, ref.id + 1024) is None


async def test_a_job_keeps_its_face_when_it_is_finished(place: Place) -> None:
    ref = await place.add(lane="a", priority=8, labels='{"team":"x"}', message="do it")
    before = await place.stores.insight.job(place.user, ref.id)
    await place.die(ref, "why not")
    after = await place.stores.insight.job(place.user, ref.id)
    assert before is not None
    assert after is not None
    same = ("id", "user_id", "definition", "message", "execute_at", "created_at", "lane", "priority", "labels")
    assert {name: getattr(after, name) for name in same} == {name: getattr(before, name) for name in same}
    assert (after.state, after.reason, after.finished_at, after.attempts) == (JobState.DEAD, "why not", at(1), 1)


async def test_nobody_reads_another_users_jobs(place: Place) -> None:
    ref, done, stranger = await place.add(), await place.add(), await place.new_user()
    await place.die(done)
    await place.launch(ref)
    for job_id in (ref.id, done.id):
        assert await place.stores.insight.job(stranger, job_id) is None
        assert await place.stores.insight.runs(stranger, job_id) == []
    assert await place.stores.insight.jobs(stranger, JobFilter()) == []
    assert await place.stores.insight.stats(stranger) == {}


async def test_a_listing_is_newest_first_with_finished_ones_page_by_page(place: Place) -> None:
    refs = [await place.add(seconds) for seconds in (3, 1, 2, 0)]
    await place.die(refs[1])
    await place.launch(refs[3])
    newest = [ref.id for ref in reversed(refs)]
    assert await ids(place) == newest
    assert await ids(place, limit=3) == newest[:3]
    assert await ids(place, limit=3, before_id=newest[2]) == newest[3:]


async def test_a_listing_is_narrowed_by_state(place: Place) -> None:
    waiting, running, dead, held = [await place.add(lane=lane) for lane in (None, None, None, "a")]
    gone = await place.add()
    await place.launch(running)
    await place.die(dead)
    await place.die(held, park=True)
    await place.stores.control.withdraw(place.user, gone.id, JobState.SKIPPED, "x", NOW, place.user)
    assert await ids(place, status=JobState.CREATED) == [waiting.id]
    assert await ids(place, status=JobState.RUNNING) == [running.id]
    assert await ids(place, status=JobState.DEAD) == [held.id, dead.id]
    assert await ids(place, status=JobState.SKIPPED) == [gone.id]
    assert await ids(place, status=JobState.SUCCEEDED) == []


async def test_a_listing_is_narrowed_by_instant_lane_and_message(place: Place) -> None:
    early, late = await place.add(10, message="Send Mail"), await place.add(20, lane="a", message="other")
    done = await place.add(10, message="more mail")
    await place.die(done)
    assert await ids(place, from_=at(20)) == [late.id], "from is inclusive"
    assert await ids(place, to=at(20)) == [done.id, early.id], "to is exclusive"
    assert await ids(place, ordering_key="a") == [late.id]
    assert await ids(place, q="MAIL") == [done.id, early.id]
    assert await ids(place, q="%") == [], "what is looked for is text, not a pattern"


async def test_every_attempt_is_shown_first_to_last(place: Place) -> None:
    ref = await place.add()
    assert await place.stores.insight.runs(place.user, ref.id) == []
    await place.launch(ref)
    again = Again(ref.id, place.node, 1, JobState.FAILED, at(1), at(2), None, at(5), False)
    (back,) = await place.stores.settle.retry([again])
    await place.launch(back)
    first, second = await place.stores.insight.runs(place.user, ref.id)
    assert (first.attempt, first.state, first.due_at, first.launched_at) == (1, JobState.FAILED, NOW, NOW)
    assert (first.started_at, first.finished_at, first.executor) == (at(1), at(2), "node")
    assert (second.attempt, second.state, second.due_at) == (2, JobState.RUNNING, at(5))
    assert (second.launched_at, second.started_at, second.finished_at) == (at(5), None, None)


async def test_an_attempt_keeps_why_it_failed(place: Place) -> None:
    ref = await place.add()
    await place.die(ref, "no answer", "timeout")
    (run,) = await place.stores.insight.runs(place.user, ref.id)
    assert run.failure is not None
    assert (run.state, run.failure.kind, run.failure.message, run.answer) == (
        JobState.DEAD,
        "timeout",
        "no answer",
        None,
    )


async def test_counts_follow_every_change_of_state(place: Place) -> None:
    async def counts() -> dict[str, int]:
        return {state.value: number for state, number in (await place.stores.insight.stats(place.user)).items()}

    assert await counts() == {}
    waiting, running, dead, held = [await place.add(lane=lane) for lane in (None, None, None, "a")]
    assert await counts() == {"created": 4}
    await place.launch(running)
    assert await counts() == {"created": 3, "running": 1}
    await place.die(dead)
    await place.die(held, park=True)
    assert await counts() == {"created": 1, "running": 1, "dead": 2}
    await place.succeed(running)
    await place.stores.control.withdraw(place.user, waiting.id, JobState.CANCELLED, "x", NOW, place.user)
    assert await counts() == {"succeeded": 1, "cancelled": 1, "dead": 2}
    await place.stores.dead.redrive(place.user, [dead.id, held.id], NOW + timedelta(hours=1), 0.0, NOW, place.user)
    assert await counts() == {"succeeded": 1, "cancelled": 1, "created": 2}
    await place.stores.retention.fold_tallies()
    assert await counts() == {"succeeded": 1, "cancelled": 1, "created": 2}, "folding changes nothing"
