"""Idempotency keys, unique for a user across all databases, wherever the job lives."""

from __future__ import annotations

from typing import Any

import pytest

from duetime.model.errors import Conflict, StoreAway
from duetime.model.ids import shard_of, shard_of_key, shard_of_lane
from harness.several import SpreadEngine


def keyed(spread: SpreadEngine, user: int, key: str, message: str = "m", **more: Any) -> Any:
    return spread.job(user, message, idempotency_key=key, fingerprint=message.encode(), **more)


def lane_apart(user: int, key: str) -> str:
    """A lane in the database that the key is not in."""
    other = 1 - shard_of_key(user, key) // 512
    return next(lane for lane in (f"lane {n}" for n in range(99)) if shard_of_lane(user, lane) // 512 == other)


async def test_the_store_and_the_program_agree_on_the_shard_of_a_key(spread: SpreadEngine) -> None:
    for user, key in ((1, "a"), (77, "Ω key"), (2**31 - 1, "k" * 255)):
        row = await spread.straight[0].row("SELECT key_shard($1, $2) AS shard", user, key)
        assert row["shard"] == shard_of_key(user, key)


async def test_a_repeat_finds_the_job_and_a_mix_up_is_told(spread: SpreadEngine) -> None:
    user = await spread.user()
    for n in range(8):
        key = f"key {n}"
        first = await spread.submit.one(keyed(spread, user, key, after=60))
        assert shard_of(first.job.id) == shard_of_key(user, key)
        again = await spread.submit.one(keyed(spread, user, key, after=60))
        assert (again.job.id, again.repeated) == (first.job.id, True)
        with pytest.raises(Conflict, match="different job"):
            await spread.submit.one(keyed(spread, user, key, "other", after=60))
    assert await spread.count("jobs") == 8


async def test_a_key_apart_from_its_job_works_the_same(spread: SpreadEngine) -> None:
    user = await spread.user()
    for n in range(4):
        key = f"key {n}"
        lane = lane_apart(user, key)
        first = await spread.submit.one(keyed(spread, user, key, lane=lane, after=60))
        assert shard_of(first.job.id) == shard_of_lane(user, lane)
        again = await spread.submit.one(keyed(spread, user, key, lane=lane, after=60))
        assert (again.job.id, again.repeated) == (first.job.id, True)
        with pytest.raises(Conflict, match="different job"):
            await spread.submit.one(keyed(spread, user, key, "other", after=60))
    assert await spread.count("jobs") == await spread.count("idempotency") == 4


async def test_a_repeat_completes_what_died_between_key_and_job(
    spread: SpreadEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = await spread.user()
    lane = lane_apart(user, "key")
    placed = spread.base.parts[shard_of_lane(user, lane) // 512].member.placed

    async def away(*_: Any) -> None:
        raise StoreAway

    monkeypatch.setattr(placed, "submit_absent", away)
    with pytest.raises(StoreAway):
        await spread.submit.one(keyed(spread, user, "key", lane=lane))
    assert (await spread.count("idempotency"), await spread.count("jobs")) == (1, 0)
    monkeypatch.undo()
    made = await spread.submit.one(keyed(spread, user, "key", lane=lane))
    assert not made.repeated
    await spread.settle_down()
    again = await spread.submit.one(keyed(spread, user, "key", lane=lane))
    assert (again.job.id, again.repeated) == (made.job.id, True)
    await spread.settle_down()
    assert [run.job_id for run in spread.bus.sent] == [made.job.id]


async def test_a_key_whose_database_is_away_is_refused(spread: SpreadEngine) -> None:
    user = await spread.user()
    await spread.add(user)
    key = next(key for key in (f"key {n}" for n in range(99)) if shard_of_key(user, key) >= 512)
    await spread.away(1)
    with pytest.raises(StoreAway):
        await spread.submit.one(keyed(spread, user, key))
    lane = lane_apart(user, key)
    with pytest.raises(StoreAway):
        await spread.submit.one(keyed(spread, user, key, lane=lane))
    await spread.back(1)
    assert (await spread.submit.one(keyed(spread, user, key))).job.id
