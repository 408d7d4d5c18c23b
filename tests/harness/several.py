"""A whole engine on several real databases. The test advances its clock and can cut off databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from duetime.clock.manual import ManualClock
from duetime.config import Config, DatabaseConfig, EngineConfig
from duetime.postgres.pool import Pool
from duetime.wiring.engine import Engine as NodeEngine
from duetime.wiring.engine import EngineSettings
from duetime.wiring.migrations import migrate_and_register
from duetime.wiring.several import SeveralDatabases
from harness.engine import LOOK_AHEAD, Engine, HandBus

HALVES = ("0-511", "512-1023")
LONG_LEASE = EngineConfig(lease=300.0)
"""Long enough to end only when a test wants it."""


class TurnedClock(ManualClock):
    """A clock for a foundation, which measures its clock when it opens."""

    trusted = True

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


class SpreadEngine(Engine):
    """Like `harness.engine.Engine`, on several databases. `away` cuts one off from this node, `back` reconnects it."""

    def __init__(self, config: Config, clock: TurnedClock, *, slots: int = 1000) -> None:
        self.stopped: list[int] = []
        self.base, self.bus = SeveralDatabases(config, clock), HandBus(slots)
        NodeEngine.__init__(
            self,
            self.base.stores,
            clock,
            self.base.ownership,
            self.base.hints,
            self.bus,
            EngineSettings(look_ahead=LOOK_AHEAD),
            chance=lambda: 0.5,
            stop_run=lambda job_id: bool(self.stopped.append(job_id)) or True,
        )
        self.bus.settle, self.bus.clock = self.settle, clock

    @property
    def straight(self) -> list[Pool]:
        """A direct pool for each database."""
        return [part.pool for part in self.base.parts]

    async def start(self) -> Self:
        await self.base.open()
        await self.retention.run_once()
        self.ownership.on_change = self.due.restart
        await self.ownership.run_once()
        return self

    async def stop(self) -> None:
        await self.scheduler.stop()
        await self.settle.drain()
        await self.base.ownership.leave()
        await self.base.close()

    async def away(self, number: int) -> None:
        """Cut a database off from this node, which notices it."""
        part = self.base.parts[number]
        part.ownership._trusted_until = 0.0
        await self.base.look()

    async def back(self, number: int) -> None:
        """Reconnect a database."""
        part = self.base.parts[number]
        await part.keep_lease()
        await part.balance()
        await self.base.look()

    async def look(self) -> None:
        """Read the placement of shards again, and acquire the free ones."""
        for part in self.base.parts:
            await part.look()
        await self.ownership.run_once()
        await self.base.look()

    async def count(self, table: str) -> int:
        return sum([await self.count_in(number, table) for number in range(len(self.straight))])

    async def count_in(self, number: int, table: str) -> int:
        row = await self.straight[number].row(f"SELECT count(*) AS n FROM {table}")
        return row["n"]
