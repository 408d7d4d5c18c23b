"""A simulated node: a real engine with its ownership, executor and duties, built as in wiring/node.py."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from duetime.coordination.ownership import Ownership
from duetime.engine.node.periodic import Periodic
from duetime.executor.executor import LocalExecutor
from duetime.model import ids
from duetime.model.errors import StoreAway
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.log import LogTarget
from duetime.store.placement import SingleDatabase
from duetime.wiring import cell as wiring
from duetime.wiring.cell_database import MEASURE_CLOCK_EVERY, TURNS_PER_LEASE
from duetime.wiring.engine import Engine, EngineSettings
from simulation.clock import SkewedClock, store_time
from simulation.history import Trust
from simulation.loop import Owner
from simulation.memory.coordinator import MemoryCoordinator
from simulation.memory.stores import memory_stores
from simulation.sink import InstantSinkRunner, SinkRunner
from simulation.weather import NodeLink

if TYPE_CHECKING:
    from simulation.world import World

LEASE = 2.0
LOOK_AHEAD = timedelta(seconds=2)
SLOTS = 8
GRACE = 1.0
START_AGAIN = 0.5
NAMES = ("scheduler", "executor")


class SimulatedNode:
    """One process, from its start to its end. A restart is a new process."""

    def __init__(self, world: World, name: str, random: Random) -> None:
        self._world, self.name = world, name
        self.owner = Owner(name)
        self._context = self.owner.context()
        loop, tables = world.loop, world.tables
        self.link = NodeLink(world.server, self.owner)
        self.clock = SkewedClock(loop, self._ask_clock, random.uniform(-1e5, 1e5), random.uniform(0.98, 1.0))
        self.hints = world.switchboard.join(self.owner, self.link)
        self._coordinator = MemoryCoordinator(tables, self.link, lambda: self.hints.send("shards", ""))
        self.ownership = Ownership(
            self._coordinator, self.clock, name=name, roles=NAMES, version="0", ttl=LEASE, shards=range(ids.SHARDS)
        )
        self.executor = LocalExecutor(
            SLOTS,
            self.clock,
            runners={
                HttpTarget: SinkRunner(world.sink, self.owner),
                LogTarget: InstantSinkRunner(world.sink, self.owner),
            },
            report=lambda settlements: self.engine.settle.put(*settlements),
            unsettled=lambda: len(self.engine.settle),
        )
        self.engine = Engine(
            memory_stores(tables, self.link, SingleDatabase(random.randrange(ids.SHARDS))),
            self.clock,
            self.ownership,
            self.hints,
            self.executor,
            EngineSettings(look_ahead=LOOK_AHEAD),
            chance=random.random,
            stop_run=self.executor.cancel,
        )
        if world.ablation == "lease looked at before sending":
            self.ownership.still_holds = lambda lease: True
        if world.ablation == "doubts":
            self.engine.unanswered.add = lambda node, at: None
        self.duties = self._make_duties()
        self.up = False
        self.stopping = False

    def boot(self) -> None:
        """Start the node as a new simulated process."""
        self.go(self._start())

    def go(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[Any]:
        """Run a coroutine in this process."""
        return self._world.loop.create_task(work, context=self._context.copy())

    def serve(self, call: Callable[[Engine], Awaitable[object]], answer: asyncio.Future[object]) -> None:
        """Serve a client's request and answer over the network. A dead node never answers."""

        async def handle() -> None:
            try:
                done, error = await call(self.engine), None
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

    async def _start(self) -> None:
        engine = self.engine
        try:
            await self.clock.measure()
            await self.ownership.join()
            await engine.retention.run_once()
            await engine.rules.run_once()
            self.ownership.on_change = engine.scheduler.restart
            self.ownership.before_release = engine.scheduler.under_way
            self.hints.listen("shards", lambda _: self.leases.nudge())
            await self.ownership.run_once()
            await engine.lane_sweep.whole_round()
        except StoreAway:
            self._world.start_again(self)
            return
        self.up = True
        self.go(engine.scheduler.run())
        for duty in self.duties:
            self.go(duty.run())

    async def _stop(self) -> None:
        engine = self.engine
        await engine.submit.stop()
        await engine.scheduler.stop()
        await self.ownership.retire()
        await self.executor.stop(GRACE)
        with suppress(TimeoutError):
            await asyncio.wait_for(engine.settle.drain(), GRACE)
        for duty in self.duties:
            duty.stop()
        await self.ownership.leave()
        self._world.start_again(self)

    def _make_duties(self) -> list[Periodic]:
        clock, engine = self.clock, self.engine
        turn = LEASE / TURNS_PER_LEASE
        self.leases = Periodic("shards", clock, turn, self.ownership.balance)
        made = [self.leases, Periodic("clock", clock, MEASURE_CLOCK_EVERY, clock.measure)]
        made.append(Periodic("leases", clock, turn, self.ownership.renew))
        made.append(Periodic("cancels", clock, turn, self._carry_out_cancels))
        made.append(Periodic("schedules", clock, wiring.SCHEDULES_EVERY, engine.repair.run_once))
        if self._world.ablation != "rescue sweep":
            made.append(Periodic("rescue", clock, wiring.RESCUE_EVERY, engine.rescue.run_once))
        if self._world.ablation != "lane sweep":
            made.append(Periodic("lanes", clock, wiring.LANES_EVERY, engine.lane_sweep.run_once))
        made.append(Periodic("retention", clock, wiring.RETENTION_EVERY, engine.retention.run_once))
        made.append(Periodic("shares", clock, wiring.SHARES_EVERY, engine.rules.run_once))
        return made

    async def _carry_out_cancels(self) -> None:
        if self.executor.running:
            for job_id in await self.engine.stores.control.cancel_requests(self.ownership.node):
                self.executor.cancel(job_id)

    async def _ask_clock(self) -> datetime:
        return await self.link.call("clock", lambda: store_time(self._world.loop))

    def trusts_what_ended(self, at: datetime) -> Trust | None:
        """Whether the node relies on a lease that has expired by the store's clock."""
        lease = self._world.tables.leases.get(self.ownership.node)
        over = lease is None or lease.until < at
        wrong = not self.owner.dead and not self.stopping and self.ownership.node and self.ownership.trusted and over
        return Trust(at, self.ownership.node) if wrong else None
