"""What this node holds: its lease and its shards, kept up by one small turn after another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

import structlog

from duetime.clock.port import Clock
from duetime.coordination.assignment import EVERY_SHARD, active, share_of
from duetime.coordination.port import Coordinator
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, NodeId

log = structlog.get_logger()
MARGIN = 0.25
"""The part of the lease that the holder does not rely on: clocks drift, packets travel."""
LOOKS = 3
"""How often one turn looks again when another node was quicker to take what both saw free."""
NEVER = float("-inf")
HAND_OVER = 1.0
"""How long launches under way may hold up a hand-over. They are fenced by the term if they come later."""


class Ownership:
    """Joins, renews, takes and gives back. The holder stops trusting its lease before it ends.

    `renew` and `balance` are two duties, so that no lease is lost while shards change hands slowly. Memory
    follows the store: each turn compares what is held here with what the store says, so that an answer
    that got lost is made up for.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        clock: Clock,
        *,
        name: str,
        roles: Sequence[str],
        version: str,
        ttl: float,
        standby: int = 0,
        shards: Sequence[int] = EVERY_SHARD,
        on_change: Callable[[], None] = lambda: None,
        before_release: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._coordinator = coordinator
        self._clock = clock
        self._name, self._roles, self._version, self._ttl = name, tuple(roles), version, ttl
        self._standby, self._shards = standby, shards
        self.on_change = on_change
        self.before_release = before_release
        self._trusted_until = NEVER
        self._retired = False
        self.node = NodeId(0)
        self.terms: list[int] = [0] * SHARDS
        """The term of each shard held; 0 where it is not."""
        self.held: list[bool] = [False] * SHARDS
        self.share: int | None = None
        """How many shards should be held, as the last turn saw it."""
        self.draining = False
        """Whether this node was asked to own nothing and to take no new runs."""

    @property
    def trusted(self) -> bool:
        """Whether the lease can still be relied on."""
        return self._clock.monotonic() < self._trusted_until

    @property
    def standing(self) -> object:
        """What changes when a lease is lost or got anew; None without one. What was begun under another is outdated."""
        return self.node if self.trusted else None

    def stands(self, standing: object) -> bool:
        """Whether the lease stands under which something was begun. An answer can be so late that others took over."""
        return standing is not None and self.standing == standing

    @property
    def count(self) -> int:
        """How many shards this node holds."""
        return sum(self.held)

    async def join(self) -> None:
        """Become a member, under a new id; a node that was being drained still is."""
        self._drop(range(SHARDS))
        sent = self._clock.monotonic()
        self.node = await self._coordinator.join(self._name, self._roles, self._version, self._ttl, self._standby)
        self._trusted_until = sent + self._ttl * (1 - MARGIN)
        if self.draining or self._retired:
            await self._coordinator.drain(self.node, True)

    async def renew(self) -> None:
        """Prolong the lease; when it is gone, join again."""
        sent = self._clock.monotonic()
        if await self._coordinator.renew(self.node, self._ttl):
            self._trusted_until = sent + self._ttl * (1 - MARGIN)
            return
        log.warning("lease lost: joining again under a new id", node=self.node)
        self._trusted_until = NEVER
        await self.join()
        self.on_change()

    async def balance(self) -> None:
        """Fence the dead, give back what is not ours, take what is ours and free."""
        if "scheduler" not in self._roles:
            return
        for dead in await self._coordinator.fence():
            log.warning("a node's lease ran out: its shards go to others", node=dead)
        for _ in range(LOOKS):
            if not await self._settle():
                return

    async def run_once(self) -> None:
        """Both duties, one after the other."""
        await self.renew()
        await self.balance()

    async def retire(self) -> None:
        """Hand everything over at once, and take nothing any more; the lease stays for what still runs here."""
        self._retired = True
        shards = self._held()
        self._drop(shards)
        try:
            await self._coordinator.drain(self.node, True)
            await self._coordinator.release(self.node, shards)
        except StoreAway:
            log.warning("the shards could not be given back: they are free when the lease has run out", node=self.node)

    async def give_up(self, shards: Collection[int]) -> None:
        """Give back those of these that are held, whoever should have them."""
        await self._give_back([shard for shard in shards if self.held[shard]])

    async def leave(self) -> None:
        """Give everything back and end the lease."""
        self._retired = True
        shards = self._held()
        self._drop(shards)
        self._trusted_until = NEVER
        try:
            await self._coordinator.release(self.node, shards)
            await self._coordinator.leave(self.node)
        except StoreAway:
            log.warning("the lease could not be given back: it will run out by itself", node=self.node)

    async def _settle(self) -> bool:
        """Come nearer to the assignment; whether to look again, because something free slipped away."""
        node = self.node
        members = await self._coordinator.members()
        owners, terms = await self._coordinator.owners()
        me = next((member for member in members if member.id == node), None)
        if node != self.node or me is None or self._retired:
            return False
        self.draining = me.draining
        mine = {shard for shard in self._shards if owners[shard] == node}
        self._lose([shard for shard in self._held() if shard not in mine])
        self._adopt({shard: terms[shard] for shard in mine if self.held[shard] and self.terms[shard] != terms[shard]})
        wanted = share_of(node, active(members), owners, self._shards)
        self.share = len(wanted)
        await self._give_back(mine - wanted)
        missing = [shard for shard in wanted if not self.held[shard]]
        taken = await self._take(missing) if missing else 0
        if taken == len(missing):
            return False
        living = {member.id for member in members}
        return taken < sum(owners[shard] not in living or owners[shard] == node for shard in missing)

    async def _take(self, shards: list[int]) -> int:
        node = self.node
        taken = await self._coordinator.take(node, shards)
        if node != self.node:
            return len(shards)  # meanwhile the lease was lost, and what was taken with it
        if self._retired:
            await self._coordinator.release(node, list(taken))
            return len(shards)
        for shard, term in taken.items():
            self.terms[shard], self.held[shard] = term, True
        if taken:
            log.debug("took shards", node=self.node, taken=len(taken), held=self.count)
            self.on_change()
        return len(taken)

    async def _give_back(self, shards: Collection[int]) -> None:
        if not shards:
            return
        node, held = self.node, any(self.held[shard] for shard in shards)
        self._drop(shards)
        if held:
            self.on_change()
            if self.before_release:
                await self._wait_for_launches(self.before_release)
        await self._coordinator.release(node, list(shards))
        log.debug("gave shards back", node=node, given=len(shards), held=self.count)

    @staticmethod
    async def _wait_for_launches(before_release: Callable[[], Awaitable[None]]) -> None:
        waiting = asyncio.ensure_future(before_release())
        await asyncio.wait({waiting}, timeout=HAND_OVER)
        waiting.cancel()

    def _lose(self, shards: list[int]) -> None:
        if shards:
            log.warning("shards held here belong to others", node=self.node, lost=len(shards))
            self._drop(shards)
            self.on_change()

    def _adopt(self, terms: dict[int, int]) -> None:
        """A taking that was given up may have been carried out later: it was this node's all the same."""
        for shard, term in terms.items():
            self.terms[shard] = term
        if terms:
            self.on_change()

    def _held(self) -> list[int]:
        return [shard for shard in range(SHARDS) if self.held[shard]]

    def _drop(self, shards: Iterable[int]) -> None:
        for shard in shards:
            self.terms[shard], self.held[shard] = 0, False
