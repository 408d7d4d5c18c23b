"""The databases of a node: one, or several that are used as one."""

from __future__ import annotations

import asyncio
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
from duetime.coordination.lease_keeper import LeaseKeeper
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
    """The databases of a node, and the node's leases in them."""

    clock: SystemClock
    stores: Stores
    ownership: Ownership
    hints: Hints
    coordinator: Coordinator
    """The coordinator of the home database."""
    census: Census
    points: failpoints.Failpoints | None
    duties: Sequence[Periodic]
    """Periodic work that keeps the leases. The node runs it from start to stop, whatever its roles are."""

    async def open(self) -> None:
        """Connect and join the cluster. Raises `StoreAway` when a database that is needed cannot be reached."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...

    def nudge(self) -> None:
        """Check the ownership of shards at once: it has changed."""
        ...

    def health(self) -> list[DatabaseHealth]:
        """Returns the health of each database."""
        ...


class OneDatabase:
    """A node on one database, which holds everything."""

    def __init__(self, config: Config, dsn: str, clock: SystemClock | None = None) -> None:
        self._roles = config.roles
        self._pool = pool = Pool(dsn, size=config.postgres.pool_size)
        self.clock = clock or SystemClock(pool.clock)
        self.census: Census = PostgresCensus(pool)
        self.points = failpoints.armed_failpoints(os.environ, self.clock)
        coordinator, hints, self._close_coordinator, renewals = coordination(config, pool, self.clock)
        self.coordinator = self.points.wrap("coordinator", coordinator) if self.points else coordinator
        self.stores = postgres_stores(pool)
        self.ownership = own(config, self.coordinator, self.clock)
        self.hints: Hints = hints
        every = config.engine.lease / TURNS_PER_LEASE
        points = self.points
        self._keeper = LeaseKeeper(
            self.ownership, (lambda: points.wrap("coordinator", renewals())) if points else renewals, every
        )
        self._leases = Periodic("leases", self.clock, every, self.ownership.renew)
        self._shards = Periodic("shards", self.clock, every, self.ownership.balance)
        self.duties: Sequence[Periodic] = [self._leases, self._shards]

    async def open(self) -> None:
        """Connect, warm up the connections, measure the clock, and join the cluster."""
        await self._pool.open()
        await warm(self._pool, self._roles)
        await self.clock.measure()
        await self.ownership.join()
        self._keeper.start()

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.to_thread(self._keeper.stop)
        await self._close_coordinator()
        await self._pool.close()

    def nudge(self) -> None:
        """Check the ownership of shards at once."""
        self._shards.nudge()

    def health(self) -> list[DatabaseHealth]:
        """Returns the health of the database."""
        answers = not self._leases.failing or isinstance(self._leases.away, CoordinatorAway)
        return [DatabaseHealth(0, answers, "0-1023")]


def own(config: Config, coordinator: Coordinator, clock: Clock, shards: Sequence[int] = EVERY_SHARD) -> Ownership:
    """Returns this node's ownership in one database: its lease and its shards."""
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
