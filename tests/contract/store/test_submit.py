"""The way in: in order, all or nothing, once for each key."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from contract.store.place import NOW, SHARD, Place, at
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.ids import shard_of
from duetime.model.job import JobFilter
from duetime.model.policy import Policy
from duetime.store.port import KeyClaim


async def test_ids_come_in_the_order_given_and_carry_the_shard(place: Place) -> None:
    rows = [place.row(shard=shard, message=str(shard)) for shard in (7, 3, 1000)]
    stored = await place.stores.submit.submit(rows, NOW)
    assert [shard_of(one.job_id) for one in stored] == [7, 3, 1000]
    jobs = [await place.stores.insight.job(place.user, one.job_id) for one in stored]
    assert [job.message for job in jobs if job] == ["7", "3", "1000"]
    assert all(one.ready and one.holder is None for one in stored)


@pytest.mark.parametrize("rare", [{}, {"labels": '{"a": "b"}'}, {"lane": "a"}], ids=["plain", "labels", "a lane"])
async def test_each_of_a_batch_is_stored_as_it_was_given(place: Place, rare: dict[str, str]) -> None:
    """To the microsecond, however far off; one that has more than the others changes nothing for them."""
    other = await place.new_user()
    instants = [
        datetime(1, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
        datetime(2025, 3, 30, 1, 59, 59, 999999, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        datetime(2106, 2, 7, 6, 28, 15, 999999, tzinfo=UTC),
        datetime(2106, 2, 7, 6, 28, 16, 1, tzinfo=UTC),
        datetime(9999, 12, 30, 23, 59, 59, 999999, tzinfo=UTC),
    ]
    for near in (slice(1, 4), slice(0, 6)):
        rows = [
            place.row(execute_at=instant, due_at=instant, priority=n, message=f'"{n}", {{}}\\ NULL', shard=9 - n)
            for n, instant in enumerate(instants[near])
        ]
        rows[1] = rows[1]._replace(user_id=other, **rare)
        stored = await place.stores.submit.submit(rows, NOW)
        assert [shard_of(one.job_id) for one in stored] == [row.shard for row in rows]
        for one, row in zip(stored, rows, strict=True):
            job = await place.stores.insight.job(row.user_id, one.job_id)
            assert job is not None
            assert (job.execute_at, job.due_at, job.created_at) == (row.execute_at, row.due_at, NOW)
            assert (job.priority, job.message, job.definition_id) == (row.priority, row.message, row.definition_id)


async def test_one_that_cannot_be_stored_takes_the_others_with_it(place: Place) -> None:
    taken = (await place.add()).id
    with pytest.raises(place.refusals):
        await place.stores.submit.submit([place.row(message="new"), place.row(taken_id=taken)], NOW)
    found = [job.message for job in await place.stores.insight.jobs(place.user, JobFilter())]
    assert found == ["m"]


async def test_the_first_of_a_lane_is_ready_and_what_comes_behind_is_not(place: Place) -> None:
    first = await place.stores.submit.submit([place.row(5, lane="a"), place.row(6, lane="a", ready=False)], NOW)
    assert [one.ready for one in first] == [True, False]
    rows = (place.row(7, lane="a"), place.row(4, lane="a"), place.row(9, lane="b"))
    stored = [(await place.stores.submit.submit([row], NOW))[0] for row in rows]
    assert [one.ready for one in stored] == [False, True, True], "later, earlier, elsewhere"


async def test_a_repeat_with_its_key_is_answered_and_not_stored(place: Place) -> None:
    claim = KeyClaim("k", b"f")
    (first,) = await place.stores.submit.submit_once([place.row()], [claim], NOW)
    (again,) = await place.stores.submit.submit_once([place.row()], [KeyClaim("k", b"other")], at(1))
    assert first.holder is None
    assert again.holder is not None
    assert (again.job_id, again.holder.job_id, again.holder.fingerprint) == (first.job_id, first.job_id, b"f")
    assert len(await place.stores.insight.jobs(place.user, JobFilter())) == 1


async def test_a_key_counts_within_a_batch_and_for_its_user_only(place: Place) -> None:
    stranger = await place.new_user()
    rows = [place.row(), place.row(), place.row(user_id=stranger)]
    one, two, other = await place.stores.submit.submit_once(rows, [KeyClaim("k", b"f")] * 3, NOW)
    assert one.holder is None
    assert two.holder is not None
    assert two.job_id == one.job_id
    assert other.holder is None
    assert other.job_id != one.job_id


async def test_definitions_are_found_by_their_content(place: Place) -> None:
    body = encode_definition(Definition(policy=Policy(timeout=3)))
    wanted = [(place.user, definition_hash(body), body)]
    first = await place.stores.submit.intern(wanted, NOW.date())
    assert first == await place.stores.submit.intern(wanted * 2, NOW.date())
    assert first[place.user, definition_hash(body)] != place.definition
    (known,) = (await place.stores.launch.definitions(list(first.values()))).values()
    assert known.policy.timeout == 3


async def test_work_for_now_is_left_out_of_the_look_ahead(place: Place) -> None:
    held = [shard == SHARD for shard in range(1024)]
    await place.stores.submit.submit([place.row(0)], NOW)
    await place.stores.submit.submit([place.row(1, message="later")], NOW)
    found = await place.stores.due.due((at(-1000), 0), at(10), held, 10)
    assert [ref.due_at for ref in found] == [at(1)]
