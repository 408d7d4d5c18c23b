"""What this node holds: its lease and its shards, kept up by one small turn after another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence

import structlog

from duetime.clock.port import Clock
from duetime.coordination.assignment import EVERY_SHARD, share_of
from duetime.coordination.port import Coordinator
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, NodeId

log = structlog.get_logger()
MARGIN = 0.25
"""The part of the lease that the holder does not rely on: clocks drift, packets travel."""


class Ownership:
    """Joins, renews, takes and gives back. The holder stops trusting its lease before it ends."""

    def __init__(
        self,
        coordinator: Coordinator,
        clock: Clock,
        *,
        name: str,
        roles: Sequence[str],
        version: str,
        ttl: float,
        shards: Sequence[int] = EVERY_SHARD,
        on_change: Callable[[], None] = lambda: None,
        before_release: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._coordinator = coordinator
        self._clock = clock
        self._name, self._roles, self._version, self._ttl = name, tuple(roles), version, ttl
        self._shards = shards
        self.on_change = on_change
        self.before_release = before_release
        self._trusted_until = 0.0
        self.node = NodeId(0)
        self.terms: list[int] = [0] * SHARDS
        """The term of each shard held; 0 where it is not."""
        self.held: list[bool] = [False] * SHARDS

    @property
    def trusted(self) -> bool:
        """Whether the lease can still be relied on."""
        return self._clock.monotonic() < self._trusted_until

    @property
    def count(self) -> int:
        """How many shards this node holds."""
        return sum(self.held)

    async def join(self) -> None:
        """Become a member, under a new id."""
        self._drop(range(SHARDS))
        sent = self._clock.monotonic()
        self.node = await self._coordinator.join(self._name, self._roles, self._version, self._ttl)
        self._trusted_until = sent + self._ttl * (1 - MARGIN)

    async def run_once(self) -> None:
        """One turn: renew, fence the dead, take what is ours and free, give back what is not ours."""
        sent = self._clock.monotonic()
        if not await self._coordinator.renew(self.node, self._ttl):
            log.warning("lease lost: joining again under a new id", node=self.node)
            await self.join()
        else:
            self._trusted_until = sent + self._ttl * (1 - MARGIN)
        if "scheduler" not in self._roles:
            return
        for dead in await self._coordinator.fence():
            log.warning("a node's lease ran out: its shards go to others", node=dead)
        members = [member.id for member in await self._coordinator.members()]
        wanted = share_of(self.node, members, self._shards) if self.node in members else frozenset[int]()
        await self._give_back([shard for shard in range(SHARDS) if self.held[shard] and shard not in wanted])
        missing = [shard for shard in wanted if not self.held[shard]]
        if missing:
            await self._take(missing)

    async def give_up(self, shards: Collection[int]) -> None:
        """Give back those of these that are held, whoever should have them."""
        await self._give_back([shard for shard in shards if self.held[shard]])

    async def leave(self) -> None:
        """Give everything back and end the lease."""
        shards = [shard for shard in range(SHARDS) if self.held[shard]]
        self._drop(shards)
        self._trusted_until = 0.0
        try:
            await self._coordinator.release(self.node, shards)
            await self._coordinator.leave(self.node)
        except StoreAway:
            log.warning("the lease could not be given back: it will run out by itself", node=self.node)

    async def _take(self, shards: list[int]) -> None:
        taken = await self._coordinator.take(self.node, shards)
        for shard, term in taken.items():
            self.terms[shard], self.held[shard] = term, True
        if taken:
            log.debug("took shards", node=self.node, taken=len(taken), held=self.count)
            self.on_change()

    async def _give_back(self, shards: list[int]) -> None:
        if not shards:
            return
        self._drop(shards)
        if self.before_release:
            await self.before_release()
        await self._coordinator.release(self.node, shards)
        log.debug("gave shards back", node=self.node, given=len(shards), held=self.count)
        self.on_change()

    def _drop(self, shards: Sequence[int]) -> None:
        for shard in shards:
            self.terms[shard], self.held[shard] = 0, False
