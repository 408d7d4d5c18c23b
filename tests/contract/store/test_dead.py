"""Dead letters: found, sent again in their order, or given up, each with its audit."""

from __future__ import annotations

from typing import Any

import pytest

from contract.store.place import EVERYTHING, NOW, Audited, Place, at
from duetime.model.definition import Definition
from duetime.model.flow import flow_of_job
from duetime.model.job import DeadFilter
from duetime.model.policy import Policy
from duetime.model.states import JobState
from duetime.store.port import JobRef

park = pytest.mark.parametrize("park", [False, True], ids=["in history", "holding its lane"])


async def dead_job(place: Place, *, park: bool = False, lane: str | None = None, **more: Any) -> JobRef:
    """A job whose first attempt failed for good."""
    ref = await place.add(lane="held" if park and lane is None else lane, **more)
    await place.die(ref, park=park)
    return ref


async def ids(place: Place, **wanted: Any) -> list[int]:
    """The ids of the dead jobs that a filter means."""
    return [job.id for job in await place.stores.dead.dead(place.user, DeadFilter(**wanted))]


async def redrive(place: Place, *job_ids: int, first_at: float = 0, spacing: float = 0.0) -> list[JobRef]:
    """Send dead jobs again as the user."""
    return await place.stores.dead.redrive(place.user, job_ids, at(first_at), spacing, at(5), place.user)


async def test_dead_jobs_are_shown_newest_first_wherever_they_are(place: Place) -> None:
    first, held = await dead_job(place), await dead_job(place, park=True)
    last, alive = await dead_job(place), await place.add()
    assert await ids(place) == [last.id, held.id, first.id]
    assert await ids(place, before_id=last.id, limit=1) == [held.id]
    jobs = await place.stores.dead.dead(place.user, DeadFilter())
    assert {job.state for job in jobs} == {JobState.DEAD}
    assert {job.reason for job in jobs} == {"broken"}
    assert {job.attempts for job in jobs} == {1}
    assert alive.id not in await ids(place)


async def test_dead_jobs_are_found_by_what_they_failed_of(place: Place) -> None:
    plain, held = await place.add(), await place.add(lane="a")
    await place.die(plain, "Connection refused", "connection")
    await place.die(held, "Server said 503", "http_503", park=True)
    assert await ids(place, error="REFUSED") == [plain.id]
    assert await ids(place, error="connection") == [plain.id]
    assert await ids(place, error="http_503") == [held.id]
    assert await ids(place, error="timeout") == []


async def test_dead_jobs_are_found_by_lane_definition_instant_and_id(place: Place) -> None:
    other = await place.intern(Definition(policy=Policy(timeout=5.0)))
    plain, held = await dead_job(place), await dead_job(place, park=True, definition_id=other)
    assert await ids(place, ordering_key="held") == [held.id]
    assert await ids(place, definition_id=place.definition) == [plain.id]
    assert await ids(place, definition_id=other) == [held.id]
    assert await ids(place, from_=at(1)) == [held.id, plain.id], "from is inclusive"
    assert await ids(place, to=at(1)) == [], "to is exclusive"
    alive = await place.add()
    assert await ids(place, ids=(plain.id, alive.id, held.id), error="nothing of the rest counts") == [
        held.id,
        plain.id,
    ]


@park
async def test_another_life_begins_where_the_last_one_ended(place: Place, park: bool) -> None:
    ref = await dead_job(place, park=park)
    (back,) = await redrive(place, ref.id, first_at=20)
    assert back == ref._replace(due_at=at(20), attempt=1)
    assert await ids(place) == []
    assert await place.state(ref.id) == "created"
    assert await place.stores.due.due((NOW, 0), at(60), EVERYTHING, 10) == [back]
    (row,) = await place.rows(back)
    assert (row.attempt, row.base_attempt) == (1, 1), "attempts go on counting, so that a run's id never comes twice"
    runs = await place.stores.insight.runs(place.user, ref.id)
    assert [run.attempt for run in runs] == [1, 2]
    assert runs[-1].state is JobState.RUNNING


