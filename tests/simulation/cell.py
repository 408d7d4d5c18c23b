"""One cell of a simulated node: a real engine with its duties, built as in wiring/cell.py."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from duetime.bus.port import Slots
from duetime.engine.node.periodic import Periodic
from duetime.executor.executor import LocalExecutor
from duetime.wiring import cell as wiring
from duetime.wiring.cell_database import MEASURE_CLOCK_EVERY, TURNS_PER_LEASE
from duetime.wiring.cells import CellStores
from duetime.wiring.engine import Engine, EngineSettings
from simulation.database import LEASE, SimulatedDatabase

LOOK_AHEAD = timedelta(seconds=2)
GRACE = 1.0


class SimulatedCell:
    """The engine of one database in one process."""

    def __init__(
        self,
        database: SimulatedDatabase,
        executor: LocalExecutor,
        slots: Slots,
        shared: CellStores | None,
        random: Random,
        ablation: str | None,
    ) -> None:
        """`shared` is what this cell has in common with others, where there are several."""
        self.database, self._executor, self._ablation = database, executor, ablation
        self.link, self.ownership = database.link, database.ownership
        self.engine = Engine(
            shared.of(database) if shared else database.stores,  # type: ignore[arg-type]
            database.clock,
            self.ownership,
            database.hints,
            slots,
            EngineSettings(look_ahead=LOOK_AHEAD),
            chance=random.random,
            stop_run=executor.cancel,
            quota=shared.quota if shared else None,
            contests=shared.contests(database, lambda: self.engine.more()) if shared else None,  # type: ignore[arg-type]
        )
        if ablation == "lease looked at before sending":
            self.ownership.still_holds = lambda lease: True
        if ablation == "doubts":
            self.engine.unanswered.add = lambda node, at: None
        self.duties = self._make_duties()
        self.started = self._joined = self._listening = False

    async def start(self, go: Callable[[Coroutine[Any, Any, object]], object]) -> None:
        """Join, acquire shards and start the loops. A start that failed may be repeated."""
        engine, database = self.engine, self.database
        if not self._joined:
            await database.open()
            self._joined = True
        else:
            await self.ownership.renew()
        await engine.retention.run_once()
        await engine.rules.run_once()
        self.ownership.on_change = engine.scheduler.restart
        self.ownership.before_release = engine.scheduler.under_way
        if not self._listening:
            self._listening = True
            database.hints.listen("shards", lambda _: self.leases.nudge())
        await self.ownership.run_once()
        await engine.lane_sweep.whole_round()
        self.started = True
        go(engine.scheduler.run())
        for duty in self.duties:
            go(duty.run())

    async def hand_over(self) -> None:
        """Refuse new work, and release the shards."""
        await self.engine.submit.stop()
        await self.engine.scheduler.stop()
        if self.started:
            await self.ownership.retire()

    async def stop(self) -> None:
        """Record the outcomes that wait, and end the lease."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.engine.settle.drain(), GRACE)
        for duty in self.duties:
            duty.stop()
        if self.ownership.node:
            await self.ownership.leave()

    def _make_duties(self) -> list[Periodic]:
        clock, engine = self.database.clock, self.engine
        turn = LEASE / TURNS_PER_LEASE
        self.leases = Periodic("shards", clock, turn, self.ownership.balance)
        made = [self.leases, Periodic("clock", clock, MEASURE_CLOCK_EVERY, clock.measure)]
        made.append(Periodic("leases", clock, turn, self.ownership.renew))
        made.append(Periodic("cancels", clock, turn, self._carry_out_cancels))
        made.append(Periodic("schedules", clock, wiring.SCHEDULES_EVERY, engine.repair.run_once))
        if self._ablation != "rescue sweep":
            made.append(Periodic("rescue", clock, wiring.RESCUE_EVERY, engine.rescue.run_once))
        if self._ablation != "lane sweep":
            made.append(Periodic("lanes", clock, wiring.LANES_EVERY, engine.lane_sweep.run_once))
        made.append(Periodic("retention", clock, wiring.RETENTION_EVERY, engine.retention.run_once))
        made.append(Periodic("shares", clock, wiring.SHARES_EVERY, engine.rules.run_once))
        return made

    async def _carry_out_cancels(self) -> None:
        if self._executor.running:
            for job_id in await self.engine.stores.control.cancel_requests(self.ownership.node):
                self._executor.cancel(job_id)
