"""Files: one node reads each, its records are stored by their number, and the first end counts."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from contract.store.place import NOW, Place
from duetime.store.file_port import FileEnd, KnownFile
from duetime.store.injection_port import Move, Overtaken, RecordId, Refused

SOURCE, CONTENT = "file:in", b"c" * 32
LEASE = timedelta(seconds=15)


async def claim(place: Place, holder: str = "a", after: float = 0, content: bytes = CONTENT) -> KnownFile:
    now = NOW + timedelta(seconds=after)
    found = await place.files.claim(SOURCE, content, "jobs.ndjson", holder, now, now + LEASE)
    assert found is not None
    return found


async def test_one_node_takes_a_file_until_its_lease_ends(place: Place) -> None:
    first, other = await claim(place, "a"), await claim(place, "b", after=1)
    assert (first.held, first.state, first.next_record, first.taken_at) == (True, "open", 0, NOW)
    assert (other.held, other.id) == (False, first.id)
    assert (await claim(place, "a", after=2)).held, "a repeat of the holder"
    assert await place.files.hold(first.id, "a", NOW + 2 * LEASE)
    assert not (await claim(place, "b", after=20)).held
    later = await claim(place, "b", after=31)
    assert (later.held, later.taken_at) == (True, NOW), "delays count from the first claim"
    assert not await place.files.hold(first.id, "a", NOW + 9 * LEASE)


async def test_of_two_nodes_at_once_one_takes_a_file(place: Place) -> None:
    claims = [place.files.claim(SOURCE, CONTENT, "x", holder, NOW, NOW + LEASE) for holder in "abcd"]
    found = await asyncio.gather(*claims)
    assert sum(one is not None and one.held for one in found) == 1


async def test_records_are_stored_once_by_their_number(place: Place) -> None:
    file = await claim(place)
    await place.injection.inject(SOURCE, [Move(file.id, 0, 2)], [place.row(), place.row()], [], [], NOW)
    with pytest.raises(Overtaken):
        await place.injection.inject(SOURCE, [Move(file.id, 0, 2)], [place.row()], [], [], NOW)
    assert (await claim(place, "b", after=60)).next_record == 2


async def test_the_first_end_counts_and_refusals_are_kept_until_the_file_is_moved(place: Place) -> None:
    file = await claim(place)
    refused = (Refused(RecordId(file.id, 0), b"r0"), Refused(RecordId(file.id, 1), b"r1"))
    assert await place.files.finish(file.id, FileEnd("failed", 2, 0, "wrong", refused), NOW)
    assert not await place.files.finish(file.id, FileEnd("done", 2, 2), NOW)
    ended = await claim(place, "b", after=60)
    assert (ended.state, ended.held, ended.records, ended.stored, ended.reason) == ("failed", False, 2, 0, "wrong")
    assert [one.record for one in await place.injection.refused(SOURCE, [file.id], 9)] == [b"r0", b"r1"]
    assert not await place.files.hold(file.id, "a", NOW)
    for _ in range(2):
        await place.files.moved(file.id)
    assert (await claim(place)).moved
    assert await place.injection.refused(SOURCE, [file.id], 9) == []


async def test_forgotten_content_is_new(place: Place) -> None:
    file = await claim(place)
    await place.files.forget(file.id)
    assert (await claim(place)).id == file.id, "an open file is not forgotten"
    await place.files.finish(file.id, FileEnd("done", 0, 0), NOW)
    assert await place.files.ended_before(SOURCE, NOW, 9) == []
    assert await place.files.ended_before("file:other", NOW + LEASE, 9) == []
    assert await place.files.ended_before(SOURCE, NOW + LEASE, 9) == [file.id]
    for _ in range(2):
        await place.files.forget(file.id)
    again = await claim(place, "b")
    assert (again.held, again.next_record) == (True, 0)
    assert again.id != file.id
