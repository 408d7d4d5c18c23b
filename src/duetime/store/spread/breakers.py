"""Breakers are made visible in the home database."""

from __future__ import annotations

from duetime.model.broken_host import BrokenHost
from duetime.model.ids import NodeId
from duetime.store.spread.members import Members


class SpreadBreakers:
    """`BreakerStore` of the home database."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def opened(self, node: NodeId, broken: BrokenHost) -> None:
        """A breaker opened."""
        home = self._members.home
        await home.ask(lambda stores: stores.breakers.opened(home.lease.node, broken))

    async def closed(self, node: NodeId, flow: int) -> None:
        """A breaker closed."""
        home = self._members.home
        await home.ask(lambda stores: stores.breakers.closed(home.lease.node, flow))

    async def broken_hosts(self, user_id: int) -> list[BrokenHost]:
        """The hosts that are taken to be down for a user."""
        return await self._members.home.ask(lambda stores: stores.breakers.broken_hosts(user_id))
