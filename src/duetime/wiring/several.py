"""Several databases in one node: each connected, leased and kept up for itself, so that one can be away alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog

from duetime.clock.port import Clock
from duetime.clock.system import SystemClock
from duetime.config import Config, mask_dsn
from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.coordination.postgres_census import PostgresCensus
from duetime.coordination.spread import SpreadHints, SpreadOwnership
from duetime.coordination.spread_census import SpreadCensus
from duetime.engine.node.health import DatabaseHealth
from duetime.engine.node.periodic import Periodic
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS
from duetime.model.shard_ranges import written_shards
from duetime.postgres.pool import Pool
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.placement import PostgresPlacement
from duetime.store.postgres.register import check_identity
from duetime.store.postgres.stores import placed_stores
from duetime.store.postgres.warm import warm
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members
from duetime.store.spread.settle import SpreadSettle
from duetime.store.spread.stores import spread_stores
from duetime.wiring import failpoints
from duetime.wiring.coordinator import coordination
from duetime.wiring.stores import TURNS_PER_LEASE, own

log = structlog.get_logger()
SETTLE_EVERY = 0.2


class Part:
    """One of the databases."""

    def __init__(self, config: Config, number: int, clock: Clock) -> None:
        dsn = config.databases[number].dsn
        self.number, self.title = number, mask_dsn(dsn)
        self._roles = config.roles
        self.pool = Pool(dsn, size=config.postgres.pool_size)
        self.coordinator, self.hints, self._close_coordinator, _ = coordination(config, self.pool, clock)
        self.shards: list[int] = []
        """The shards that are open there; who owns which is worked out over these."""
        self.ownership: Ownership = own(config, self.coordinator, clock, self.shards)
        self.placement, self.census = PostgresPlacement(self.pool), PostgresCensus(self.pool)
        placed = PlacedSubmit(self.pool)
        stores = placed_stores(self.pool, placed)
        self.member = SpreadMember(number, stores, placed, self.placement, self.ownership, self.title)
        self.opened = False
        every = config.engine.lease / TURNS_PER_LEASE
        self.leases = Periodic(f"leases of database {number}", clock, every, self.keep_lease)
        self.balances = Periodic(f"shards of database {number}", clock, every, self.balance)
        self.placements = Periodic(f"placement of database {number}", clock, every, self.look)
        self.cluster: str | None = None
        self.members: Members | None = None

    async def open(self) -> None:
        """Connect, see that it is the right database, and learn which shards are open."""
        await self.pool.open()
        try:
            if self.number:
                await apply_migrations(self.pool)
                await check_identity(self.pool, self.number, self.cluster)
            await warm(self.pool, self._roles)
            await self.learn()
        except Exception:
            await self.pool.close()
            raise
        self.opened = True

    async def keep_lease(self) -> None:
        """Renew, or join; connect first when that has not worked before."""
        if not self.opened:
            await self.open()
        await (self.ownership.renew() if self.ownership.node else self.ownership.join())

    async def balance(self) -> None:
        """Take and give back, once this node has joined."""
        if self.ownership.node:
            await self.ownership.balance()

    async def look(self) -> None:
        """Learn what is new there, once it is known to be the right database."""
        if self.opened:
            await self.learn()

    async def learn(self) -> None:
        """Which shards are open there. What is closing is given back, for whoever moves it waits for that."""
        placement = await self.placement.placement()
        if self.members is None or not self.members.learn(self.member, placement):
            return
        await self.ownership.give_up(placement.away)
        self.shards[:] = sorted(self.member.here)
        self.balances.nudge()

    async def drain(self, draining: bool) -> None:
        """Own nothing any more, or something again, as at home."""
        if self.opened and self.ownership.node and self.ownership.draining != draining:
            await self.coordinator.drain(self.ownership.node, draining)
            self.balances.nudge()

    async def close(self) -> None:
        """Let every connection go."""
        await self._close_coordinator()
        await self.pool.close()


class SeveralDatabases:
    """All of them, seen as one. Only the home database is needed to start."""

    def __init__(self, config: Config, clock: SystemClock | None = None) -> None:
        self.clock = clock or SystemClock(self._now)
        self.parts = [Part(config, number, self.clock) for number in range(len(config.databases))]
        home, *others = self.parts
        self.coordinator = home.coordinator
        self.census: Census = SpreadCensus(home.census, [(part.member, part.census) for part in others])
        self.points: failpoints.Failpoints | None = None
        self.members = Members([part.member for part in self.parts])
        for part in self.parts:
            part.members = self.members
        self.stores = spread_stores(self.members, self.clock)
        self.spread = SpreadOwnership([part.ownership for part in self.parts])
        self.ownership: Ownership = self.spread
        self.hints: Hints = SpreadHints(
            [part.hints for part in self.parts], self.spread.parts, lambda shard: self.members.of(shard).number
        )
        every = config.engine.lease / TURNS_PER_LEASE
        self.duties: Sequence[Periodic] = [
            *(part.leases for part in self.parts),
            *(part.balances for part in self.parts),
            *(part.placements for part in self.parts),
            Periodic("databases", self.clock, min(every, SETTLE_EVERY), self.look),
        ]

    async def open(self) -> None:
        """Connect and join; those that are away are waited for beside."""
        home = self.parts[0]
        await home.pool.open()
        await self.clock.measure()
        known = await home.placement.placement()
        self.members.place(known.homes or [0] * SHARDS)
        for part in self.parts:
            part.cluster = known.cluster
        await asyncio.gather(*(self._open(part) for part in self.parts))
        if not home.opened:
            raise StoreAway("The home database, the first of the list, cannot be reached: it is needed to start.")
        self.spread.look()

    async def close(self) -> None:
        """Let every connection go."""
        await asyncio.gather(*(part.close() for part in self.parts))

    def nudge(self) -> None:
        """Look at once."""
        for part in self.parts:
            part.balances.nudge()
            part.placements.nudge()

    def health(self) -> list[DatabaseHealth]:
        """How each database is."""
        return [
            DatabaseHealth(part.number, part.member.answers, written_shards(part.member.here)) for part in self.parts
        ]

    async def look(self) -> None:
        """Notice databases that went away or are back, and store what waited for them."""
        settle = self.stores.settle
        if isinstance(settle, SpreadSettle):
            await settle.settle_what_waits()
        blind = [member for member in self.members if member.blind and member.answers]
        for member in blind:
            member.blind = False
        if not self.spread.look() and blind:
            self.spread.on_change()
        for part in self.parts[1:]:
            if part.member.answers:
                await part.drain(self.parts[0].ownership.draining)

    async def _open(self, part: Part) -> None:
        try:
            if part.number:
                await part.open()
            else:
                await part.learn()
                part.opened = True
            await part.ownership.join()
        except StoreAway:
            log.warning("a database is away: its jobs wait until it is back", database=part.number, at=part.title)

    async def _now(self) -> datetime:
        """The home database's clock; another's while home is away."""
        for part in self.parts[:-1]:
            try:
                return await part.pool.clock()
            except StoreAway:
                continue
        return await self.parts[-1].pool.clock()
