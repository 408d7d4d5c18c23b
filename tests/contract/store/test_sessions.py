"""Sessions: found by id, listed by user, ended once, and bounded in number."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from contract.store.place import Place, at
from duetime.model.session import IDLE, MOST_SESSIONS, Session


def session(place: Place, seconds: float = 0.0) -> Session:
    now = at(seconds)
    return Session(0, place.user, b"hash", now, now, now + timedelta(days=30), "127.0.0.1", "Browser/1")


async def test_a_session_is_stored_as_it_was_handed_in(place: Place) -> None:
    sessions = place.stores.sessions
    begun = await sessions.begin(session(place))
    assert msgspec.structs.replace(begun, id=0) == session(place)
    assert await sessions.session(begun.id) == begun
    assert await sessions.session(begun.id + 1) is None
    other = await sessions.begin(session(place, 1))
    assert await sessions.sessions(place.user) == [other, begun]
    assert await sessions.sessions(await place.new_user()) == []


async def test_use_is_recorded_and_never_goes_back(place: Place) -> None:
    sessions = place.stores.sessions
    begun = await sessions.begin(session(place))
    for seconds in (60, 30):
        await sessions.use(begun.id, at(seconds))
    found = await sessions.session(begun.id)
    assert found is not None
    assert found.seen_at == at(60)


async def test_a_session_is_ended_by_its_user_and_once(place: Place) -> None:
    sessions, stranger = place.stores.sessions, await place.new_user()
    begun = await sessions.begin(session(place))
    assert not await sessions.end(stranger, begun.id)
    assert await sessions.end(place.user, begun.id)
    assert not await sessions.end(place.user, begun.id)
    assert await sessions.session(begun.id) is None


async def test_a_new_session_removes_those_that_have_ended_and_the_least_used_beyond_the_most(place: Place) -> None:
    sessions = place.stores.sessions
    unused = await sessions.begin(session(place, -IDLE.total_seconds() - 1))
    first = [await sessions.begin(session(place, number)) for number in range(MOST_SESSIONS)]
    assert await sessions.session(unused.id) is None
    await sessions.use(first[0].id, at(1000))
    await sessions.begin(session(place, 2000))
    left = {one.id for one in await sessions.sessions(place.user)}
    assert len(left) == MOST_SESSIONS
    assert first[0].id in left
    assert first[1].id not in left
