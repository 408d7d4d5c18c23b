"""Reading the outbox: ends of jobs reach a consumer at least once, in the order of their transactions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from duetime.model.events import JobEnded
from duetime.store.outbox_port import OutboxStore, Subscription

PAGE = 100
"""How many settled batches one page has at most."""


class OutboxReader:
    """Hands ends to one consumer, and acknowledges them after it has handled them: a crash in between repeats them."""

    def __init__(
        self,
        store: OutboxStore,
        subscription: Subscription,
        handle: Callable[[Sequence[JobEnded]], Awaitable[None]],
        *,
        page: int = PAGE,
    ) -> None:
        """`page` is how many settled batches are handed over at a time, at most."""
        self._store, self._subscription, self._handle, self._page = store, subscription, handle, page

    async def subscribe(self) -> None:
        """Have the store write ends from now on."""
        await self._store.subscribe(self._subscription)

    async def run_once(self) -> int:
        """Hand all waiting ends to the consumer, page after page. Returns how many."""
        handled = 0
        while True:
            page = await self._store.read(self._subscription.name, self._page)
            if page.position is None:
                return handled
            if page.ended:
                await self._handle(page.ended)
            await self._store.acknowledge(self._subscription.name, page.position)
            handled += len(page.ended)
