"""The clock of a node: never ahead of the database's, and never turned back by an inexact measurement."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from duetime.clock import system
from duetime.clock.system import SystemClock

START = datetime(2026, 1, 1, tzinfo=UTC)


class World:
    """A monotonic clock that only moves when told, and a database whose answers take time."""

    def __init__(self) -> None:
        self.at = 1000.0
        self.there = START
        self.there_and_back = (0.001, 0.001)
        self.meanwhile: Callable[[], object] = lambda: None

    def monotonic(self) -> float:
        return self.at

    def passes(self, seconds: float) -> None:
        self.at += seconds
        self.there += timedelta(seconds=seconds)

    async def ask(self) -> datetime:
        there, back = self.there_and_back
        self.passes(there)
        answer = self.there
        self.passes(back)
        self.meanwhile()
        return answer


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(system.time, "monotonic", made.monotonic)
    return made


async def test_it_is_behind_the_database_by_the_way_back_and_never_ahead(world: World) -> None:
    clock = SystemClock(world.ask)
    world.there_and_back = (0.004, 0.002)
    await clock.measure()
    assert world.there - clock.now() == pytest.approx(timedelta(milliseconds=2), abs=timedelta(microseconds=2))


async def test_a_clock_that_runs_faster_than_the_database_is_not_ahead_of_it(world: World) -> None:
    clock = SystemClock(world.ask)
    await clock.measure()
    behind = world.there - clock.now()
    for _ in range(5):
        world.passes(1.0)
        world.at += 0.00015
        assert clock.now() <= world.there
    assert world.there - clock.now() < behind + timedelta(milliseconds=1)


async def test_a_worse_measurement_does_not_take_time_back(world: World) -> None:
    clock = SystemClock(world.ask)
    await clock.measure()
    world.there_and_back = (0.05, 0.05)
    seen: list[datetime] = []
    world.meanwhile = lambda: seen.append(clock.now())
    await clock.measure()
    assert clock.now() >= seen[-1], "what was due is not due any more"
    assert clock.now() <= world.there
    world.passes(1.0)
    assert clock.now() > seen[-1] + timedelta(seconds=0.9)


async def test_a_database_whose_clock_was_set_back_is_followed(world: World) -> None:
    clock = SystemClock(world.ask)
    await clock.measure()
    clock.now()
    world.there -= timedelta(hours=1)
    await clock.measure()
    assert clock.now() <= world.there
