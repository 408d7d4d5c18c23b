"""A node: one process that plays its roles. Everything is put together here, and started and stopped in order."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Coroutine
from datetime import datetime, timedelta
from secrets import SystemRandom

import structlog

from duetime import __version__
from duetime.api.app import make_app
from duetime.api.services import ApiSettings, Services
from duetime.bus.local import LocalBus
from duetime.clock.system import SystemClock
from duetime.config import Config
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
from duetime.engine.health import Health
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
from duetime.engine.upkeep import Upkeep
from duetime.engine.wake import Wake
from duetime.engine.watch import Watch
from duetime.executor.outgoing import OutgoingRules
from duetime.executor.targets.http import HttpTarget as HttpRunner
from duetime.executor.targets.log import LogTarget as LogRunner
from duetime.executor.worker import Worker
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.model.target import HttpTarget, LogTarget
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
from duetime.wiring.web import Web

log = structlog.get_logger()
TURNS_PER_LEASE = 5
MEASURE_CLOCK_EVERY = 10.0
RESCUE_EVERY = 1.0
LANES_EVERY = 1.0
SCHEDULES_EVERY = 1.0
RETENTION_EVERY = 5.0
SHARES_EVERY = 0.5


class Node:
    """A process of Duetime: api, scheduler and executor, or some of them."""

    def __init__(self, config: Config, dsn: str, listener: socket.socket | None, signing_key: bytes) -> None:
        self._config = config
        self._pool = pool = Pool(dsn, size=config.postgres.pool_size)
        self.clock = clock = SystemClock(pool.clock)
        self._coordinator = coordinator = PostgresCoordinator(pool)
        look_ahead = timedelta(seconds=config.engine.look_ahead)
        schedules = "scheduler" in config.roles

        self._ownership = ownership = Ownership(
            coordinator,
            clock,
            name=f"{socket.gethostname()}:{os.getpid()}",
            roles=config.roles,
            version=__version__,
            ttl=config.engine.lease,
        )
        due_store, launch_store = PostgresDue(pool), PostgresLaunch(pool)
        submit_store, settle_store = PostgresSubmit(pool), PostgresSettle(pool)
        self._backlog = backlog = Backlog()
        self._shares = shares = FairShare()
        definitions = Definitions(submit_store, launch_store)
        self._gates = gates = Gates(definitions.limit_of)
        pick = Pick(backlog, shares, gates)
        self._due = due = Due(due_store, ownership, backlog, pick, look_ahead)
        wake = Wake(clock, ownership, coordinator, look_ahead, due=due if schedules else None, signal=self._wake)
        self._lane_sweep = LaneSweep(due_store, wake)
        self._settle = settle = Settle(
            settle_store,
            due_store,
            pick,
            clock,
            wake,
            chance=SystemRandom().random,
            watch=Watch(PostgresBreakers(pool), gates, pick, ownership).ended,
            settled=lambda _: self._wake(),
        )
        self._worker = worker = Worker(
            config.slots,
            clock,
            targets={HttpTarget: HttpRunner(_outgoing(config, listener), clock=clock)},
            instant={LogTarget: LogRunner()},
            report=self._ended,
            unsettled=lambda: len(settle),
        )
        bus = LocalBus(worker)
        timetables = Timetables()
        mint = Mint(PostgresMint(pool), launch_store, due_store, wake, self._cancel_run, timetables)
        launch = Launch(launch_store, definitions, ownership, pick, clock, bus, self._expired, mint)
        self._scheduler = (
            Scheduler(clock, ownership, backlog, due, pick, launch, bus, gates, definitions) if schedules else None
        )
        self._rescue = Rescue(
            settle_store, launch_store, definitions, ownership, settle, launch, backlog, pick, due, clock
        )
        self._insight = Insight(PostgresInsight(pool))
        self._account_store = PostgresAccounts(pool)
        self._accounts = Accounts(self._account_store, clock)
        quota = Quota(clock, self._accounts.by_id, self._insight.stats)
        self._submit = Submit(submit_store, due_store, definitions, clock, wake, self._insight.job, quota)
        self._control_store = PostgresControl(pool)
        self._control = control = Control(
            self._control_store,
            due_store,
            self._insight,
            definitions,
            ownership,
            coordinator,
            wake,
            clock,
            worker.cancel,
        )
        self._dead_letters = DeadLetters(PostgresDead(pool), self._control_store, due_store, control, wake, clock)
        schedule_store, calendar_store = PostgresSchedules(pool), PostgresCalendars(pool)
        self._upkeep = upkeep = ScheduleUpkeep(schedule_store, clock, wake, timetables)
        self._schedules = Schedules(schedule_store, calendar_store, definitions, clock, wake, quota, timetables)
        self._backfill = Backfill(schedule_store, due_store, clock, wake, timetables)
        self._calendars = Calendars(calendar_store, upkeep, clock)
        self._retention = Retention(PostgresRetention(pool), clock, config.engine.retention_days)
        self._duties = self._make_duties()
        self._health = Health(
            clock,
            ownership,
            self._scheduler,
            clock_trusted=lambda: clock.trusted,
            store_answers=lambda: not self._leases.failing,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._web: Web | None = None
        if listener is not None and "api" in config.roles:
            services = Services(
                settings=_api_settings(config, signing_key),
                clock=clock,
                submit=self._submit,
                control=control,
                insight=self._insight,
                dead_letters=self._dead_letters,
                breakers=PostgresBreakers(pool),
                schedules=self._schedules,
                backfill=self._backfill,
                calendars=self._calendars,
                accounts=self._accounts,
                health=self._health,
            )
            self._web = Web(make_app(services), listener, config.grace)

    async def start(self) -> None:
        """Join, take over what is ours, and serve."""
        await self._pool.open()
        await self.clock.measure()
        await self._ownership.join()
        await self._retention.run_once()
        if self._scheduler is not None:
            await self._read_shares()
            self._ownership.on_change = self._ownership_changed
            self._ownership.before_release = self._scheduler.idle
            self._coordinator.listen("shards", lambda _: self._leases.nudge())
            await self._ownership.run_once()
            await self._lane_sweep.whole_round()
            self._go(self._scheduler.run())
        for duty in self._duties:
            self._go(duty.run())
        if self._web is not None:
            await self._web.start()

    async def stop(self) -> None:
        """Stop taking, finish or hand back what is open, give the shards back, and close."""
        self._health.stopping = True
        if self._web is not None:
            await self._web.stop()
        await self._submit.stop()
        if self._scheduler is not None:
            await self._scheduler.stop()
        await self._worker.stop(self._config.grace)
        try:
            await asyncio.wait_for(self._settle.drain(), max(5.0, self._config.grace))
        except TimeoutError:
            log.warning("some outcomes could not be recorded: those runs will be rescued", outcomes=len(self._settle))
        for duty in self._duties:
            duty.stop()
        await self._ownership.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._coordinator.close()
        await self._pool.close()

    def _make_duties(self) -> list[Upkeep]:
        lease = self._config.engine.lease
        self._leases = Upkeep("leases", self.clock, lease / TURNS_PER_LEASE, self._keep_lease)
        duties = [self._leases, Upkeep("clock", self.clock, MEASURE_CLOCK_EVERY, self.clock.measure)]
        if self._scheduler is not None:
            duties.append(Upkeep("schedules", self.clock, SCHEDULES_EVERY, self._upkeep.run_once))
            duties.append(Upkeep("rescue", self.clock, RESCUE_EVERY, self._rescue.run_once))
            duties.append(Upkeep("lanes", self.clock, LANES_EVERY, self._lane_sweep.run_once))
            duties.append(Upkeep("retention", self.clock, RETENTION_EVERY, self._retention.run_once))
            duties.append(Upkeep("shares", self.clock, SHARES_EVERY, self._read_shares))
        return duties

    async def _keep_lease(self) -> None:
        await self._ownership.run_once()
        if self._worker.running:
            for job_id in await self._control_store.cancel_requests(self._ownership.node):
                self._worker.cancel(job_id)

    async def _read_shares(self) -> None:
        shares = await self._account_store.shares()
        self._shares.set_weights({share.user_id: share.job_weight for share in shares})
        limits = {share.user_id: share.limits for share in shares if share.limits is not None}
        self._gates.set_user_limits(limits, self.clock.now())

    def _ownership_changed(self) -> None:
        self._due.restart()
        self._wake()

    def _wake(self) -> None:
        if self._scheduler is not None:
            self._scheduler.wake()

    async def _cancel_run(self, user_id: int, job_id: int) -> None:
        await self._control.cancel(user_id, job_id, user_id)

    def _ended(self, run: LaunchedRun, outcome: Outcome, started: datetime, finished: datetime, asked: bool) -> None:
        self._settle.put(Settlement(run, outcome, started, finished, asked))

    def _expired(self, run: LaunchedRun, outcome: Outcome) -> None:
        self._settle.put(Settlement(run, outcome, None, self.clock.now()))

    def _go(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))


def _outgoing(config: Config, listener: socket.socket | None) -> OutgoingRules:
    own = ((config.host, listener.getsockname()[1]),) if listener else ()
    return OutgoingRules(
        allow_private=config.outgoing.allow_private, allow_loopback=config.loopback_targets, own_listeners=own
    )


def _api_settings(config: Config, signing_key: bytes) -> ApiSettings:
    return ApiSettings(
        signing_key=signing_key,
        signup="open" if config.open_signup else "admin",
        loopback=config.local,
        max_message_bytes=config.api.max_message_bytes,
        max_bulk=config.api.max_bulk,
        token_life=config.api.token_life,
        requests_per_second=config.api.requests_per_second,
    )
