"""Schedules as people handle them: registered together or not at all, changed only as planned, each change audited."""

from __future__ import annotations

import pytest

from contract.store.place import EVERYTHING, NOW, Audited, Place, at
from contract.store.schedules import columns, following, go, minting, schedule
from duetime.model.errors import Conflict
from duetime.model.states import JobState
from duetime.store.port import JobRef
from duetime.store.schedule_port import ExtraJob, NextJob, Replan, SkippedRange


def replan(place: Place, ref: JobRef, then: NextJob, version: int = 1, *skips: SkippedRange) -> Replan:
    """A change that replaces the pending occurrence."""
    return Replan(place.user, version, ref.id, skips, then)


async def create(place: Place, *names: str, first: float | None = 0) -> list[JobRef]:
    """Register schedules in one call."""
    numbers = await place.stores.schedules.numbers(len(names))
    said = [columns(place, name) for name in names]
    nexts = [following(number, first) for number in numbers]
    return await place.stores.schedules.create(place.user, said, nexts, at(-100), place.user)


async def names(place: Place, state: str | None = None, q: str | None = None, after: int = 0) -> list[str]:
    """The names in a listing."""
    return [row.name for row in await place.stores.schedules.schedules(place.user, after, 10, state, q)]


async def test_numbers_are_never_given_twice(place: Place) -> None:
    first, second = await place.stores.schedules.numbers(3), await place.stores.schedules.numbers(2)
    assert len(set(first + second)) == 5


async def test_a_schedule_is_stored_as_it_was_handed_in_with_its_first_occurrence(place: Place) -> None:
    ref = await schedule(place, seconds=30, ordering_key="a", labels='{"team":"x"}', priority=8, expires_after=9.0)
    number = ref.schedule_id or 0
    row = await place.stores.schedules.schedule(place.user, number)
    assert row is not None
    assert (row.id, row.user_id, row.name, row.state, row.version) == (number, place.user, "s", "active", 1)
    assert (row.ordering_key, row.labels, row.priority, row.expires_after) == ("a", '{"team":"x"}', 8, 9.0)
    assert (row.pending_job, row.pending_nominal, row.pending_due) == (ref.id, at(30), at(30))
    assert (row.occurrences, row.created_at, row.updated_at) == (0, at(-100), at(-100))
    assert (row.calendar, row.calendar_version) == (None, None)
    assert await place.stores.due.due((NOW, 0), at(60), EVERYTHING, 10) == [ref]
    assert (await place.audit())[-1] == Audited(place.user, "schedule.created", f"schedule:{number}")


async def test_several_are_registered_all_or_none(place: Place) -> None:
    await create(place, "taken")
    before = await place.audit()
    for given in (("new", "taken"), ("twice", "twice")):
        with pytest.raises(Conflict):
            await create(place, *given)
    assert await names(place) == ["taken"]
    assert await place.audit() == before, "what was refused is not on record"
    assert len(await create(place, "new", "newer")) == 2
    assert (await place.audit())[-1] == Audited(place.user, "schedule.created", "schedules:2")


async def test_a_schedule_without_an_instant_has_no_occurrence_and_needs_no_repair(place: Place) -> None:
    assert await create(place, "over", first=None) == []
    (row,) = await place.stores.schedules.named(place.user, ["over"])
    assert (row.state, row.pending_job) == ("ended", None)
    assert await place.stores.schedules.needing_repair(10) == []


async def test_nobody_finds_another_users_schedules(place: Place) -> None:
    ref, stranger = await schedule(place), await place.new_user()
    assert await place.stores.schedules.schedule(stranger, ref.schedule_id or 0) is None
    assert await place.stores.schedules.named(stranger, ["s"]) == []
    assert await place.stores.schedules.schedules(stranger, 0, 10, None, None) == []
    assert await place.stores.schedules.count(stranger) == 0


