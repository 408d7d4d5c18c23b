"""The databases of one world, and each of them as one simulated node sees it, built as in wiring/cell_database.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from heapq import merge
from random import Random
from typing import NamedTuple

from duetime.cells.cell import Cell
from duetime.coordination.ownership import Ownership
from duetime.model import ids
from duetime.store.cell_port import Placement
from duetime.store.placement import SingleDatabase
from simulation.clock import SkewedClock, store_time
from simulation.hints import Switchboard
from simulation.history import Trust
from simulation.loop import Owner
from simulation.memory.coordinator import MemoryCoordinator
from simulation.memory.placed import MemoryPlaced, MemoryPlacement
from simulation.memory.stores import memory_stores
from simulation.memory.tables import Tables
from simulation.weather import NodeLink, Server

LEASE = 2.0
NAMES = ("scheduler", "executor")
APART = 1000
"""Ids of nodes and definitions differ between databases, so that the tables of all can be looked at as one."""


class Database(NamedTuple):
    """One database of the world."""

    number: int
    tables: Tables
    server: Server
    switchboard: Switchboard

    @property
    def shards(self) -> list[int]:
        """The shards that live here."""
        return [shard for shard in range(ids.SHARDS) if shard not in self.tables.away]


def divide(databases: Sequence[Database]) -> None:
    """Give each database an equal part of the shards, and ids of its own."""
    count = len(databases)
    for one in databases[1:] if count == 1 else databases:
        one.tables.away = frozenset(shard for shard in range(ids.SHARDS) if shard * count // ids.SHARDS != one.number)
        for of in ("node", "definition"):
            one.tables.go_on_from(of, one.number * APART)


def as_one(databases: Sequence[Database]) -> Tables:
    """The tables of all databases together, to be read only."""
    if len(databases) == 1:
        return databases[0].tables
    first, *_ = every = [one.tables for one in databases]
    whole = Tables(first.clock, first.safeguards, users=first.users)
    for one in every:
        whole.definitions |= one.definitions
        whole.jobs |= one.jobs
        whole.in_flight |= one.in_flight
        whole.history += one.history
        whole.schedules |= one.schedules
        whole.refused += one.refused
    whole.journal = list(merge(*(one.journal for one in every), key=lambda fact: fact.at))
    return whole


class SimulatedDatabase:
    """A database as one process sees it: the link, the clock, the stores, the lease, and what it owns there."""

    def __init__(
        self,
        database: Database,
        databases: int,
        owner: Owner,
        clock: Callable[[Callable[[], object]], SkewedClock],
        random: Random,
    ) -> None:
        """`clock` makes the process's clock from a question to this database."""
        self.database, self.number, tables = database, database.number, database.tables
        self._loop = database.server.loop
        self.link = NodeLink(database.server, owner)
        self.clock = clock(self._ask_clock)
        self.hints = database.switchboard.join(owner, self.link)
        self.coordinator = MemoryCoordinator(tables, self.link, lambda: self.hints.send("shards", ""))
        self._several = databases > 1
        self.shards: list[int] = [] if self._several else list(range(ids.SHARDS))
        self.ownership = Ownership(
            self.coordinator, self.clock, name=owner.name, roles=NAMES, version="0", ttl=LEASE, shards=self.shards
        )
        self.placed = MemoryPlaced(tables, self.link)
        self.placing = MemoryPlacement(tables, self.link, self.number, databases)
        stores = memory_stores(tables, self.link, SingleDatabase(random.randrange(ids.SHARDS)))
        self.stores = stores._replace(submit=self.placed) if self._several else stores
        self.census = None
        self.cluster: str | None = None
        self.cell = Cell(self.number, self.stores, self.placed, self.placing, self.ownership)
        self.placed_here: Callable[[Cell, Placement], bool] = lambda cell, placement: True

    async def open(self) -> None:
        """Measure the clock, learn which shards are here, and join the cluster."""
        await self.clock.measure()
        await self.learn()
        await self.ownership.join()

    async def learn(self) -> None:
        """Learn which shards are open here."""
        if self._several and self.placed_here(self.cell, placement := await self.placing.placement()):
            await self.ownership.give_up(placement.away)
            self.shards[:] = sorted(self.cell.here)

    async def follow(self, draining: bool) -> None:
        """No node of the simulation is drained."""

    def trusts_what_ended(self, at: datetime) -> Trust | None:
        """Whether the node relies on a lease that has expired by the store's clock."""
        node = self.ownership.node
        lease = self.database.tables.leases.get(node)
        over = lease is None or lease.until < at
        return Trust(at, node) if node and self.ownership.trusted and over else None

    async def _ask_clock(self) -> datetime:
        return await self.link.call("clock", lambda: store_time(self._loop))
