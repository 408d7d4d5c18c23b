"""The outbox: every end that a subscription asks for, at least once, in the order of commits."""

from __future__ import annotations

import asyncio

from contract.store.place import NOW, Place, at
from duetime.model.events import JobEnded
from duetime.model.states import FINAL, JobState
from duetime.store.outbox_port import OutboxPosition, Subscription
from duetime.store.port import JobRef
from harness.waiting import eventually

ALL = Subscription("reader", tuple(sorted(FINAL)))


async def read(place: Place, name: str = "reader", limit: int = 100, *, number: int = 0) -> list[JobEnded]:
    """What a reader has not acknowledged, once there are so many: a reader may have to wait for older transactions."""

    found: list[JobEnded] = []

    async def enough() -> bool:
        found[:] = (await place.outbox.read(name, limit)).ended
        return len(found) >= number

    await eventually(enough)
    return found


async def read_on(place: Place, number: int, name: str = "reader", limit: int = 100) -> list[int]:
    """Read page by page and acknowledge each, until there were so many. Returns the ids of the jobs."""
    ids: list[int] = []

    async def enough() -> bool:
        page = await place.outbox.read(name, limit)
        if page.position is not None:
            await place.outbox.acknowledge(name, page.position)
        ids.extend(one.job_id for one in page.ended)
        return len(ids) >= number

    await eventually(enough)
    return ids


async def cancel(place: Place, ref: JobRef) -> None:
    """End a job that is not in flight."""
    assert await place.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "why", at(1), place.user)


async def test_every_way_in_which_a_job_ends_is_written(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    done, dead, held, gone, stopped = [await place.add(lane=lane) for lane in (None, None, "a", None, None)]
    cleared = await place.add(lane="b")
    await place.launch(done)
    await place.succeed(done)
    await place.die(dead)
    await place.die(held, "no more", park=True)
    await cancel(place, gone)
    await place.launch(stopped)
    await place.stores.control.request_cancel(place.user, stopped.id, NOW, place.user)
    await place.stores.launch.unlaunch(place.node, [stopped.id], NOW)
    await place.stores.dead.clear_lane(place.user, "b", at(2), place.user)
    await place.stores.dead.discard(place.user, [dead.id], at(3), place.user)
    assert [(one.job_id, one.state.value, one.blocks_lane) for one in await read(place, number=7)] == [
        (done.id, "succeeded", False),
        (dead.id, "dead", False),
        (held.id, "dead", True),
        (gone.id, "cancelled", False),
        (stopped.id, "cancelled", False),
        (cleared.id, "cancelled", False),
        (dead.id, "cancelled", False),
    ]


async def test_an_end_says_what_a_reader_needs(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    ref = await place.add(lane="a")
    await place.die(ref, "no answer")
    assert await read(place, number=1) == [
        JobEnded(ref.id, place.user, JobState.DEAD, 1, NOW, at(1), "no answer", None, "a", blocks_lane=False)
    ]


async def test_without_a_subscription_nothing_is_kept(place: Place) -> None:
    ref = await place.add()
    await cancel(place, ref)
    assert await read(place) == []
    await place.outbox.subscribe(ALL)
    assert ref.id not in [one.job_id for one in await read(place)]


async def test_a_subscription_gets_what_it_asks_for(place: Place) -> None:
    stranger = await place.new_user()
    await place.outbox.subscribe(Subscription("dead", (JobState.DEAD,)))
    await place.outbox.subscribe(Subscription("theirs", (JobState.CANCELLED,), stranger))
    dead, gone, theirs = await place.add(), await place.add(), await place.add(user_id=stranger)
    await place.die(dead)
    await cancel(place, gone)
    await place.stores.control.withdraw(stranger, theirs.id, JobState.CANCELLED, "x", NOW, stranger)
    assert [one.job_id for one in await read(place, "dead", number=1)] == [dead.id]
    assert [one.job_id for one in await read(place, "theirs", number=1)] == [theirs.id]


async def test_a_page_comes_again_until_it_is_acknowledged(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    refs = [await place.add() for _ in range(5)]
    for ref in refs:
        await cancel(place, ref)
    assert [one.job_id for one in await read(place, number=5)] == [ref.id for ref in refs]
    assert await read(place, limit=2) == await read(place, limit=2)
    assert await read_on(place, 5, limit=2) == [ref.id for ref in refs]
    assert (await place.outbox.read("reader", 10)).position is None


async def test_a_reader_never_goes_back_and_holds_nobody_else_up(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    await place.outbox.subscribe(Subscription("other", ALL.states))
    first, second = await place.add(), await place.add()
    await cancel(place, first)
    assert await read(place, number=1)
    early = (await place.outbox.read("reader", 1)).position
    assert early is not None
    await cancel(place, second)
    assert await read_on(place, 2) == [first.id, second.id]
    await place.outbox.acknowledge("reader", early)
    await place.outbox.acknowledge("reader", OutboxPosition(0, 0))
    assert await read(place) == []
    assert [one.job_id for one in await read(place, "other", number=2)] == [first.id, second.id]


async def test_subscribing_again_changes_what_is_asked_for_and_keeps_the_position(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    first, second = await place.add(), await place.add()
    await cancel(place, first)
    assert await read_on(place, 1) == [first.id]
    await place.outbox.subscribe(Subscription("reader", (JobState.DEAD,)))
    await cancel(place, second)
    assert await read(place) == []


async def test_unsubscribing_forgets_and_may_be_repeated(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    ref = await place.add()
    await cancel(place, ref)
    await place.outbox.unsubscribe("reader")
    await place.outbox.unsubscribe("reader")
    assert await read(place) == []


async def test_what_ends_at_the_same_time_is_read_once_each(place: Place) -> None:
    await place.outbox.subscribe(ALL)
    refs = [await place.add() for _ in range(8)]
    ending = asyncio.gather(*(cancel(place, ref) for ref in refs))
    found = await read_on(place, len(refs), limit=1)
    await ending
    assert sorted(found) == [ref.id for ref in refs]
