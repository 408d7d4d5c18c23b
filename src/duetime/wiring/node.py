"""A node: one process that plays its roles. Everything is put together here, and started and stopped in order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from datetime import datetime, timedelta
from secrets import SystemRandom

import structlog

from duetime.api.app import make_app
from duetime.api.services import ApiSettings, Services
from duetime.bus.local import LocalBus
from duetime.config import Config
from duetime.engine.health import Health
from duetime.engine.upkeep import Upkeep
from duetime.executor.outgoing import OutgoingRules
from duetime.executor.targets.http import HttpTarget as HttpRunner
from duetime.executor.targets.log import LogTarget as LogRunner
from duetime.executor.worker import Worker
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.model.target import HttpTarget, LogTarget
from duetime.wiring.engine import Engine
from duetime.wiring.several import SeveralDatabases
from duetime.wiring.stores import Foundation, OneDatabase
from duetime.wiring.web import Web

log = structlog.get_logger()
CANCELS_EVERY = 0.4
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
        self._base = base = _foundation(config, dsn)
        self.clock = clock = base.clock
        self._schedules = "scheduler" in config.roles
        self._worker = worker = Worker(
            config.slots,
            clock,
            targets={HttpTarget: HttpRunner(_outgoing(config, listener), clock=clock, slots=config.slots)},
            instant={LogTarget: LogRunner()},
            report=self._ended,
            unsettled=lambda: len(self._engine.settle),
        )
        self._engine = Engine(
            base.stores,
            clock,
            base.ownership,
            base.hints,
            LocalBus(worker),
            look_ahead=timedelta(seconds=config.engine.look_ahead),
            retention_days=config.engine.retention_days,
            schedules=self._schedules,
            chance=SystemRandom().random,
            stop_run=worker.cancel,
        )
        self._duties = self._make_duties()
        self._health = Health(
            clock,
            base.ownership,
            self._engine.scheduler if self._schedules else None,
            clock_trusted=lambda: clock.trusted,
            databases=base.health,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._web: Web | None = None
        if listener is not None and "api" in config.roles:
            services = _services(self._engine, self._health, _api_settings(config, signing_key))
            self._web = Web(make_app(services), listener, config.grace)

    async def start(self) -> None:
        """Join, take over what is ours, and serve."""
        await self._base.open()
        engine, ownership = self._engine, self._base.ownership
        await engine.retention.run_once()
        if self._schedules:
            await engine.read_shares()
            ownership.on_change = engine.ownership_changed
            ownership.before_release = engine.scheduler.idle
            self._base.hints.listen("shards", lambda _: self._base.nudge())
            await ownership.run_once()
            await engine.lane_sweep.whole_round()
            self._go(engine.scheduler.run())
        for duty in self._duties:
            self._go(duty.run())
        if self._web is not None:
            await self._web.start()

    async def stop(self) -> None:
        """Stop taking, finish or hand back what is open, give the shards back, and close."""
        self._health.stopping = True
        if self._web is not None:
            await self._web.stop()
        engine = self._engine
        await engine.submit.stop()
        if self._schedules:
            await engine.scheduler.stop()
        await self._worker.stop(self._config.grace)
        try:
            await asyncio.wait_for(engine.settle.drain(), max(5.0, self._config.grace))
        except TimeoutError:
            log.warning("some outcomes could not be recorded: those runs will be rescued", outcomes=len(engine.settle))
        for duty in self._duties:
            duty.stop()
        await self._base.ownership.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._base.close()

    def _make_duties(self) -> list[Upkeep]:
        clock, engine = self.clock, self._engine
        duties = [*self._base.duties, Upkeep("clock", clock, MEASURE_CLOCK_EVERY, clock.measure)]
        duties.append(Upkeep("cancels", clock, CANCELS_EVERY, self._hear_cancels))
        if self._schedules:
            duties.append(Upkeep("schedules", clock, SCHEDULES_EVERY, engine.upkeep.run_once))
            duties.append(Upkeep("rescue", clock, RESCUE_EVERY, engine.rescue.run_once))
            duties.append(Upkeep("lanes", clock, LANES_EVERY, engine.lane_sweep.run_once))
            duties.append(Upkeep("retention", clock, RETENTION_EVERY, engine.retention.run_once))
            duties.append(Upkeep("shares", clock, SHARES_EVERY, engine.read_shares))
        return duties

    async def _hear_cancels(self) -> None:
        if self._worker.running:
            for job_id in await self._engine.stores.control.cancel_requests(self._base.ownership.node):
                self._worker.cancel(job_id)

    def _ended(self, run: LaunchedRun, outcome: Outcome, started: datetime, finished: datetime, asked: bool) -> None:
        self._engine.ended(run, outcome, started, finished, asked)

    def _go(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))


def _foundation(config: Config, dsn: str) -> Foundation:
    return SeveralDatabases(config) if config.several else OneDatabase(config, dsn)


def _services(engine: Engine, health: Health, settings: ApiSettings) -> Services:
    return Services(
        settings=settings,
        clock=engine.clock,
        submit=engine.submit,
        control=engine.control,
        insight=engine.insight,
        dead_letters=engine.dead_letters,
        breakers=engine.stores.breakers,
        schedules=engine.schedules,
        backfill=engine.backfill,
        calendars=engine.calendars,
        accounts=engine.accounts,
        health=health,
    )


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