async def test_schedules_are_listed_by_id_and_narrowed_by_state_and_name(place: Place) -> None:
    await create(place, "Nightly report", "hourly", "weekly report")
    assert await names(place) == ["Nightly report", "hourly", "weekly report"]
    assert await names(place, q="REPORT") == ["Nightly report", "weekly report"]
    assert await names(place, q="%") == [], "what is looked for is text, not a pattern"
    first, second, _ = await place.stores.schedules.schedules(place.user, 0, 10, None, None)
    assert await names(place, after=first.id) == ["hourly", "weekly report"]
    paused = following(second.id, None)._replace(state="paused")
    await place.stores.schedules.replan([Replan(place.user, 1, second.pending_job, (), paused)], NOW)
    assert await names(place, state="paused") == ["hourly"]
    assert await names(place, state="active") == ["Nightly report", "weekly report"]
    found = await place.stores.schedules.named(place.user, ["hourly", "nothing", "weekly report"])
    assert sorted(row.name for row in found) == ["hourly", "weekly report"]
    every = await place.stores.schedules.every(0, 10)
    assert [row.name for row in every] == ["Nightly report", "weekly report"], "only active ones"
    assert [row.name for row in await place.stores.schedules.every(every[0].id, 1)] == ["weekly report"]


async def test_a_change_is_audited_once_and_raises_the_version(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    said = columns(place, "renamed", message="other", priority=9)
    changed, refs = await place.stores.schedules.replan(
        [replan(place, ref, following(number, 20))], at(5), action="schedule.edited", actor=place.user, columns=said
    )
    assert changed == {number}
    assert [(one.execute_at, one.priority) for one in refs] == [(at(20), 9)]
    row = await place.stores.schedules.schedule(place.user, number)
    assert row is not None
    assert (row.name, row.message, row.priority, row.version, row.updated_at) == ("renamed", "other", 9, 2, at(5))
    assert await place.state(ref.id) is None, "an occurrence that was never due leaves no record"
    before = await place.audit()
    assert before[-1] == Audited(place.user, "schedule.edited", f"schedule:{number}")
    again = [replan(place, ref, following(number, 30))]
    assert await place.stores.schedules.replan(again, at(6), action="schedule.edited", actor=place.user) == (set(), [])
    assert await place.audit() == before, "what was planned with another version changes nothing"


async def test_a_schedule_cannot_get_the_name_of_another(place: Place) -> None:
    await schedule(place, "taken")
    ref = await schedule(place, "mine")
    number, before = ref.schedule_id or 0, await place.audit()
    with pytest.raises(Conflict):
        await place.stores.schedules.replan(
            [replan(place, ref, following(number, 20))], NOW, action="x", actor=1, columns=columns(place, "taken")
        )
    row = await place.stores.schedules.schedule(place.user, number)
    assert row is not None
    assert (row.name, row.version, row.pending_job) == ("mine", 1, ref.id)
    assert await place.audit() == before
    assert (await go(place, minting(place, ref))).launched == {ref.id}, "no lock was left behind"


async def test_of_several_changes_those_are_made_that_were_planned_with_what_is_so(place: Place) -> None:
    good, stale, busy = [await schedule(place, name) for name in ("good", "stale", "busy")]
    await place.launch(busy)
    changes = [
        replan(place, good, following(good.schedule_id or 0, 20)),
        replan(place, stale, following(stale.schedule_id or 0, 20), 7),
        replan(place, busy, following(busy.schedule_id or 0, 20)),
    ]
    changed, refs = await place.stores.schedules.replan(changes, NOW)
    assert (changed, [ref.schedule_id for ref in refs]) == ({good.schedule_id}, [good.schedule_id])
    assert await place.launch(stale) == {stale.id}, "no lock was left behind"
    assert await place.state(busy.id) == "running"


async def test_a_change_records_what_it_skips(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    skips = (SkippedRange(at(0), at(20), 3, "paused"), SkippedRange(at(30), at(30), 1, "window"))
    await place.stores.schedules.replan([replan(place, ref, following(number, 40), 1, *skips)], at(35))
    records = await place.stores.schedules.history(place.user, number, 2**53, 10)
    found = {(one.nominal, one.until, one.count, one.state, one.reason) for one in records}
    assert found == {
        (at(40), None, None, "created", None),
        (at(0), at(20), 3, "skipped", "paused"),
        (at(30), None, None, "skipped", "window"),
    }


async def test_deleting_takes_the_pending_occurrence_along_and_keeps_history(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    (pending,) = (await go(place, minting(place, ref))).next
    await place.succeed(ref)
    gone = [replan(place, pending, following(number, None))]
    assert await place.stores.schedules.replan(
        gone, at(5), action="schedule.deleted", actor=place.user, delete=True
    ) == (
        {number},
        [],
    )
    assert await place.stores.schedules.schedule(place.user, number) is None
    assert await place.state(pending.id) is None
    assert await place.state(ref.id) == "succeeded"
    assert [one.job_id for one in await place.stores.schedules.history(place.user, number, 2**53, 10)] == [ref.id]
    assert (await place.audit())[-1] == Audited(place.user, "schedule.deleted", f"schedule:{number}")
    assert await place.stores.schedules.history(await place.new_user(), number, 2**53, 10) == []
    assert await schedule(place, "s"), "the name is free again"


async def test_history_is_newest_first_page_by_page(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    (pending,) = (await go(place, minting(place, ref))).next
    newest, oldest = await place.stores.schedules.history(place.user, number, 2**53, 10)
    assert (newest.job_id, newest.state, newest.occurrence, newest.attempts) == (pending.id, "created", True, 0)
    assert (oldest.job_id, oldest.nominal, oldest.state, oldest.attempts) == (ref.id, NOW, "running", 1)
    assert (oldest.launched_at, oldest.finished_at) == (NOW, None)
    await place.succeed(ref)
    (done,) = await place.stores.schedules.history(place.user, number, pending.id, 10)
    assert (done.job_id, done.state, done.finished_at) == (ref.id, "succeeded", NOW)
    assert [one.job_id for one in await place.stores.schedules.history(place.user, number, 2**53, 1)] == [pending.id]


async def test_jobs_beside_the_occurrences_are_stored_together_and_audited(place: Place) -> None:
    ref = await schedule(place, priority=8)
    number = ref.schedule_id or 0
    extra = [ExtraJob(at(-20), at(1), "one", None, None), ExtraJob(NOW, at(2), "two", "a", at(50))]
    first, second = await place.stores.schedules.add_jobs(number, extra, NOW, place.user, "schedule.backfilled")
    assert (first.execute_at, first.due_at, first.lane, first.priority) == (at(-20), at(1), None, 8)
    assert (second.execute_at, second.lane, second.schedule_id) == (NOW, "a", number)
    job = await place.stores.insight.job(place.user, second.id)
    assert job is not None
    assert (job.message, job.expires_at, job.schedule_id) == ("two", at(50), number)
    assert (await place.audit())[-1] == Audited(place.user, "schedule.backfilled", f"schedule:{number}")
    beside = [one.occurrence for one in await place.stores.schedules.history(place.user, number, 2**53, 10)]
    assert beside == [False, False, True], "they are no occurrences, and may share the instant of one"
    row = await place.stores.schedules.schedule(place.user, number)
    assert row is not None
    assert (row.pending_job, row.version) == (ref.id, 1)


async def test_what_needs_repair_is_found_until_it_has_an_occurrence_again(place: Place) -> None:
    ref = await schedule(place)
    number = ref.schedule_id or 0
    await place.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "x", NOW, place.user)
    (row,) = await place.stores.schedules.needing_repair(10)
    assert (row.id, row.pending_job) == (number, None)
    assert await place.stores.schedules.needing_repair(0) == []
    changed, refs = await place.stores.schedules.replan([Replan(place.user, 1, None, (), following(number, 20))], NOW)
    assert (changed, len(refs)) == ({number}, 1)
    assert await place.stores.schedules.needing_repair(10) == []


async def test_a_fact_is_remembered_until_another_takes_its_place(place: Place) -> None:
    schedules = place.stores.schedules
    assert await schedules.fact("zones") is None
    await schedules.remember("zones", "2025a")
    await schedules.remember("zones", "2026a")
    await schedules.remember("other", "x")
    assert await schedules.fact("zones") == "2026a"
