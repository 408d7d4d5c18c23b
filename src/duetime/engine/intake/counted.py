"""Counts for quotas: what a user has of one thing, counted now and then, plus what this node accepted since."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache

LOOK_EVERY = 1.0
"""How old a count may be, in seconds, that may decide about a refusal."""
CALM = 60.0
"""The same while a user has at most half of what it may have."""
BYTES_EVERY = 10.0
"""How often bytes are counted again for a user that has too many: this reads all its waiting jobs."""
KEPT = 10_000


class _Known(Struct):
    amount: int
    at: float


class Counted:
    """Counts that are exact near the limit, and cost a look-up a minute far from it."""

    def __init__(self, count: Callable[[int], Awaitable[int]], clock: Clock, every: float = LOOK_EVERY) -> None:
        """`every`: how old a count may be, in seconds, if more than half of what is allowed is used."""
        self._count, self._clock, self._every = count, clock, every
        self._known = BriefCache(self._look, clock, seconds=CALM)

    async def admit(self, user_id: int, more: int, most: int, *, keep: bool = True) -> int | None:
        """Add to what a user has. Returns None, or what the user has if that would be too much.

        Without `keep` nothing is added.
        """
        known = self._known.known(user_id) or await self._known.of(user_id)
        if 2 * (known.amount + more) > most and self._clock.monotonic() - known.at >= self._every:
            self._known.forget(user_id)
            known = await self._known.of(user_id)
        if known.amount + more > most:
            return known.amount
        if keep:
            known.amount += more
        return None

    async def _look(self, user_id: int) -> _Known:
        at = self._clock.monotonic()
        return _Known(await self._count(user_id), at)


class CountedBytes:
    """The bytes of a user's waiting messages. Counting them reads every waiting job, so it is done beside submits."""

    def __init__(self, count: Callable[[int], Awaitable[int]], clock: Clock) -> None:
        self._count, self._clock = count, clock
        self._known: dict[int, _Known] = {}
        self._counting: dict[int, asyncio.Task[None]] = {}

    def known(self, user_id: int) -> int | None:
        """Returns the bytes at the last count, and those accepted since; None before the first count."""
        known = self._known.get(user_id)
        return None if known is None else known.amount

    async def admit(self, user_id: int, more: int, most: int) -> int | None:
        """As `Counted.admit`. Until the bytes are counted for the first time, everything is admitted."""
        known = self._known.get(user_id)
        if known is None:
            if user_id not in self._counting:
                task = self._counting[user_id] = asyncio.get_running_loop().create_task(self._look(user_id))
                task.add_done_callback(lambda task: self._counted(user_id, task))
            return None
        if known.amount + more > most and self._clock.monotonic() - known.at >= BYTES_EVERY:
            await self._look(user_id)
            known = self._known[user_id]
        if known.amount + more > most:
            return known.amount
        known.amount += more
        return None

    async def idle(self) -> None:
        """Wait until nothing is being counted."""
        while self._counting:
            await asyncio.wait(self._counting.values())

    async def _look(self, user_id: int) -> None:
        at = self._clock.monotonic()
        amount = await self._count(user_id)
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[user_id] = _Known(amount, at)

    def _counted(self, user_id: int, task: asyncio.Task[None]) -> None:
        """Forget a count that ended. One that failed is tried again at the next submit."""
        self._counting.pop(user_id, None)
        if not task.cancelled():
            task.exception()
