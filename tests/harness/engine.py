"""An engine in the test's own process, on a real database and a clock that the test turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from duetime.clock.manual import ManualClock
from duetime.coordination.ownership import Ownership
from duetime.coordination.postgres import PostgresCoordinator
from duetime.engine.accounts import Accounts
from duetime.engine.backfill import Backfill
from duetime.engine.backlog import Backlog
from duetime.engine.calendars import Calendars
from duetime.engine.control import Control
from duetime.engine.dead_letters import DeadLetters
from duetime.engine.definitions import Definitions
from duetime.engine.due import Due
from duetime.engine.fair_share import FairShare
from duetime.engine.gates import Gates
from duetime.engine.insight import Insight
from duetime.engine.lane_sweep import LaneSweep
from duetime.engine.launch import Launch
from duetime.engine.mint import Mint
from duetime.engine.pick import Pick
from duetime.engine.quota import Quota
from duetime.engine.rescue import Rescue
from duetime.engine.retention import Retention
from duetime.engine.schedule_upkeep import ScheduleUpkeep
from duetime.engine.scheduler import Scheduler
from duetime.engine.schedules import Schedules
from duetime.engine.settle import Settle, Settlement
from duetime.engine.submit import Submit
from duetime.engine.timetables import Timetables
from duetime.engine.wake import Wake
from duetime.engine.watch import Watch
from duetime.model.definition import Definition
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.outcome import SUCCEEDED, Outcome
from duetime.model.run import LaunchedRun
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.store.postgres.breakers import PostgresBreakers
from duetime.store.postgres.calendars import PostgresCalendars
from duetime.store.postgres.control import PostgresControl
from duetime.store.postgres.dead import PostgresDead
from duetime.store.postgres.insight import PostgresInsight
from duetime.store.postgres.launches import PostgresDue, PostgresLaunch
from duetime.store.postgres.mints import PostgresMint
from duetime.store.postgres.pool import Pool
from duetime.store.postgres.retention import PostgresRetention
from duetime.store.postgres.schedules import PostgresSchedules
from duetime.store.postgres.settlements import PostgresSettle
from duetime.store.postgres.submissions import PostgresSubmit

LOOK_AHEAD = timedelta(seconds=2)


class HandBus:
    """A bus whose far end is the test: runs are seen, and answered by hand or by a rule."""

    def __init__(self, slots: int = 1000) -> None:
        self.slots = slots
        self.sent: list[LaunchedRun] = []
        self.open: dict[int, LaunchedRun] = {}
        self.answer: Callable[[LaunchedRun], Outcome | None] = lambda run: SUCCEEDED
        self.settle: Settle | None = None
        self.clock: ManualClock | None = None

    def room(self) -> int:
        return self.slots - len(self.open)

    def send(self, runs: list[LaunchedRun]) -> None:
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


class Engine:
    """The whole engine of one node, without loops: the test turns the crank."""

    def __init__(self, dsn: str, clock: ManualClock, *, slots: int = 1000, ttl: float = 3600.0) -> None:
        self.clock = clock
        self.pool = Pool(dsn, size=6)
        self.coordinator = PostgresCoordinator(self.pool)
        self.ownership = Ownership(
            self.coordinator, clock, name="test", roles=("scheduler", "executor"), version="0", ttl=ttl
        )
        due_store, launch_store = PostgresDue(self.pool), PostgresLaunch(self.pool)
        submit_store, settle_store = PostgresSubmit(self.pool), PostgresSettle(self.pool)
        self.store_due, self.store_launch, self.store_settle = due_store, launch_store, settle_store
        self.store_submit = submit_store
        self.backlog, self.shares = Backlog(), FairShare()
        self.definitions = Definitions(submit_store, launch_store)
        self.gates = Gates(self.definitions.limit_of)
        self.pick = Pick(self.backlog, self.shares, self.gates)
        self.due = Due(due_store, self.ownership, self.backlog, self.pick, LOOK_AHEAD)
        self.bus = HandBus(slots)
        wake = Wake(
            clock, self.ownership, self.coordinator, LOOK_AHEAD, due=self.due, signal=lambda: self.scheduler.wake()
        )
        self.lane_sweep = LaneSweep(due_store, wake)
        self.settle = Settle(
            settle_store,
            due_store,
            self.pick,
            clock,
            wake,
            chance=lambda: 0.5,
            watch=Watch(PostgresBreakers(self.pool), self.gates, self.pick, self.ownership).ended,
        )
        self.bus.settle, self.bus.clock = self.settle, clock
        timetables = Timetables()
        self.store_mint = PostgresMint(self.pool)
        self.mint = Mint(
            self.store_mint,
            launch_store,
            due_store,
            wake,
            lambda user_id, job_id: self.control.cancel(user_id, job_id, user_id),
            timetables,
        )
        self.launch = Launch(
            launch_store,
            self.definitions,
            self.ownership,
            self.pick,
            clock,
            self.bus,
            lambda run, outcome: self.settle.put(Settlement(run, outcome, None, clock.now())),
            self.mint,
        )
        self.scheduler = Scheduler(
            clock,
            self.ownership,
            self.backlog,
            self.due,
            self.pick,
            self.launch,
            self.bus,
            self.gates,
            self.definitions,
        )
        self.rescue = Rescue(
            settle_store,
            launch_store,
            self.definitions,
            self.ownership,
            self.settle,
            self.launch,
            self.backlog,
            self.pick,
            self.due,
            clock,
        )
        self.insight = Insight(PostgresInsight(self.pool))
        self.accounts = PostgresAccounts(self.pool)
        self.users = Accounts(self.accounts, clock)
        quota = Quota(clock, self.users.by_id, self.insight.stats)
        self.submit = Submit(submit_store, due_store, self.definitions, clock, wake, self.insight.job, quota)
        self.retention = Retention(PostgresRetention(self.pool), clock, 30)
        self.stopped: list[int] = []
        self.control = Control(
            PostgresControl(self.pool),
            due_store,
            self.insight,
            self.definitions,
            self.ownership,
            self.coordinator,
            wake,
            clock,
            lambda job_id: bool(self.stopped.append(job_id)) or True,
        )
        self.store_schedules, calendars = PostgresSchedules(self.pool), PostgresCalendars(self.pool)
        self.upkeep = ScheduleUpkeep(self.store_schedules, clock, wake, timetables)
        self.schedules = Schedules(self.store_schedules, calendars, self.definitions, clock, wake, quota, timetables)
        self.backfill = Backfill(self.store_schedules, due_store, clock, wake, timetables)
        self.calendars = Calendars(calendars, self.upkeep, clock)
        self.dead = DeadLetters(
            PostgresDead(self.pool), PostgresControl(self.pool), due_store, self.control, wake, clock
        )

    async def start(self) -> Engine:
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

    async def user(self, name: str = "someone", weight: float = 1.0) -> UserId:
        return (await self.accounts.create_user(name, "x", weight, "user", self.clock.now(), None)).id

    def job(self, user_id: UserId, message: str = "m", *, after: float = 0.0, **more: object) -> NewJob:
        at = more.pop("at", None) or self.clock.now() + timedelta(seconds=after)
        return NewJob(
            user_id=user_id, definition=more.pop("definition", Definition()), message=message, execute_at=at, **more
        )

    async def add(self, user_id: UserId, message: str = "m", **more: object) -> int:
        return (await self.submit.one(self.job(user_id, message, **more))).job.id

    async def settle_down(self, turns: int = 200) -> None:
        """Turn until nothing moves any more at the present instant."""
        quiet = 0
        for _ in range(turns):
            before = len(self.bus.sent)
            self.scheduler.turn(self.clock.now())
            await self.scheduler.idle()
            await self.settle.drain()
            more = self.pick.waiting and self.bus.room() > 0
            still = before == len(self.bus.sent) and not more and not self.due.wants_fill(self.clock.now())
            quiet = quiet + 1 if still else 0
            if quiet == 2:
                return
        raise AssertionError("the engine did not come to rest")

    async def pass_time(self, seconds: float, step: float = 1.0) -> None:
        """Let time pass in steps, coming to rest at each."""
        end = self.clock.now() + timedelta(seconds=seconds)
        while self.clock.now() < end:
            at: datetime = min(end, self.clock.now() + timedelta(seconds=step))
            due = self.backlog.next_due()
            self.clock.advance_to(min(at, due) if due and due > self.clock.now() else at)
            await self.settle_down()

    async def count(self, table: str) -> int:
        row = await self.pool.row(f"SELECT count(*) AS n FROM {table}")
        return row["n"]


async def gather(*work: object) -> list[object]:
    return list(await asyncio.gather(*work))
