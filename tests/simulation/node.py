"""A simulated node: its cells, its executor and the services for clients, built as in wiring/node.py."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from datetime import datetime
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from duetime.bus.local import LocalBus
from duetime.bus.port import Slots
from duetime.engine.node.periodic import Periodic
from duetime.executor.executor import LocalExecutor
from duetime.model.errors import StoreAway
from duetime.model.run import Settlement
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.log import LogTarget
from duetime.model.user import Quotas
from duetime.wiring.cell_slots import CellSlots
from duetime.wiring.cells import CellServices, CellStores
from duetime.wiring.engine import Engine
from duetime.wiring.node import START_EVERY
from simulation.cell import GRACE, SimulatedCell
from simulation.clock import SkewedClock
from simulation.database import LEASE, SimulatedDatabase
from simulation.history import Trust
from simulation.loop import Owner
from simulation.sink import InstantSinkRunner, SinkRunner

if TYPE_CHECKING:
    from simulation.world import World

SLOTS = 8
START_AGAIN = 0.5
Services = Engine | CellServices
"""What clients call: the engine of the one cell, or what routes between several."""


class SimulatedNode:
    """One process, from its start to its end. A restart is a new process."""

    def __init__(self, world: World, name: str, random: Random) -> None:
        self._world, self.name = world, name
        self.owner = Owner(name)
        self._context = self.owner.context()
        start, rate = random.uniform(-1e5, 1e5), random.uniform(0.98, 1.0)

        def clock(ask: Callable[[], Awaitable[datetime]]) -> SkewedClock:
            return SkewedClock(world.loop, ask, start, rate)

        count = len(world.databases)
        databases = [SimulatedDatabase(one, count, self.owner, clock, random) for one in world.databases]
        self._home = databases[0]
        self._clocks = [one.clock for one in databases]
        self.executor = LocalExecutor(
            SLOTS,
            self._home.clock,
            runners={
                HttpTarget: SinkRunner(world.sink, self.owner),
                LogTarget: InstantSinkRunner(world.sink, self.owner),
            },
            report=partial(self._settle, 0),
            unsettled=self._unsettled,
        )
        self._shared = CellStores(databases, Quotas()) if count > 1 else None  # type: ignore[arg-type]
        self.cells = [
            SimulatedCell(one, self.executor, self._slots(one), self._shared, random, world.ablation)
            for one in databases
        ]
        self._routed = CellServices(self._shared, [one.engine for one in self.cells]) if self._shared else None
        self.services: Services = self._routed or self.cells[0].engine
        self._duties: list[Periodic] = []
        if self._routed:
            self._routed.share_slots()
            self._duties = self._routed.duties(LEASE)
            self._duties += [
                Periodic("start", self._home.clock, START_EVERY, partial(self._start_cell, one))
                for one in self.cells[1:]
            ]
        self.up = False
        self.stopping = False

    def boot(self) -> None:
        """Start the node as a new simulated process."""
        self.go(self._start())

    def go(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[Any]:
        """Run a coroutine in this process."""
        return self._world.loop.create_task(work, context=self._context.copy())

    def serve(self, call: Callable[[Services], Awaitable[object]], answer: asyncio.Future[object]) -> None:
        """Serve a client's request and answer over the network. A dead node never answers."""

        async def handle() -> None:
            try:
                done, error = await call(self.services), None
            except Exception as raised:
                done, error = None, raised
            self._world.reply(answer, done, error)

        if self.up and not self.owner.dead:
            self.go(handle())
        else:
            self._world.reply(answer, None, StoreAway())

    def kill(self) -> None:
        """Kill the node, as SIGKILL does: nothing of it runs any more, and it releases nothing."""
        self._world.loop.kill(self.owner)
        self.up = False

    def begin_stop(self) -> None:
        """Begin a clean stop."""
        self.stopping = True
        self.go(self._stop())

    def run_at(self, rate: float) -> None:
        """Change the rate of this process's clock from now on."""
        for clock in self._clocks:
            clock.run_at(rate)

    def trusts_what_ended(self, number: int, node: int, at: datetime) -> Trust | None:
        """Whether this process relies on a lease in a database that has expired by the store's clock."""
        cell = self.cells[number]
        if cell.ownership.node != node or self.owner.dead or self.stopping:
            return None
        return cell.database.trusts_what_ended(at)

    async def _start(self) -> None:
        try:
            if self._shared:
                await self._shared.learn_homes()
            await self.cells[0].start(self.go)
        except StoreAway:
            self._world.start_again(self)
            return
        self.up = True
        await asyncio.gather(*(self._start_cell(one) for one in self.cells[1:]))
        for duty in self._duties:
            self.go(duty.run())

    async def _start_cell(self, cell: SimulatedCell) -> None:
        """Start a cell that is not started yet. One whose database is away is tried again later."""
        if not cell.started and not self.stopping:
            try:
                await cell.start(self.go)
            except StoreAway:
                return

    async def _stop(self) -> None:
        for duty in self._duties:
            duty.stop()
        await asyncio.gather(*(one.hand_over() for one in self.cells))
        await self.executor.stop(GRACE)
        await asyncio.gather(*(one.stop() for one in self.cells))
        self._world.start_again(self)

    def _slots(self, database: SimulatedDatabase) -> Slots:
        if self._shared is None:
            return self.executor

        def others() -> list[LocalBus]:
            return [one.engine.local for one in self.cells if one.database is not database and _answers(one)]

        return CellSlots(self.executor, partial(self._settle, database.number), others)

    def _settle(self, number: int, ended: Sequence[Settlement]) -> None:
        self.cells[number].engine.settle.put(*ended)

    def _unsettled(self) -> int:
        if self._shared is None:
            return len(self.cells[0].engine.settle)
        return sum(len(one.engine.settle) for one in self.cells if _answers(one))


def _answers(cell: SimulatedCell) -> bool:
    return cell.database.cell.answers
