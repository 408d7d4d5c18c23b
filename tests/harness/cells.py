"""A node's engines on several real databases. The test advances their clock and can cut off databases."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast

from duetime.cells.cells import Cells
from duetime.clock.manual import ManualClock
from duetime.clock.system import SystemClock
from duetime.config import Config, DatabaseConfig, EngineConfig
from duetime.coordination.ownership import Ownership
from duetime.model.errors import StoreAway
from duetime.model.ids import SHARDS, UserId, shard_of
from duetime.model.job import NewJob
from duetime.model.run import Settlement
from duetime.model.user import Quotas
from duetime.postgres.pool import Pool
from duetime.wiring.cell_database import CellDatabase
from duetime.wiring.cells import CellServices, CellStores
from duetime.wiring.engine import Engine as NodeEngine
from duetime.wiring.engine import EngineSettings
from duetime.wiring.migrations import migrate_and_register
from harness.engine import LOOK_AHEAD, Engine, HandBus

HALVES = ("0-511", "512-1023")
LONG_LEASE = EngineConfig(lease=300.0)
"""Long enough to end only when a test wants it."""


class TurnedClock(ManualClock):
    """A clock for databases, which measure their clock when they open."""

    trusted = True
    skew = 0.0

    async def measure(self) -> None:
        """There is nothing to measure."""


def several_config(dsns: list[str], shards: tuple[str | None, ...] = HALVES, **more: Any) -> Config:
    """A configuration with several databases."""
    databases = tuple(DatabaseConfig(dsn=dsn, shards=some) for dsn, some in zip(dsns, shards, strict=True))
    return Config(**{"databases": databases, "data": Path("unused"), "engine": LONG_LEASE} | more)


async def prepare(config: Config) -> None:
    """What `duetime up` does before it starts a node."""
    pool = Pool(config.databases[0].dsn, size=2)
    await pool.open()
    try:
        await migrate_and_register(config, pool)
    finally:
        await pool.close()


class Held:
    """What a node owns in all its cells that answer."""

    def __init__(self, parts: Sequence[Ownership]) -> None:
        self._parts = parts

    @property
    def held(self) -> list[bool]:
        return [any(part.trusted and part.held[shard] for part in self._parts) for shard in range(SHARDS)]

    @property
    def count(self) -> int:
        return sum(self.held)

    @property
    def node(self) -> int:
        """The id in the home cell."""
        return self._parts[0].node

    async def run_once(self) -> None:
        for part in self._parts:
            if part.node:
                await part.run_once()


class CellEngines:
    """The engines of one node, one for each database, and the services that route between them.

    `away` cuts a database off from this node, `back` reconnects it.
    """

    def __init__(self, config: Config, clock: TurnedClock, *, slots: int = 1000) -> None:
        self.clock, self.stopped, self.bus = clock, list[int](), HandBus(slots)
        self.databases = [
            CellDatabase(config, one.dsn, number=number, clock=cast(SystemClock, clock))
            for number, one in enumerate(config.databases)
        ]
        self.base = CellStores(self.databases, Quotas())
        self.engines = [self._engine(one) for one in self.databases]
        self.routed = routed = CellServices(self.base, self.engines)
        self.submit, self.insight, self.control = routed.submit, routed.insight, routed.control
        self.dead_letters, self.schedules, self.backfill = routed.dead_letters, routed.schedules, routed.backfill
        self.calendars, self.accounts = routed.calendars, self.base.accounts
        self.ownership = Held([one.ownership for one in self.databases])
        self.settle = SimpleNamespace(put=self._put, drain=self._drain)
        self.bus.settle, self.bus.clock = cast(Any, self.settle), clock

    def _engine(self, database: CellDatabase) -> NodeEngine:
        return NodeEngine(
            self.base.of(database),
            self.clock,
            database.ownership,
            database.hints,
            self.bus,
            EngineSettings(look_ahead=LOOK_AHEAD),
            chance=lambda: 0.5,
            stop_run=lambda job_id: bool(self.stopped.append(job_id)) or True,
            census=database.census,
            quota=self.base.quota,
            contests=self.base.contests(database, lambda: None),
        )

    @property
    def cells(self) -> Cells:
        return self.base.cells

    @property
    def straight(self) -> list[Pool]:
        """A direct pool for each database."""
        return [one.pool for one in self.databases]

    async def start(self) -> Self:
        await self.databases[0].connect()
        await self.base.learn_homes()
        await self._open(0)
        for number in range(1, len(self.databases)):
            with suppress(StoreAway):
                await self._open(number)
        return self

    async def _open(self, number: int) -> None:
        database, engine = self.databases[number], self.engines[number]
        await database.open()
        await engine.retention.run_once()
        database.ownership.on_change = engine.due.restart
        await database.ownership.run_once()

    async def stop(self) -> None:
        for engine in self.engines:
            await engine.scheduler.stop()
            await engine.settle.drain()
        for database in self.databases:
            if database.ownership.node:
                await database.ownership.leave()
            await database.close()

    async def away(self, number: int) -> None:
        """Cut a database off from this node, which notices it."""
        self.databases[number].ownership._trusted_until = 0.0
        await self.routed.look()

    async def back(self, number: int) -> None:
        """Reconnect a database."""
        async with asyncio.timeout(20):
            while not self.databases[number].opened:
                with suppress(StoreAway):
                    await self._open(number)
                await asyncio.sleep(0.02)
        ownership = self.databases[number].ownership
        await ownership.renew()
        await ownership.balance()
        self.engines[number].due.restart()

    async def look(self) -> None:
        """Read the placement of shards again, and acquire the free ones."""
        for one in self.databases:
            if one.opened:
                await one.learn()
        await self.ownership.run_once()

    async def rescue(self) -> None:
        for cell, engine in zip(self.cells, self.engines, strict=True):
            if cell.answers:
                await engine.rescue.run_once()

    async def repair(self) -> None:
        for cell, engine in zip(self.cells, self.engines, strict=True):
            if cell.answers:
                await engine.repair.run_once()

    async def user(self, name: str = "someone", weight: float = 1.0) -> UserId:
        return (await self.accounts.create(name, "x", weight, "user", None)).id

    def job(self, user_id: int, message: str = "m", **more: Any) -> NewJob:
        return Engine.job(cast(Engine, self), user_id, message, **more)

    async def add(self, user_id: int, message: str = "m", **more: Any) -> int:
        return (await self.submit.one(self.job(user_id, message, **more))).job.id

    async def settle_down(self, turns: int = 200) -> None:
        """Run all steps of all engines until nothing changes any more at the present instant."""
        quiet = 0
        for _ in range(turns):
            before, now, more = len(self.bus.sent), self.clock.now(), False
            for database, engine in zip(self.databases, self.engines, strict=True):
                if not database.cell.answers:
                    continue
                engine.scheduler.decide(now)
                await engine.scheduler.idle()
                await engine.settle.drain()
                more = more or (engine.pick.waiting and self.bus.room() > 0) or engine.due.wants_fill(now)
            quiet = quiet + 1 if before == len(self.bus.sent) and not more else 0
            if quiet == 2:
                return
        raise AssertionError("the engines did not come to rest")

    async def pass_time(self, seconds: float, step: float = 1.0) -> None:
        """Advance the clock in steps, and settle down after each."""
        end = self.clock.now() + timedelta(seconds=seconds)
        while self.clock.now() < end:
            now, at = self.clock.now(), min(end, self.clock.now() + timedelta(seconds=step))
            due = [one for engine in self.engines if (one := engine.backlog.next_due()) and one > now]
            self.clock.advance_to(min([at, *due]))
            await self.settle_down()

    async def count(self, table: str) -> int:
        return sum([await self.count_in(number, table) for number in range(len(self.straight))])

    async def count_in(self, number: int, table: str) -> int:
        row = await self.straight[number].row(f"SELECT count(*) AS n FROM {table}")
        return row["n"]

    def _put(self, *settlements: Settlement) -> None:
        for one in settlements:
            self.engines[self.cells.of(shard_of(one.run.job_id)).number].settle.put(one)

    async def _drain(self) -> None:
        """Record what can be recorded: a cell that is away keeps its outcomes."""
        for cell, engine in zip(self.cells, self.engines, strict=True):
            if cell.answers:
                await engine.settle.drain()
