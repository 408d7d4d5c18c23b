"""What this node owns: its lease and its shards, kept up by one small turn after another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

import structlog

from duetime.clock.port import Clock
from duetime.coordination.assignment import EVERY_SHARD, active, share_of
from duetime.coordination.port import Coordinator, Renewals
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, NodeId

log = structlog.get_logger()
MARGIN = 0.25
"""The part of the lease that its holder does not rely on: clocks drift, packets travel."""
LOOKS = 3
"""How often one turn looks again when another node was quicker to acquire what both saw free."""
NEVER = float("-inf")
HAND_OVER = 1.0
"""How long a release waits for launches under way. The term fences those that come later."""


class Ownership:
    """Joins, renews, acquires and releases. The holder stops trusting its lease before it expires.

    `renew` and `balance` are two duties, so that no lease is lost while shards change owners slowly. Memory follows the
    store: each turn compares what is held here with what the store says, which makes up for a lost answer.
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
        self._trusted_until = self._renewed_apart = NEVER
        self._turned_at = clock.monotonic()
        self._lock = threading.Lock()
        """For the node and the trust in its lease, which another thread may prolong."""
        self._retired = False
        self._ended = 0
        """The last node id whose lease has ended: nothing makes it trusted again."""
        self.node = NodeId(0)
        self.terms: list[int] = [0] * SHARDS
        """The term of each shard held; 0 where it is not."""
        self.held: list[bool] = [False] * SHARDS
        self.share: int | None = None
        """How many shards this node should own, as the last turn saw it."""
        self.ended_leases = 0
        """How many leases of others this node has ended, because they ran out."""
        self.draining = False
        """Whether this node was asked to own nothing and to take no new runs."""

    @property
    def trusted(self) -> bool:
        """Whether the lease can still be relied on."""
        return self._clock.monotonic() < self._trusted_until

    @property
    def lease(self) -> object:
        """The identity of the present lease; None while no lease is trusted. It changes when a lease is lost."""
        return self.node if self.trusted else None

    def still_holds(self, lease: object) -> bool:
        """Returns whether this is still the present lease. A late answer may find that others own the shards now."""
        return lease is not None and self.lease == lease

    @property
    def count(self) -> int:
        """How many shards this node holds."""
        return sum(self.held)

    async def join(self) -> None:
        """Become a member under a new id; a node that was being drained still is."""
        self._drop(range(SHARDS))
        sent = self._clock.monotonic()
        node = await self._coordinator.join(self._name, self._roles, self._version, self._ttl, self._standby)
        with self._lock:
            self.node, self._renewed_apart = node, NEVER
            self._trusted_until = sent + self._ttl * (1 - MARGIN)
        if self.draining or self._retired:
            await self._coordinator.drain(self.node, True)

    async def renew(self) -> None:
        """Prolong the lease, unless `renew_by` just did; when it has ended, join again."""
        sent = self._turned_at = self._clock.monotonic()
        if self.trusted and sent - self._renewed_apart < self._ttl / 2:
            return
        if await self._coordinator.renew(self.node, self._ttl):
            self._trusted_until = sent + self._ttl * (1 - MARGIN)
            return
        log.warning("lease lost: joining again under a new id", node_id=self.node)
        self._end_trust()
        await self.join()
        self.on_change()

    async def renew_by(self, renewals: Renewals) -> bool:
        """Prolong the lease from another thread. Returns whether it still exists; only `renew` joins again."""
        sent, node = self._clock.monotonic(), self.node
        renewed = bool(node) and await renewals.renew(node, self._ttl)
        with self._lock:
            if node == self.node != self._ended:
                self._renewed_apart = sent if renewed else NEVER
                self._trusted_until = max(self._trusted_until, sent + self._ttl * (1 - MARGIN)) if renewed else NEVER
        return renewed

    @property
    def quiet_for(self) -> float:
        """For how many seconds the event loop has not come to `renew`."""
        return self._clock.monotonic() - self._turned_at

    async def balance(self) -> None:
        """Fence dead nodes, release shards beyond this node's share, acquire those of its share that are free."""
        if "scheduler" not in self._roles:
            return
        for dead in await self._coordinator.fence():
            self.ended_leases += 1
            log.warning("a node's lease expired: its shards are assigned to others", node_id=dead)
        for _ in range(LOOKS):
            if not await self._rebalance():
                return

    async def run_once(self) -> None:
        """Both duties, one after the other."""
        await self.renew()
        await self.balance()

    async def retire(self) -> None:
        """Release every shard at once and acquire none any more; the lease stays for the runs held here."""
        self._retired = True
        shards = self._held()
        self._drop(shards)
        try:
            await self._coordinator.drain(self.node, True)
            await self._coordinator.release(self.node, shards)
        except StoreAway:
            log.warning("the shards could not be released: they are free when the lease has expired", node_id=self.node)

    async def give_up(self, shards: Collection[int]) -> None:
        """Release those of these shards that are held, whatever the assignment says."""
        await self._release([shard for shard in shards if self.held[shard]])

    async def leave(self) -> None:
        """Release every shard and end the lease."""
        self._retired = True
        shards = self._held()
        self._drop(shards)
        self._end_trust()
        try:
            await self._coordinator.release(self.node, shards)
            await self._coordinator.leave(self.node)
        except StoreAway:
            log.warning("the lease could not be ended: it expires by itself", node_id=self.node)

    async def _rebalance(self) -> bool:
        """Come nearer to the assignment. Returns whether to look again, because others acquired what was free."""
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
        await self._release(mine - wanted)
        missing = [shard for shard in wanted if not self.held[shard]]
        acquired = await self._acquire(missing) if missing else 0
        if acquired == len(missing):
            return False
        living = {member.id for member in members}
        return acquired < sum(owners[shard] not in living or owners[shard] == node for shard in missing)

    async def _acquire(self, shards: list[int]) -> int:
        node = self.node
        acquired = await self._coordinator.acquire(node, shards)
        if node != self.node:
            return len(shards)  # meanwhile the lease was lost, and with it what was acquired
        if self._retired:
            await self._coordinator.release(node, list(acquired))
            return len(shards)
        for shard, term in acquired.items():
            self.terms[shard], self.held[shard] = term, True
        if acquired:
            log.debug("acquired shards", node=self.node, acquired=len(acquired), held=self.count)
            self.on_change()
        return len(acquired)

    async def _release(self, shards: Collection[int]) -> None:
        if not shards:
            return
        node, held = self.node, any(self.held[shard] for shard in shards)
        self._drop(shards)
        if held:
            self.on_change()
            if self.before_release:
                await self._wait_for_launches(self.before_release)
        await self._coordinator.release(node, list(shards))
        log.debug("released shards", node=node, released=len(shards), held=self.count)

    @staticmethod
    async def _wait_for_launches(before_release: Callable[[], Awaitable[None]]) -> None:
        waiting = asyncio.ensure_future(before_release())
        await asyncio.wait({waiting}, timeout=HAND_OVER)
        waiting.cancel()

    def _lose(self, shards: list[int]) -> None:
        if shards:
            log.warning("shards held here belong to others", node_id=self.node, lost=len(shards))
            self._drop(shards)
            self.on_change()

    def _adopt(self, terms: dict[int, int]) -> None:
        """A statement that was abandoned may have acquired shards later: they are this node's all the same."""
        for shard, term in terms.items():
            self.terms[shard] = term
        if terms:
            self.on_change()

    def _end_trust(self) -> None:
        with self._lock:
            self._trusted_until, self._ended = NEVER, self.node

    def _held(self) -> list[int]:
        return [shard for shard in range(SHARDS) if self.held[shard]]

    def _drop(self, shards: Iterable[int]) -> None:
        for shard in shards:
            self.terms[shard], self.held[shard] = 0, False
