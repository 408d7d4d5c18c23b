"""What people read: one job, listings, every attempt, counts; each for its user only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from contract.store.place import NOW, Place, at
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.job import JobFilter
from duetime.model.lane import LaneHead
from duetime.model.policy import Policy
from duetime.model.states import JobState
from duetime.model.user import Usage
from duetime.store.port import Again, KeyClaim
from duetime.timing.calendars import Calendar


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
    assert await ids(place, statuses=(JobState.CREATED,)) == [waiting.id]
    assert await ids(place, statuses=(JobState.RUNNING,)) == [running.id]
    assert await ids(place, statuses=(JobState.DEAD,)) == [held.id, dead.id]
    assert await ids(place, statuses=(JobState.SKIPPED,)) == [gone.id]
    assert await ids(place, statuses=(JobState.SUCCEEDED,)) == []


async def test_a_listing_is_narrowed_by_instant_lane_and_message(place: Place) -> None:
    early, late = await place.add(10, message="Send Mail"), await place.add(20, lane="a", message="other")
    done = await place.add(10, message="more mail")
    await place.die(done)
    assert await ids(place, from_=at(20)) == [late.id], "from is inclusive"
    assert await ids(place, to=at(20)) == [done.id, early.id], "to is exclusive"
    assert await ids(place, ordering_key="a") == [late.id]
    assert await ids(place, q="MAIL") == [done.id, early.id]
    assert await ids(place, q="%") == [], "what is looked for is text, not a pattern"


async def test_a_listing_is_narrowed_by_labels_and_schedule(place: Place) -> None:
    order = '{"order":"4711","team":"sales"}'
    both, one = await place.add(labels=order), await place.add(labels='{"team":"sales"}')
    ended, running = await place.add(labels=order), await place.add(labels=order, schedule_id=9)
    other = await place.new_user()
    await place.add(labels=order, user_id=other)
    await place.add()
    await place.die(ended)
    await place.launch(running)
    assert await ids(place, labels={"team": "sales"}) == [running.id, ended.id, one.id, both.id]
    assert await ids(place, labels={"team": "sales", "order": "4711"}) == [running.id, ended.id, both.id]
    assert await ids(place, labels={"order": "4711"}, statuses=(JobState.RUNNING,)) == [running.id]
    assert await ids(place, labels={"order": "4711"}, statuses=(JobState.DEAD,)) == [ended.id]
    assert await ids(place, labels={"order": "4711"}, before_id=ended.id) == [both.id]
    assert await ids(place, labels={"order": "4711"}, limit=1) == [running.id]
    assert await ids(place, labels={"order": "471"}) == []
    assert await ids(place, schedule_id=9) == [running.id]
    assert await ids(place, schedule_id=8) == []


async def test_a_label_on_more_jobs_than_an_index_can_narrow_pages_on_all_the_same(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duetime.store.postgres.job_search.FEW", 3)
    refs = [await place.add(labels='{"team":"sales"}', schedule_id=9) for _ in range(5)]
    newest = [ref.id for ref in reversed(refs)]
    assert await ids(place, labels={"team": "sales"}, limit=3) == newest[:3]
    assert await ids(place, labels={"team": "sales"}, limit=3, before_id=newest[2]) == newest[3:]
    assert await ids(place, schedule_id=9, limit=4) == newest[:4]


async def test_the_jobs_that_can_be_cancelled_are_those_that_have_not_ended(place: Place) -> None:
    waiting, running, asked, dead, held = [
        await place.add(lane=lane, labels='{"a":"b"}') for lane in (None, None, None, None, "a")
    ]
    await place.launch(running, asked)
    await place.stores.control.request_cancel(place.user, asked.id, NOW, place.user)
    await place.die(dead)
    await place.die(held, park=True)
    insight = place.stores.insight
    assert await insight.open_ids(place.user, JobFilter()) == [running.id, waiting.id]
    assert await insight.open_ids(place.user, JobFilter(labels={"a": "b"})) == [running.id, waiting.id]
    assert await insight.open_ids(place.user, JobFilter(labels={"a": "c"})) == []
    assert await insight.open_ids(place.user, JobFilter(statuses=(JobState.RUNNING,))) == [running.id]
    assert await insight.open_ids(place.user, JobFilter(ids=(dead.id, running.id, 7))) == [running.id]
    assert await insight.open_ids(place.user, JobFilter(limit=1, before_id=running.id)) == [waiting.id]


async def test_a_job_is_found_by_its_key_whether_it_has_ended_or_not(place: Place) -> None:
    (new,) = await place.stores.submit.submit_once([place.row()], [KeyClaim("order/4711", b"f")], NOW)
    keys = ["order/4711", "other"]
    assert await place.stores.insight.jobs_by_key(place.user, keys) == {"order/4711": new.job_id}
    assert await place.stores.insight.jobs_by_key(await place.new_user(), keys) == {}
    await place.stores.control.withdraw(place.user, new.job_id, JobState.CANCELLED, "x", NOW, place.user)
    assert await place.stores.insight.jobs_by_key(place.user, keys) == {"order/4711": new.job_id}


async def test_the_job_that_a_lane_waits_for_is_the_one_in_flight_or_the_first(place: Place) -> None:
    first, _ = await place.add(0, lane="a"), await place.add(5, lane="a")
    other = await place.add(0, lane="b")
    lane_heads = place.stores.insight.lane_heads
    assert await lane_heads(place.user, ["a", "empty"]) == {"a": LaneHead(first.id, JobState.CREATED, None)}
    await place.launch(first)
    early = await place.add(-5, lane="a")
    assert await lane_heads(place.user, ["a"]) == {"a": LaneHead(first.id, JobState.RUNNING, NOW)}
    await place.succeed(first)
    assert await lane_heads(place.user, ["a"]) == {"a": LaneHead(early.id, JobState.CREATED, None)}
    await place.die(other, park=True)
    assert await place.stores.insight.lane_heads(place.user, ["b"]) == {"b": LaneHead(other.id, JobState.DEAD, at(1))}
    assert await lane_heads(await place.new_user(), ["a", "b"]) == {}


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


async def test_only_the_last_attempts_of_many_are_shown(place: Place) -> None:
    ref = await place.add()
    for attempt in range(1, 106):
        await place.launch(ref)
        again = Again(ref.id, place.node, attempt, JobState.FAILED, at(1), at(2), None, at(5), False)
        (ref,) = await place.stores.settle.retry([again])
    runs = await place.stores.insight.runs(place.user, ref.id)
    assert [run.attempt for run in runs] == list(range(6, 106))


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


async def test_what_a_user_has_is_counted_for_it_alone(place: Place) -> None:
    stranger = await place.new_user()
    assert await place.stores.insight.usage(stranger) == Usage()
    before = await place.stores.insight.usage(place.user)
    for name, days in (("a", 2), ("b", 3)):
        dates = tuple(NOW.date() + timedelta(days=n) for n in range(days))
        content = msgspec.json.encode(Calendar(name, dates)).decode()
        await place.stores.calendars.create(place.user, name, content, NOW, place.user)
    body = encode_definition(Definition(policy=Policy(timeout=3)))
    await place.stores.submit.intern([(place.user, definition_hash(body), body)], NOW.date())
    after = await place.stores.insight.usage(place.user)
    assert (after.calendars, after.calendar_dates) == (2, 5)
    assert (after.definitions - before.definitions, after.schedules) == (1, 0)
    assert await place.stores.submit.other_definitions(place.user, []) == after.definitions
    assert await place.stores.submit.other_definitions(place.user, [definition_hash(body)]) == before.definitions


async def test_bytes_are_those_of_waiting_messages(place: Place) -> None:
    await place.add(message="käse")
    ended = await place.add(message="x" * 5000)
    await place.die(await place.add(message="y" * 100))
    assert await place.stores.insight.message_bytes(place.user) == len("käse".encode()) + 5000
    await place.die(ended)
    assert await place.stores.insight.message_bytes(place.user) == 5
    assert await place.stores.insight.message_bytes(await place.new_user()) == 0
