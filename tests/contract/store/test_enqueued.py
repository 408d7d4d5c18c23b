"""Requests that programs write in transactions of their own: each is handed out until its job is stored."""

from __future__ import annotations

import pytest

from contract.store.place import Place
from duetime.store.enqueued_port import EnqueuedStore

BODY = '{"message": "hello"}'


@pytest.fixture
def enqueued(place: Place) -> EnqueuedStore:
    if place.stores.enqueued is None:
        pytest.skip("programs have no transactions in this store")
    return place.stores.enqueued


async def enqueue(place: Place, *keys: str) -> None:
    for key in keys:
        await place.pool.run(  # type: ignore[attr-defined]
            "SELECT duetime_enqueue($1::text::jsonb, $2, (SELECT username FROM users WHERE id = $3))",
            BODY,
            key,
            place.user,
        )


async def test_requests_are_claimed_in_order_and_once(place: Place, enqueued: EnqueuedStore) -> None:
    await enqueue(place, "a", "b", "c")
    first = await enqueued.claim(2, 60.0)
    assert [(one.user_id, one.key, one.body) for one in first] == [
        (place.user, "a", BODY.encode()),
        (place.user, "b", BODY.encode()),
    ]
    assert [one.key for one in await enqueued.claim(2, 60.0)] == ["c"]
    assert await enqueued.claim(2, 60.0) == []


async def test_a_claim_ends_with_its_time(place: Place, enqueued: EnqueuedStore) -> None:
    await enqueue(place, "a")
    assert len(await enqueued.claim(9, 0.0)) == 1
    assert len(await enqueued.claim(9, 60.0)) == 1


async def test_what_is_removed_or_refused_comes_no_more(place: Place, enqueued: EnqueuedStore) -> None:
    await enqueue(place, "a", "b")
    done, wrong = await enqueued.claim(9, 0.0)
    await enqueued.remove([done.number])
    await enqueued.remove([done.number])
    await enqueued.refuse({wrong.number: "why"})
    assert await enqueued.claim(9, 0.0) == []
