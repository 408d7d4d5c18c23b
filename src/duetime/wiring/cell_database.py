"""The database of one cell, and this node's lease and shards in it."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence

import structlog

from duetime import __version__
from duetime.cells.cell import Cell
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
from duetime.model.shard_ranges import written_shards
from duetime.postgres.pool import Pool
from duetime.store.cell_port import Placement
from duetime.store.postgres.migrate import apply_migrations
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.placement import PostgresPlacement
from duetime.store.postgres.register import check_identity
from duetime.store.postgres.server import few_connections, free_connections
from duetime.store.postgres.stores import placed_stores, postgres_stores
from duetime.store.postgres.warm import warm
from duetime.wiring.coordinator import coordination
from duetime.wiring.failpoints import Failpoints
from duetime.wiring.identity import agree_on_coordinator

log = structlog.get_logger()
TURNS_PER_LEASE = 5
MEASURE_CLOCK_EVERY = 5.0
RESERVED_CONNECTIONS = 3
"""Beside the pool: for hints, for the lease, and for its renewal in a thread of its own."""


class CellDatabase:
    """One database: its pool, its clock, its stores, its coordinator, and what this node owns in it."""

    def __init__(
        self,
        config: Config,
        dsn: str,
        *,
        points: Callable[[Clock], Failpoints | None] = lambda _: None,
        number: int = 0,
        clock: SystemClock | None = None,
        timed: Callable[[str, float], None] | None = None,
    ) -> None:
        """`clock` is for tests. `timed` is called after each statement with its name and its seconds."""
        self._config, self.number, self.opened, self._connected = config, number, False, False
        self.pool = pool = Pool(dsn, size=config.postgres.pool_size, timed=timed)
        self.clock = clock or SystemClock(pool.clock)
        self.census: Census = PostgresCensus(pool)
        self.points = made = points(self.clock)
        coordinator, hints, self._close_coordinator, renewals = coordination(config, pool, self.clock)
        self.coordinator: Coordinator = made.wrap("coordinator", coordinator) if made else coordinator
        self.hints: Hints = hints
        self.placed, self.placing = PlacedSubmit(pool), PostgresPlacement(pool)
        self.stores = placed_stores(pool, self.placed) if config.several else postgres_stores(pool)
        self.shards: list[int] = [] if config.several else list(EVERY_SHARD)
        """The shards that are open here: the nodes divide these among themselves."""
        self.ownership = own(config, self.coordinator, self.clock, self.shards)
        every = config.engine.lease / TURNS_PER_LEASE
        self._keeper = LeaseKeeper(
            self.ownership, (lambda: made.wrap("coordinator", renewals())) if made else renewals, every
        )
        of = f" of database {number}" if config.several else ""
        self._leases = Periodic(f"leases{of}", self.clock, every, self.ownership.renew)
        self._balances = Periodic(f"shards{of}", self.clock, every, self.ownership.balance)
        self._placements = Periodic(f"placement{of}", self.clock, every, self.learn)
        measure = Periodic(f"clock{of}", self.clock, MEASURE_CLOCK_EVERY, self.clock.measure)
        self.duties: Sequence[Periodic] = [
            self._leases,
            self._balances,
            measure,
            *([self._placements] if config.several else []),
        ]
        """Periodic work that keeps the lease. The node runs it from start to stop, whatever its roles are."""
        self.cluster: str | None = None
        """The id of the cluster, as the home database has it."""
        self.cell = Cell(number, self.stores, self.placed, self.placing, self.ownership)
        self.placed_here: Callable[[Cell, Placement], bool] = lambda cell, placement: True
        """Called with the placement that this database records. Returns whether it is new."""

    async def open(self) -> None:
        """Connect, check that it is the right database, measure its clock, and join the cluster."""
        await self.connect()
        try:
            if self.number:
                await apply_migrations(self.pool)
                await check_identity(self.pool, self.number, self.cluster)
                await agree_on_coordinator(self.pool, self._config)
            wanted = self.pool.size + RESERVED_CONNECTIONS
            if few := few_connections(await free_connections(self.pool) + 1, wanted):
                log.warning(few, database=self.number)
            await warm(self.pool, self._config.roles)
            await self.clock.measure()
            await self.learn()
            await self.ownership.join()
        except Exception:
            self._connected = False
            await self.pool.close()
            raise
        self.opened = True

    async def connect(self) -> None:
        """Connect, without joining. A repeat has no effect."""
        if not self._connected:
            await self.pool.open()
            self._connected = True

    def keep(self) -> None:
        """Renew the lease from a thread of its own, from now on."""
        self._keeper.start()

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.to_thread(self._keeper.stop)
        await self._close_coordinator()
        await self.pool.close()

    def nudge(self) -> None:
        """Check the placement and the ownership of shards at once."""
        self._balances.nudge()
        self._placements.nudge()

    async def learn(self) -> None:
        """Learn which shards are open here. Those that are closing are released: a mover waits for that."""
        if not self._config.several:
            return
        placement = await self.placing.placement()
        if not self.placed_here(self.cell, placement):
            return
        await self.ownership.give_up(placement.away)
        self.shards[:] = sorted(self.cell.here)
        self._balances.nudge()

    async def follow(self, draining: bool) -> None:
        """Release all shards while this node is drained in the home cell, where people ask for it."""
        if self.opened and self.ownership.trusted and self.ownership.draining != draining:
            await self.coordinator.drain(self.ownership.node, draining)
            self._balances.nudge()

    def health(self) -> DatabaseHealth:
        """Returns the health of this database."""
        if self._config.several:
            return DatabaseHealth(self.number, self.cell.answers, written_shards(self.cell.here))
        answers = not self._leases.failing or isinstance(self._leases.away, CoordinatorAway)
        return DatabaseHealth(0, answers, "0-1023")


def node_name() -> str:
    """Returns the name of this process among the nodes: its host and its process id."""
    return f"{socket.gethostname()}:{os.getpid()}"


def own(config: Config, coordinator: Coordinator, clock: Clock, shards: Sequence[int] = EVERY_SHARD) -> Ownership:
    """Returns this node's ownership in one database: its lease and its shards."""
    return Ownership(
        coordinator,
        clock,
        name=node_name(),
        roles=config.roles,
        version=__version__,
        ttl=config.engine.lease,
        shards=shards,
        standby=config.spare_for,
    )
