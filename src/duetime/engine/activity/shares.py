"""Shares: what each user got over a time, beside its weight."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.activity.overview import WINDOWS, Overview, Window
from duetime.engine.brief_cache import BriefCache
from duetime.model.activity import EVERYBODY, HOUR, ActivityRow, start_of
from duetime.model.user import User
from duetime.store.activity_port import ActivitySums

SECONDS: Final = 5.0
SHOWN: Final = 50
"""How many users are shown: those with the most launches."""


class ShareOf(Struct, frozen=True):
    """What one user got."""

    user: User
    steps: Sequence[ActivityRow]

    @property
    def launched(self) -> int:
        """How many of its jobs were launched within the window."""
        return sum(step.launched for step in self.steps)


class SharesOf(Struct, frozen=True):
    """What all users got, and the users with the most of it."""

    now: datetime
    window: Window
    all: Sequence[ActivityRow]
    users: list[ShareOf]


class Shares:
    """Reads shares. Callers that ask within a few seconds share one answer."""

    def __init__(
        self, store: ActivitySums, overview: Overview, user: Callable[[int], Awaitable[User | None]], clock: Clock
    ) -> None:
        self._store, self._overview, self._user, self._clock = store, overview, user, clock
        self._known = BriefCache(self._read, clock, seconds=SECONDS)

    async def of(self, window: Window) -> SharesOf:
        """Returns what users got within a window."""
        return await self._known.of(window)

    async def _read(self, window: Window) -> SharesOf:
        now, (number, span) = self._clock.now(), WINDOWS[window]
        first = start_of(now - timedelta(seconds=number * span), HOUR)
        known = [await self._user(one.user_id) for one in await self._store.launches(first, SHOWN)]
        users = [user for user in known if user is not None]
        everybody, *steps = await asyncio.gather(
            self._overview.steps(EVERYBODY, number, span, now),
            *(self._overview.steps(user.id, number, span, now) for user in users),
        )
        found = [ShareOf(user, own) for user, own in zip(users, steps, strict=True)]
        active = [one for one in found if one.launched]
        return SharesOf(now, window, everybody, sorted(active, key=lambda one: -one.launched))
