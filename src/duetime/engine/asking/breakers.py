"""Open circuit breakers: lists them, and resets those that a person knows better about."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.coordination.port import Hints
from duetime.model.broken_host import BrokenHost
from duetime.model.errors import NotFound
from duetime.store.port import GateStore


class Breakers:
    """Carries out what people request for breakers. A user sees only its own; an administrator all of them."""

    def __init__(self, store: GateStore, hints: Hints, clock: Clock) -> None:
        self._store, self._hints, self._clock = store, hints, clock
        self.reset_here = lambda: None
        """Called after a reset: a hint does not reach the node that sends it."""

    async def list(self, user_id: int | None) -> list[BrokenHost]:
        """Returns the hosts whose breaker a living scheduler keeps open, for a user or for all."""
        return await self._store.broken_hosts(user_id)

    async def reset(self, user_id: int | None, host: str, actor: int) -> int:
        """Have every scheduler close its breakers of a host, for a user or for all. Returns how many these are.

        The request is stored. A hint makes schedulers carry it out at once; without it, they find it within a second.
        """
        breakers = await self._store.reset_breakers(user_id, host, self._clock.now(), actor)
        if not breakers:
            raise NotFound(f"No circuit breaker of '{host}' is open.", host=host)
        self._hints.send("breakers", "reset")
        self.reset_here()
        return breakers
