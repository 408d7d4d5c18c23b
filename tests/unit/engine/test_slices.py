"""However many requests work at once, the event loop has one slice of request work at a time."""

from __future__ import annotations

import asyncio
import itertools
from datetime import UTC, datetime

from duetime.clock.manual import ManualClock
from duetime.engine.slices import LONGEST_OF_REQUEST, REST, RequestSlices

REQUESTS = 20


class Ticking(ManualClock):
    """A clock by which every look finds a slice to be over."""

    def monotonic(self) -> float:
        """Seconds; more at each look."""
        self._looks = getattr(self, "_looks", 0) + 1
        return self._looks * 2 * LONGEST_OF_REQUEST


def make_clock() -> Ticking:
    return Ticking(datetime(2026, 1, 1, tzinfo=UTC))


async def test_requests_get_slices_one_by_one_with_iterations_between_them() -> None:
    clock, loop = make_clock(), asyncio.get_running_loop()
    slices: list[int] = []
    iteration, is_over = 0, False

    def count() -> None:
        nonlocal iteration
        iteration += 1
        if not is_over:
            loop.call_soon(count)

    async def work() -> None:
        own = RequestSlices(clock)
        for _ in range(3):
            await own.pause()
            slices.append(iteration)

    loop.call_soon(count)
    await asyncio.gather(*(work() for _ in range(REQUESTS)))
    is_over = True
    gaps = [later - earlier for earlier, later in itertools.pairwise(slices)]
    assert len(slices) == 3 * REQUESTS
    assert set(gaps) == {REST + 1}


async def test_a_request_that_is_gone_takes_no_turn() -> None:
    clock = make_clock()
    first, gone, last = (asyncio.ensure_future(RequestSlices(clock).pause()) for _ in range(3))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(first, last)
    assert gone.cancelled()
