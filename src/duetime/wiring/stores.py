"""What a node stands on: one database, or several seen as one."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from typing import Protocol

from duetime import __version__
from duetime.clock.port import Clock
from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.coordination.assignment import EVERY_SHARD
from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Coordinator, Hints
from duetime.coordination.postgres_census import PostgresCensus
from duetime.engine.node.health import DatabaseHealth
from duetime.engine.node.periodic import Periodic
from duetime.model.errors import CoordinatorAway
from duetime.postgres.pool import Pool
from duetime.store.postgres.stores import postgres_stores
from duetime.store.postgres.warm import warm
from duetime.store.stores import Stores
from duetime.wiring import failpoints
from duetime.wiring.coordinator import coordination

TURNS_PER_LEASE = 5


class Foundation(Protocol):
    """The databases of a node, with its leases in them."""

    clock: SystemClock
    stores: Stores
    ownership: Ownership
    hints: Hints
    coordinator: Coordinator
    """The home database's."""
    census: Census
    points: failpoints.Failpoints | None
    duties: Sequence[Periodic]
    """What keeps the leases: to be run all the time, whatever else the node does."""

    async def open(self) -> None:
        """Connect and join; `StoreAway` when what cannot be done without is away."""
        ...

    async def close(self) -> None:
        """Let every connection go."""
        ...

    def nudge(self) -> None:
        """Shards changed hands: look at once."""
        ...

    def health(self) -> list[DatabaseHealth]:
        """How each database is."""
        ...


class OneDatabase:
    """Everything in one database."""

    def __init__(self, config: Config, dsn: str) -> None:
        self._roles = config.roles
        self._pool = pool = Pool(dsn, size=config.postgres.pool_size)
        self.clock = SystemClock(pool.clock)
        self.census: Census = PostgresCensus(pool)
        self.points = failpoints.armed_failpoints(os.environ, self.clock)
        coordinator, hints, self._close_coordinator = coordination(config, pool, self.clock)
        self.coordinator = self.points.wrap("coordinator", coordinator) if self.points else coordinator
        self.stores = postgres_stores(pool)
        self.ownership = own(config, self.coordinator, self.clock)
        self.hints: Hints = hints
        turn = config.engine.lease / TURNS_PER_LEASE
        self._leases = Periodic("leases", self.clock, turn, self.ownership.renew)
        self._shards = Periodic("shards", self.clock, turn, self.ownership.balance)
        self.duties: Sequence[Periodic] = [self._leases, self._shards]

    async def open(self) -> None:
        """Connect and join."""
        await self._pool.open()
        await warm(self._pool, self._roles)
        await self.clock.measure()
        await self.ownership.join()

    async def close(self) -> None:
        """Let every connection go."""
        await self._close_coordinator()
        await self._pool.close()

    def nudge(self) -> None:
        """Look at once."""
        self._shards.nudge()

    def health(self) -> list[DatabaseHealth]:
        """How the database is."""
        answers = not self._leases.failing or isinstance(self._leases.away, CoordinatorAway)
        return [DatabaseHealth(0, answers, "0-1023")]


def own(config: Config, coordinator: Coordinator, clock: Clock, shards: Sequence[int] = EVERY_SHARD) -> Ownership:
    """This node's lease and shards in one database."""
    return Ownership(
        coordinator,
        clock,
        name=f"{socket.gethostname()}:{os.getpid()}",
        roles=config.roles,
        version=__version__,
        ttl=config.engine.lease,
        shards=shards,
        standby=config.spare_for,
    )
