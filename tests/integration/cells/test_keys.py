"""Idempotency keys, unique for a user across all databases, wherever the job lives."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import shard_of, shard_of_key, shard_of_lane
from harness.cells import CellEngines


def keyed(cells: CellEngines, user: int, key: str, message: str = "m", **more: Any) -> Any:
    return cells.job(user, message, idempotency_key=key, fingerprint=message.encode(), **more)


def lane_apart(user: int, key: str) -> str:
    """A lane in the database that the key is not in."""
    other = 1 - shard_of_key(user, key) // 512
    return next(lane for lane in (f"lane {n}" for n in range(99)) if shard_of_lane(user, lane) // 512 == other)


async def test_the_store_and_the_program_agree_on_the_shard_of_a_key(cells: CellEngines) -> None:
    for user, key in ((1, "a"), (77, "Ω key"), (2**31 - 1, "k" * 255)):
        row = await cells.straight[0].row("SELECT key_shard($1, $2) AS shard", user, key)
        assert row["shard"] == shard_of_key(user, key)


async def test_a_repeat_finds_the_job_and_a_mix_up_is_told(cells: CellEngines) -> None:
    user = await cells.user()
    for n in range(8):
        key = f"key {n}"
        first = await cells.submit.one(keyed(cells, user, key, after=60))
        assert shard_of(first.job.id) == shard_of_key(user, key)
        again = await cells.submit.one(keyed(cells, user, key, after=60))
        assert (again.job.id, again.repeated) == (first.job.id, True)
        with pytest.raises(Conflict, match="different job"):
            await cells.submit.one(keyed(cells, user, key, "other", after=60))
    assert await cells.count("jobs") == 8


async def test_a_key_apart_from_its_job_works_the_same(cells: CellEngines) -> None:
    user = await cells.user()
    for n in range(4):
        key = f"key {n}"
        lane = lane_apart(user, key)
        first = await cells.submit.one(keyed(cells, user, key, lane=lane, after=60))
        assert shard_of(first.job.id) == shard_of_lane(user, lane)
        again = await cells.submit.one(keyed(cells, user, key, lane=lane, after=60))
        assert (again.job.id, again.repeated) == (first.job.id, True)
        with pytest.raises(Conflict, match="different job"):
            await cells.submit.one(keyed(cells, user, key, "other", after=60))
    assert await cells.count("jobs") == await cells.count("idempotency") == 4


async def test_a_repeat_completes_what_died_between_key_and_job(
    cells: CellEngines, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await cells.user()
    lane = lane_apart(user, "key")
    placed = cells.databases[shard_of_lane(user, lane) // 512].placed

    async def away(*_: Any) -> None:
        raise StoreAway

    monkeypatch.setattr(placed, "submit_absent", away)
    with pytest.raises(StoreAway):
        await cells.submit.one(keyed(cells, user, "key", lane=lane))
    assert (await cells.count("idempotency"), await cells.count("jobs")) == (1, 0)
    monkeypatch.undo()
    made = await cells.submit.one(keyed(cells, user, "key", lane=lane))
    assert not made.repeated
    await cells.settle_down()
    again = await cells.submit.one(keyed(cells, user, "key", lane=lane))
    assert (again.job.id, again.repeated) == (made.job.id, True)
    await cells.settle_down()
    assert [run.job_id for run in cells.bus.sent] == [made.job.id]


async def test_a_key_whose_database_is_away_is_refused(cells: CellEngines) -> None:
    user = await cells.user()
    await cells.add(user)
    key = next(key for key in (f"key {n}" for n in range(99)) if shard_of_key(user, key) >= 512)
    await cells.away(1)
    with pytest.raises(StoreAway):
        await cells.submit.one(keyed(cells, user, key))
    lane = lane_apart(user, key)
    with pytest.raises(StoreAway):
        await cells.submit.one(keyed(cells, user, key, lane=lane))
    await cells.back(1)
    assert (await cells.submit.one(keyed(cells, user, key))).job.id
