"""How many pages are read at once: what is read for a page is larger than the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class PageReads:
    """Lets few pages be read at once, by all users and by each."""

    def __init__(self, most: int = 8, of_one_user: int = 2) -> None:
        self._all = asyncio.Semaphore(most)
        self._of_one_user = of_one_user
        self._users: dict[int, tuple[asyncio.Semaphore, int]] = {}
        """With how many of its requests read or wait."""

    @asynccontextmanager
    async def turn(self, user_id: int) -> AsyncGenerator[None]:
        """Waits for a turn to read."""
        own, count = self._users.get(user_id) or (asyncio.Semaphore(self._of_one_user), 0)
        self._users[user_id] = own, count + 1
        try:
            async with own, self._all:
                yield
        finally:
            own, count = self._users.pop(user_id)
            if count > 1:
                self._users[user_id] = own, count - 1
