"""Injection: jobs and the offsets of the topics that they come from are stored together or not at all."""

from __future__ import annotations

import asyncio

import pytest

from contract.store.place import NOW, Place, at
from duetime.model.states import JobState
from duetime.store.injection_port import InjectionStore, KeyedJob, Move, Overtaken, RecordId, Refused

SOURCE = "orders"


async def begun(place: Place, *partitions: int) -> InjectionStore:
    """The port, with offsets of 0."""
    await place.injection.begin(SOURCE, dict.fromkeys(partitions or (0,), 0))
    return place.injection


async def jobs(place: Place) -> int:
    """How many jobs wait."""
    return (await place.stores.insight.stats(place.user)).get(JobState.CREATED, 0)


async def test_jobs_and_positions_move_together(place: Place) -> None:
    injection = await begun(place, 0, 1)
    moves = [Move(0, 0, 2), Move(1, 0, 7)]
    stored = await place.injection.inject(SOURCE, moves, [place.row(), place.row(5, lane="a")], [], [], NOW)
    assert len({one.job_id for one in stored}) == 2
    assert await injection.offsets(SOURCE) == {0: 2, 1: 7}
    assert await place.injection.offsets("other") == {}
    assert await jobs(place) == 2


@pytest.mark.parametrize("move", [Move(0, 1, 2), Move(5, 0, 2)])
async def test_a_reader_that_is_not_where_the_position_is_stores_nothing(place: Place, move: Move) -> None:
    injection = await begun(place, 0, 1)
    refused = [Refused(RecordId(0, 0), b"r")]
    with pytest.raises(Overtaken):
        await injection.inject(SOURCE, [Move(1, 0, 9), move], [place.row()], [], refused, NOW)
    assert await injection.offsets(SOURCE) == {0: 0, 1: 0}
    assert await injection.refused(SOURCE, [0], 10) == []
    assert await jobs(place) == 0


async def test_of_two_readers_at_once_one_stores(place: Place) -> None:
    injection = await begun(place)
    both = [injection.inject(SOURCE, [Move(0, 0, 1)], [place.row()], [], [], NOW) for _ in range(2)]
    done = await asyncio.gather(*both, return_exceptions=True)
    assert sorted(type(one).__name__ for one in done) == ["Overtaken", "list"]
    assert await jobs(place) == 1


async def test_first_positions_are_set_once(place: Place) -> None:
    injection = await begun(place)
    await injection.begin(SOURCE, {0: 50, 1: 60})
    assert await injection.offsets(SOURCE) == {0: 0, 1: 60}


async def test_a_key_has_the_job_of_its_last_record(place: Place) -> None:
    injection = await begun(place)
    first, second = RecordId(0, 0), RecordId(0, 1)
    (one,) = await injection.inject(SOURCE, [Move(0, 0, 1)], [place.row()], [KeyedJob(b"k", 0, first)], [], NOW)
    assert await place.injection.jobs_of_keys(SOURCE, {b"k": second, b"l": second}) == {b"k": one.job_id}
    assert await injection.jobs_of_keys(SOURCE, {b"k": first}) == {}, "a reader that is behind finds none"
    assert await injection.jobs_of_keys("other", {b"k": second}) == {}
    (two,) = await injection.inject(SOURCE, [Move(0, 1, 2)], [place.row()], [KeyedJob(b"k", 0, second)], [], NOW)
    assert await injection.jobs_of_keys(SOURCE, {b"k": RecordId(0, 2)}) == {b"k": two.job_id}
    await injection.inject(SOURCE, [Move(0, 2, 3)], [], [KeyedJob(b"k", None, RecordId(0, 2))], [], NOW)
    assert await injection.jobs_of_keys(SOURCE, {b"k": RecordId(0, 3)}) == {}


async def test_keys_of_jobs_that_have_ended_are_forgotten(place: Place) -> None:
    injection = await begun(place)
    keyed = [KeyedJob(key, n, RecordId(0, n)) for n, key in enumerate((b"a", b"b"))]
    stored = await injection.inject(SOURCE, [Move(0, 0, 2)], [place.row(), place.row()], keyed, [], NOW)
    job_id = stored[0].job_id
    assert await place.stores.control.withdraw(place.user, job_id, JobState.CANCELLED, "why", at(1), place.user)
    assert await place.injection.sweep_keys(SOURCE, b"", 1) == b"a"
    assert await injection.sweep_keys(SOURCE, b"a", 10) == b"b"
    assert await injection.sweep_keys(SOURCE, b"b", 10) is None
    later = RecordId(0, 9)
    assert await injection.jobs_of_keys(SOURCE, {b"a": later, b"b": later}) == {b"b": stored[1].job_id}


async def test_refused_records_wait_until_they_are_published(place: Place) -> None:
    injection = await begun(place, 0, 1)
    refused = [Refused(RecordId(number % 2, number), bytes([number])) for number in range(4)]
    await injection.inject(SOURCE, [Move(0, 0, 4)], [], [], refused, NOW)
    found = await place.injection.refused(SOURCE, [0], 10)
    assert [(one.origin, one.record) for one in found] == [(one.origin, one.record) for one in refused[::2]]
    assert [one.record for one in await injection.refused(SOURCE, [0, 1], 3)] == [b"\0", b"\1", b"\2"]
    await place.injection.published([one.id for one in found])
    assert await injection.refused(SOURCE, [0], 10) == []
    assert len(await injection.refused(SOURCE, [1], 10)) == 2