async def test_jobs_are_sent_again_in_the_order_given_one_every_so_often(place: Place) -> None:
    first, second, held = await dead_job(place), await dead_job(place), await dead_job(place, park=True)
    given = [held.id, second.id, 7, second.id, first.id]
    back = await redrive(place, *given, first_at=10, spacing=3.0)
    assert {ref.id: ref.due_at for ref in back} == {held.id: at(10), second.id: at(13), first.id: at(16)}


@park
async def test_what_is_not_dead_or_another_users_is_left_alone(place: Place, park: bool) -> None:
    ref, alive, stranger = await dead_job(place, park=park), await place.add(), await place.new_user()
    before = await place.audit()
    assert await redrive(place, alive.id) == []
    assert await place.stores.dead.redrive(stranger, [ref.id], NOW, 0.0, NOW, stranger) == []
    assert await place.stores.dead.discard(stranger, [ref.id, alive.id], NOW, stranger) == []
    assert await place.stores.dead.dead(stranger, DeadFilter()) == []
    assert (await place.state(ref.id), await place.state(alive.id)) == ("dead", "created")
    assert await place.audit() == before, "nothing was changed, so nothing is on record"


@park
async def test_sending_again_twice_gives_one_more_life(place: Place, park: bool) -> None:
    ref = await dead_job(place, park=park)
    assert len(await redrive(place, ref.id)) == 1
    assert await redrive(place, ref.id) == []
    assert (await place.audit())[-1] == Audited(place.user, "dead_letters.redriven", f"user:{place.user}")
    assert [entry.action for entry in await place.audit()].count("dead_letters.redriven") == 1


@park
async def test_an_expiry_that_has_passed_does_not_keep_a_job_from_running_again(place: Place, park: bool) -> None:
    passed = await dead_job(place, park=park, lane="a" if park else None, expires_at=at(3))
    ahead = await dead_job(place, park=park, lane="b" if park else None, expires_at=at(30))
    await redrive(place, passed.id, ahead.id)
    jobs = [await place.stores.insight.job(place.user, ref.id) for ref in (passed, ahead)]
    assert [job.expires_at for job in jobs if job] == [None, at(30)]


async def test_a_job_comes_back_into_the_flow_of_its_definition(place: Place) -> None:
    labelled = Definition(policy=Policy(requires={"gpu": "yes"}))
    definition = await place.intern(labelled)
    ref = await dead_job(place, definition_id=definition)
    (back,) = await redrive(place, ref.id)
    assert back.flow == flow_of_job(place.user, definition, labelled)


async def test_a_job_of_a_lane_comes_back_behind_what_is_before_it(place: Place) -> None:
    ref = await dead_job(place, lane="a")
    before = await place.add(-5, lane="a")
    (back,) = await redrive(place, ref.id)
    assert await place.launch(back) == set()
    assert await place.launch(before) == {before.id}


async def test_a_dead_job_is_given_up_once_and_stays_on_record(place: Place) -> None:
    ref = await dead_job(place)
    (ended,) = await place.stores.dead.discard(place.user, [ref.id, 7], at(9), place.user)
    assert (ended.job_id, ended.state, ended.finished_at) == (ref.id, JobState.CANCELLED, at(9))
    assert await place.stores.dead.discard(place.user, [ref.id], at(9), place.user) == []
    job = await place.stores.insight.job(place.user, ref.id)
    assert job is not None
    assert (job.state, job.reason) == (JobState.CANCELLED, "discarded: broken")
    assert await ids(place) == []
    assert await place.stores.insight.stats(place.user) == {JobState.CANCELLED: 1}
    assert (await place.audit())[-1] == Audited(place.user, "dead_letters.discarded", f"user:{place.user}")


async def test_giving_up_leaves_a_dead_job_that_holds_its_lane_to_a_withdrawal(place: Place) -> None:
    ref = await dead_job(place, park=True)
    assert await place.stores.dead.discard(place.user, [ref.id], at(9), place.user) == []
    assert await place.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "given up", at(9), place.user)
    assert await place.state(ref.id) == "cancelled"
