"""Keeping the store in shape: every verb may be repeated, and removes just what is old and no longer needed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from contract.store.place import NOW, Place, at
from contract.store.schedules import schedule
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.policy import Policy
from duetime.model.states import JobState
from duetime.store.port import Again, Ending, KeyClaim

TODAY = NOW.date()
DAY = timedelta(days=1)


async def finish_on(place: Place, days_ago: int) -> int:
    """A job with a retry that ended so many days before the present."""
    ref, then = await place.add(), NOW - days_ago * DAY
    await place.launch(ref)
    (back,) = await place.stores.settle.retry(
        [Again(ref.id, place.node, 1, JobState.FAILED, then, then, None, then, False)]
    )
    await place.launch(back)
    await place.stores.settle.finish([Ending(ref.id, place.node, 2, JobState.SUCCEEDED, then, then, None, None)])
    return ref.id


async def test_a_day_is_made_once_however_often_and_by_however_many(place: Place) -> None:
    retention = place.stores.retention
    await asyncio.gather(*(retention.make_days(TODAY - 5 * DAY, TODAY) for _ in range(3)))
    job_id = await finish_on(place, 5)
    assert await place.state(job_id) == "succeeded"
    assert await retention.drop_days(TODAY - 4 * DAY) == [TODAY - 5 * DAY]


async def test_what_finished_before_a_day_goes_with_its_runs_and_its_counts(place: Place) -> None:
    retention = place.stores.retention
    await retention.make_days(TODAY - 3 * DAY, TODAY)
    old, young, waiting = await finish_on(place, 3), await finish_on(place, 1), await place.add()
    await retention.fold_tallies()
    older = await finish_on(place, 3)
    assert await retention.drop_days(TODAY - DAY) == [TODAY - 3 * DAY, TODAY - 2 * DAY]
    for gone in (old, older):
        assert await place.stores.insight.job(place.user, gone) is None
        assert await place.stores.insight.runs(place.user, gone) == []
    assert await place.state(young) == "succeeded"
    assert len(await place.stores.insight.runs(place.user, young)) == 2
    assert await place.state(waiting.id) == "created"
    assert await place.stores.insight.stats(place.user) == {JobState.SUCCEEDED: 1, JobState.CREATED: 1}
    assert await retention.drop_days(TODAY - DAY) == [], "a repeat finds nothing to drop"


async def test_folding_keeps_every_count_however_often_it_is_done(place: Place) -> None:
    retention = place.stores.retention
    await place.add()
    before = await place.stores.insight.stats(place.user)
    await asyncio.gather(*(retention.fold_tallies() for _ in range(3)))
    assert await place.stores.insight.stats(place.user) == before
    await place.add()
    await retention.fold_tallies()
    assert await place.stores.insight.stats(place.user) == {JobState.CREATED: 2}


async def test_old_keys_of_finished_jobs_go_a_bounded_number_at_a_time_the_oldest_first(
    place: Place,
) -> None:
    for seconds in (0, 1, 2, 9):
        (new,) = await place.stores.submit.submit_once([place.row()], [KeyClaim(f"k{seconds}", b"f")], at(seconds))
        await place.stores.control.withdraw(place.user, new.job_id, JobState.CANCELLED, "x", at(seconds), place.user)
    retention = place.stores.retention
    assert await retention.drop_keys(at(0), at(20), 10) == 0, "only what is older"
    assert await retention.drop_keys(at(5), at(20), 2) == 2
    (kept,) = await place.stores.submit.submit_once([place.row()], [KeyClaim("k2", b"f")], at(10))
    assert kept.holder is not None
    (free,) = await place.stores.submit.submit_once([place.row()], [KeyClaim("k0", b"f")], at(10))
    assert free.holder is None
    assert await retention.drop_keys(at(5), at(20), 10) == 1
    assert await retention.drop_keys(at(5), at(20), 10) == 0


async def test_the_key_of_a_waiting_job_stays_and_does_not_hide_other_old_keys(place: Place) -> None:
    submit, retention = place.stores.submit, place.stores.retention
    (far,) = await submit.submit_once([place.row(900)], [KeyClaim("far", b"f")], at(0))
    (done,) = await submit.submit_once([place.row()], [KeyClaim("done", b"f")], at(1))
    await place.stores.control.withdraw(place.user, done.job_id, JobState.CANCELLED, "x", at(1), place.user)
    assert await retention.drop_keys(at(5), at(20), 1) == 0, "the waiting job's key is the oldest"
    assert await retention.drop_keys(at(5), at(20), 1) == 1, "and is not looked at again"
    assert await place.stores.insight.jobs_by_key(place.user, ["far", "done"]) == {"far": far.job_id}
    await place.stores.control.withdraw(place.user, far.job_id, JobState.CANCELLED, "x", at(2), place.user)
    assert await retention.drop_keys(at(30), at(40), 1) == 1


async def test_definitions_go_that_nothing_refers_to_and_nobody_used_since(place: Place) -> None:
    names = ("open", "done", "recurring", "young", "gone")
    definitions = {name: Definition(policy=Policy(timeout=1.0 + at_)) for at_, name in enumerate(names)}
    numbers = {name: await place.intern(one) for name, one in definitions.items()}
    await place.add(definition_id=numbers["open"])
    done = await place.add(definition_id=numbers["done"])
    await place.die(done)
    await schedule(place, definition_id=numbers["recurring"])
    body = encode_definition(definitions["young"])
    await place.stores.submit.intern([(place.user, definition_hash(body), body)], TODAY + DAY)
    retention, launch = place.stores.retention, place.stores.launch
    assert await retention.drop_definitions(TODAY) == 0, "only what was last used before"
    assert await retention.drop_definitions(TODAY + DAY) == 2, "the place's own and one more"
    assert set(await launch.definitions(list(numbers.values()))) == set(numbers.values()) - {numbers["gone"]}
    assert await retention.drop_definitions(TODAY + DAY) == 0
    assert await place.intern(definitions["gone"]) != numbers["gone"], "it is stored again when it is used again"
