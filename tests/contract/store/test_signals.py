"""What metrics ask the store: dead letters, blocked lanes, and how schedules fare."""

from __future__ import annotations

import pytest

from contract.store.place import NOW, Place
from contract.store.schedules import schedule
from contract.store.test_workers import LONG, joined
from duetime.store.signal_port import SignalStore, Standing, WorkerStanding


@pytest.fixture
def signals(place: Place) -> SignalStore:
    if place.stores.signals is None:
        pytest.skip("this store answers no metrics")
    return place.stores.signals


async def test_dead_letters_are_counted_wherever_they_are_and_lanes_where_they_block(
    place: Place, signals: SignalStore
) -> None:
    assert await signals.standing(10) == Standing(0, 0)
    for lane in (None, None, "a", "b"):
        await place.die(await place.add(lane=lane), park=lane is not None)
    await place.add(lane="c")
    assert await signals.standing(10) == Standing(4, 2)
    assert await signals.standing(1) == Standing(1, 1), "counting ends at the bound"


async def test_a_schedule_says_when_it_last_succeeded_and_what_ended_since(place: Place, signals: SignalStore) -> None:
    pending = await schedule(place, "good", seconds=1000)
    (new,) = await signals.schedules(10)
    assert (new.schedule, new.last_success, new.ends_since_success) == ("good", None, 0)
    first, second, third = [await place.add(number, schedule_id=pending.schedule_id) for number in range(3)]
    await place.die(first)
    await place.launch(second)
    await place.succeed(second)
    await place.die(third)
    (later,) = await signals.schedules(10)
    assert (later.last_success, later.ends_since_success) == (NOW, 1)
    assert await signals.schedules(0) == []


async def test_living_workers_and_their_slots_are_counted(place: Place, signals: SignalStore) -> None:
    assert await signals.workers() == WorkerStanding(0, 0, 0, 0)
    assert place.stores.workers is not None
    first, second = await joined(place), await joined(place)
    assert await signals.workers() == WorkerStanding(2, 0, 8, 8), "before the first beat all are free"
    await place.stores.workers.beat(first, LONG, 1, [], NOW)
    await place.stores.workers.drain(second, place.user, True)
    assert await signals.workers() == WorkerStanding(1, 1, 8, 5)
    await place.stores.workers.leave(first)
    assert await signals.workers() == WorkerStanding(0, 1, 4, 4)
