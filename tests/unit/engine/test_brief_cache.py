"""What is looked up once for many, kept for a moment, and not kept when it is outdated."""

from __future__ import annotations

import asyncio

import pytest

from duetime.clock.manual import ManualClock
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import StoreAway
from harness.waiting import eventually


class Desk:
    """Answers when it is told to, and counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.open = asyncio.Event()
        self.error: Exception | None = None
        self.answers = iter(range(100))

    async def look(self, key: int) -> int:
        self.asked.append(key)
        answer = next(self.answers)
        await self.open.wait()
        if self.error is not None:
            raise self.error
        return answer


async def until_asked(desk: Desk, times: int) -> None:
    await eventually(lambda: len(desk.asked) == times)


async def test_many_who_ask_at_once_ask_once() -> None:
    desk, clock = Desk(), ManualClock()
    lately = BriefCache(desk.look, clock, seconds=1.0)
    waiting = [asyncio.ensure_future(lately.of(7)) for _ in range(50)]
    other = asyncio.ensure_future(lately.of(8))
    await until_asked(desk, 2)
    desk.open.set()
    assert await asyncio.gather(*waiting, other) == [0] * 50 + [1]
    clock.advance(0.9)
    assert await lately.of(7) == 0
    clock.advance(0.1)
    assert await lately.of(7) == 2
    assert desk.asked == [7, 8, 7]


async def test_what_is_known_is_told_without_waiting_until_it_is_old_or_forgotten() -> None:
    desk, clock = Desk(), ManualClock()
    desk.open.set()
    lately = BriefCache(desk.look, clock, seconds=1.0)
    assert lately.known(7) is None
    assert (await lately.of(7), lately.known(7)) == (0, 0)
    clock.advance(1.0)
    assert lately.known(7) is None
    assert await lately.of(7) == 1
    lately.forget(7)
    assert lately.known(7) is None
    assert desk.asked == [7, 7]


async def test_what_is_forgotten_meanwhile_is_not_kept() -> None:
    desk = Desk()
    lately = BriefCache(desk.look, ManualClock(), seconds=1.0)
    before = asyncio.ensure_future(lately.of(7))
    await until_asked(desk, 1)
    lately.forget(7)
    after = asyncio.ensure_future(lately.of(7))
    await until_asked(desk, 2)
    desk.open.set()
    assert await asyncio.gather(before, after) == [0, 1]
    assert await lately.of(7) == 1
    lately.forget(7)
    assert await lately.of(7) == 2


async def test_an_error_is_for_all_who_wait_and_is_not_kept() -> None:
    desk = Desk()
    desk.error = StoreAway()
    lately = BriefCache(desk.look, ManualClock(), seconds=1.0)
    waiting = [asyncio.ensure_future(lately.of(7)) for _ in range(3)]
    await until_asked(desk, 1)
    desk.open.set()
    assert {type(one) for one in await asyncio.gather(*waiting, return_exceptions=True)} == {StoreAway}
    desk.error = None
    assert await lately.of(7) == 1


async def test_one_who_gives_up_takes_nothing_from_the_others() -> None:
    desk = Desk()
    lately = BriefCache(desk.look, ManualClock(), seconds=1.0)
    impatient, patient = asyncio.ensure_future(lately.of(7)), asyncio.ensure_future(lately.of(7))
    await until_asked(desk, 1)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    desk.open.set()
    assert await patient == 0


async def test_memory_is_bounded() -> None:
    desk = Desk()
    desk.open.set()
    lately = BriefCache(desk.look, ManualClock(), seconds=1.0, most=3)
    for key in range(10):
        await lately.of(key)
    assert len(lately._known) <= 3
