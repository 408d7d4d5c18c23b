"""An engine in the test's own process, on a real database and a clock that the test advances."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Self, cast

from duetime.clock.manual import ManualClock
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.coordination.postgres_census import PostgresCensus
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.contests import PoolContests
from duetime.engine.due.node_shares import NodeShares
from duetime.engine.settling.settle import Settle, Settlement
from duetime.executor.executor import LocalExecutor, Report
from duetime.executor.targets.log import LogRunner
from duetime.model.definition import Definition
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.labels import ANY
from duetime.model.outcome import SUCCEEDED, Outcome
from duetime.model.run import LaunchedRun
from duetime.model.targets.log import LogTarget
from duetime.postgres.pool import Pool
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.stores import placed_stores, postgres_stores
from duetime.wiring.engine import Engine as NodeEngine
from duetime.wiring.engine import EngineSettings

LOOK_AHEAD = timedelta(seconds=2)


class HandBus:
    """An executor that is the test: the test sees the runs, and ends them by hand or by a rule."""

    def __init__(self, slots: int = 1000) -> None:
        self.slots = slots
        self.sent: list[LaunchedRun] = []
        self.open: dict[int, LaunchedRun] = {}
        self.answer: Callable[[LaunchedRun], Outcome | None] = lambda run: SUCCEEDED

    settle: Settle
    clock: ManualClock
    """Both are the engine's, which sets them."""

    def room(self) -> int:
        return self.slots - len(self.open)

    def instant_room(self) -> int:
        """Here every run takes a slot: the test ends it."""
        return self.room()

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        for run in runs:
            self.sent.append(run)
            self.open[run.job_id] = run
            outcome = self.answer(run)
            if outcome is not None:
                self.end(run.job_id, outcome)

    def end(self, job_id: int, outcome: Outcome = SUCCEEDED, *, asked: bool = False) -> None:
        run = self.open.pop(job_id)
        now = self.clock.now()
        self.settle.put(Settlement(run, outcome, now, now, asked))


class WorkingBus(LocalExecutor):
    """A real executor that runs instant targets."""

    settle: Settle
    ended: Report
    """Both are the engine's, which sets them."""

    def __init__(self, clock: Clock, slots: int = 1000) -> None:
        self.sent = range(0)
        """A range as long as the number of sent runs."""
        super().__init__(
            slots,
            clock,
            runners={LogTarget: LogRunner()},
            report=lambda *ended: self.ended(*ended),
            unsettled=lambda: len(self.settle),
        )

    def start(self, runs: Sequence[LaunchedRun]) -> None:
        self.sent = range(len(self.sent) + len(runs))
        super().start(runs)


class Engine(NodeEngine):
    """The whole engine of one node on a real database, without loops: the test runs each step."""

    clock: ManualClock
    bus: HandBus
    """With a `WorkingBus` a test looks at nothing of it but how much was sent."""

    def __init__(
        self,
        dsn: str,
        clock: ManualClock,
        *,
        slots: int = 1000,
        ttl: float = 3600.0,
        roles: tuple[str, ...] = ("scheduler", "executor"),
        labels: dict[str, str] | None = None,
        bus: HandBus | WorkingBus | None = None,
        cell: bool = False,
    ) -> None:
        """`cell`: this is the engine of one cell of two, and the other one has nothing to do."""
        self.pool = Pool(dsn, size=6)
        self.coordinator = PostgresCoordinator(self.pool)
        self.stopped: list[int] = []
        self.bus = cast(HandBus, bus or HandBus(slots))
        ownership = Ownership(self.coordinator, clock, name="test", roles=roles, version="0", ttl=ttl)
        super().__init__(
            placed_stores(self.pool, PlacedSubmit(self.pool)) if cell else postgres_stores(self.pool),
            clock,
            ownership,
            self.coordinator,
            self.bus,
            EngineSettings(
                schedules="scheduler" in roles, executes="executor" in roles, labels=labels or {}, look_ahead=LOOK_AHEAD
            ),
            chance=lambda: 0.5,
            stop_run=lambda job_id: bool(self.stopped.append(job_id)) or True,
            census=PostgresCensus(self.pool),
            contests=_contests_of_a_cell(clock) if cell else None,
        )
        self.bus.settle, self.bus.clock = self.settle, clock
        if isinstance(bus, WorkingBus):
            bus.ended = lambda ended: self.settle.put(*ended)

    async def start(self) -> Self:
        await self.pool.open()
        await self.retention.run_once()
        self.ownership.on_change = self.due.restart
        await self.ownership.join()
        await self.ownership.run_once()
        return self

    async def stop(self) -> None:
        await self.scheduler.stop()
        await self.settle.drain()
        await self.coordinator.close()
        await self.pool.close()

    def hold_in_memory(self, per_flow: int) -> None:
        """Let the scheduler know at most so many due jobs of a flow, so that it reads on from the store."""
        known = Backlog(per_flow)
        self.backlog.__dict__.update(known.__dict__)

    async def user(self, name: str = "someone", weight: float = 1.0) -> UserId:
        return (await self.stores.accounts.create_user(name, "x", weight, "user", self.clock.now(), None)).id

    def job(self, user_id: int, message: str = "m", *, after: float = 0.0, **more: Any) -> NewJob:
        at = more.pop("at", None) or self.clock.now() + timedelta(seconds=after)
        return NewJob(
            user_id=UserId(user_id),
            definition=more.pop("definition", Definition()),
            message=message,
            execute_at=at,
            **more,
        )

    async def add(self, user_id: int, message: str = "m", **more: Any) -> int:
        return (await self.submit.one(self.job(user_id, message, **more))).job.id

    async def settle_down(self, turns: int = 200) -> None:
        """Run all steps until nothing changes any more at the present instant."""
        quiet = 0
        for _ in range(turns):
            before = len(self.bus.sent)
            self.scheduler.decide(self.clock.now())
            await self.scheduler.idle()
            await self.settle.drain()
            more = self.pick.waiting and self.bus.room() > 0
            still = before == len(self.bus.sent) and not more and not self.due.wants_fill(self.clock.now())
            quiet = quiet + 1 if still else 0
            if quiet == 2:
                return
        raise AssertionError("the engine did not come to rest")

    async def pass_time(self, seconds: float, step: float = 1.0) -> None:
        """Advance the clock in steps, and settle down after each."""
        end = self.clock.now() + timedelta(seconds=seconds)
        while self.clock.now() < end:
            at: datetime = min(end, self.clock.now() + timedelta(seconds=step))
            due = self.backlog.next_due()
            self.clock.advance_to(min(at, due) if due and due > self.clock.now() else at)
            await self.settle_down()

    async def count(self, table: str) -> int:
        row = await self.pool.row(f"SELECT count(*) AS n FROM {table}")
        return row["n"]


def _contests_of_a_cell(clock: Clock) -> Callable[[str], PoolContests]:
    shares = NodeShares()
    here, other = (shares.of_cell(lambda: True, clock.monotonic, lambda: None) for _ in range(2))
    other(ANY)
    return here


async def gather(*work: Any) -> list[object]:
    return list(await asyncio.gather(*work))
