"""A node: one process with its roles. This module builds all its parts, and starts and stops them in order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine, Sequence
from datetime import timedelta
from secrets import SystemRandom, token_hex

import structlog
from msgspec import structs

from duetime.api.connections.bounds import Bounds
from duetime.api.connections.forwarded import Proxies
from duetime.api.connections.registry import Connections
from duetime.api.jobs.enqueued import enqueued_parser
from duetime.api.server.app import make_app, make_health_app
from duetime.api.server.services import ApiSettings, JobServices, NodeServices, RecurringServices, Services
from duetime.bus.local import NoSlots
from duetime.bus.port import Slots
from duetime.clock.port import Clock
from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.engine.intake.enqueued import Enqueued
from duetime.engine.node.cluster import Cluster
from duetime.engine.node.health import Health
from duetime.engine.node.periodic import Periodic
from duetime.engine.node.presence import Presence
from duetime.engine.node.report import Report
from duetime.engine.node.stand_by import StandBy
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.runners import RunnerSettings, make_runners
from duetime.model.labels import spelled
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.user import Quotas
from duetime.store.offer_port import Abilities
from duetime.wiring.bootstrap import key_print
from duetime.wiring.engine import Engine, EngineSettings
from duetime.wiring.identity import check_keys
from duetime.wiring.several import SeveralDatabases
from duetime.wiring.stores import Foundation, OneDatabase
from duetime.wiring.web import Web, room_for_connections

log = structlog.get_logger()
TURNS_PER_LEASE = 5
MEASURE_CLOCK_EVERY = 5.0
REPORT_EVERY = 1.0
RESCUE_EVERY = 1.0
LANES_EVERY = 1.0
SCHEDULES_EVERY = 1.0
RETENTION_EVERY = 5.0
SHARES_EVERY = 0.5
STAND_BY_EVERY = 5.0
GATES_EVERY = 1.0
OFFERS_EVERY = 1.0
PRESENCE_EVERY = 1.0
NEVER_STARTED_EVERY = 5.0
ENQUEUED_EVERY = 1.0
KEY_LOOK_EVERY = 0.2


class Node:
    """A process of Duetime with the roles api, scheduler and executor, or some of them."""

    def __init__(
        self,
        config: Config,
        dsn: str,
        listener: socket.socket | None,
        signing_key: str,
        clock: SystemClock | None = None,
    ) -> None:
        """`clock` is for tests; without one the node follows the clock of its database."""
        self._config = config
        self._key_print = key_print(signing_key) if "api" in config.roles else None
        self._base = base = _foundation(config, dsn, clock)
        self.clock = clock = base.clock
        points, census = base.points, base.census
        self._ownership, self._hints = base.ownership, base.hints
        self._schedules = "scheduler" in config.roles
        self._executor = executor = self._make_executor(listener) if "executor" in config.roles else None
        stores = base.stores
        slots: Slots = executor or NoSlots()
        self._engine = Engine(
            points.stores(stores) if points else stores,
            clock,
            self._ownership,
            self._hints,
            points.slots(slots) if points else slots,
            EngineSettings(
                schedules=self._schedules,
                executes=executor is not None,
                labels=dict(config.labels),
                look_ahead=timedelta(seconds=config.engine.look_ahead),
                safety_net=timedelta(seconds=config.engine.safety_net),
                retention_days=config.engine.retention_days,
                user_slots=config.engine.user_slots,
                quotas=Quotas(**structs.asdict(config.quotas)),
                worker_lease=config.engine.worker_lease,
            ),
            chance=SystemRandom().random,
            stop_run=executor.cancel if executor else lambda _: False,
            census=census,
        )
        if points:
            points.ready()
        self._report = Report(census, self._ownership, self._engine.backlog, lambda: clock.skew, config.max_clock_skew)
        self._stand_by = StandBy(census, self._engine.definitions, self._ownership, clock)
        offers = self._engine.stores.offers
        self._presence = Presence(offers, self._ownership, self._hints, self._abilities) if offers else None
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
        if listener is not None:
            # A node without the API signs nothing, so a random key that nothing else knows will do.
            key = signing_key or token_hex(32)
            cluster = Cluster(census, base.coordinator, self._hints, clock)
            services = _services(self._engine, self._health, cluster, _api_settings(config, key.encode()))
            if "api" in config.roles:
                self._add_enqueued(services.settings)
            app = make_app(services) if "api" in config.roles else make_health_app(services)
            self._web = Web(app, listener, config.grace, _connections(config, clock))

    async def start(self) -> None:
        """Join the cluster, acquire shards, start the loops, and serve."""
        await self._base.open()
        engine = self._engine
        await self._present_itself()
        await engine.retention.run_once()
        if self._schedules:
            await engine.rules.run_once()
            self._ownership.on_change = engine.scheduler.restart
            self._ownership.before_release = engine.scheduler.under_way
            self._hints.listen("shards", lambda _: self._base.nudge())
            await self._ownership.run_once()
            await engine.lane_sweep.whole_round()
            if engine.offers is not None:
                await engine.offers.run_once()
            self._start_task(engine.scheduler.run())
        if engine.take is not None:
            self._start_task(engine.take.run())
        for duty in self._duties:
            self._start_task(duty.run())
        if self._web is not None:
            await self._web.start()

    def nudge_duties(self) -> None:
        """Make every periodic duty run at once, where the clock of a test stands still."""
        for duty in self._duties:
            duty.nudge()

    async def stop(self) -> None:
        """Refuse new work, release the shards, let runs end and settle within the grace, end the lease, and close."""
        self._health.stopping = True
        if self._engine.workers is not None:
            self._engine.workers.takes.stop()
        if self._web is not None:
            await self._web.stop()
        engine = self._engine
        await engine.submit.stop()
        if engine.take is not None:
            engine.take.stop()
        if self._schedules:
            await engine.scheduler.stop()
            await self._ownership.retire()
        if engine.take is not None:
            await engine.take.idle()
        if self._executor is not None:
            await self._executor.stop(self._config.grace)
        try:
            await asyncio.wait_for(engine.settle.drain(), max(5.0, self._config.grace))
        except TimeoutError:
            log.warning(
                "could not record some outcomes before the stop: their runs will be rescued",
                outcomes=len(engine.settle),
            )
        for duty in self._duties:
            duty.stop()
        await self._base.ownership.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._base.close()

    def _make_duties(self) -> list[Periodic]:
        clock, engine = self.clock, self._engine
        every = self._config.engine.lease / TURNS_PER_LEASE
        duties = [*self._base.duties, Periodic("clock", clock, MEASURE_CLOCK_EVERY, clock.measure)]
        duties.append(Periodic("report", clock, REPORT_EVERY, self._report.run_once))
        if self._executor is not None:
            duties.append(Periodic("cancels", clock, every, self._carry_out_cancels))
        if self._schedules:
            duties.append(Periodic("schedules", clock, SCHEDULES_EVERY, engine.repair.run_once))
            duties.append(Periodic("rescue", clock, RESCUE_EVERY, engine.rescue.run_once))
            duties.append(Periodic("lanes", clock, LANES_EVERY, engine.lane_sweep.run_once))
            duties.append(Periodic("retention", clock, RETENTION_EVERY, engine.retention.run_once))
            duties.append(Periodic("shares", clock, SHARES_EVERY, engine.rules.run_once))
            gates = Periodic("gates", clock, GATES_EVERY, engine.publish_gates.run_once)
            engine.publish_gates.nudge = gates.nudge
            duties.append(gates)
            if self._config.spare_for:
                duties.append(Periodic("stand by", clock, STAND_BY_EVERY, self._stand_by.run_once))
            if engine.offers is not None:
                offers = Periodic("offers", clock, OFFERS_EVERY, engine.offers.run_once)
                engine.offers.nudge = offers.nudge
                duties.append(offers)
            if engine.worker_offers is not None and engine.workers is not None and engine.workers.pull is not None:
                launched = Periodic("runs of workers", clock, OFFERS_EVERY, engine.workers.pull.run_once)
                engine.worker_offers.nudge = launched.nudge
                duties.append(launched)
        elif self._executor is not None:
            duties.append(Periodic("unanswered launches", clock, RESCUE_EVERY, engine.unanswered.take_back))
            duties.append(Periodic("never started", clock, NEVER_STARTED_EVERY, engine.never_started.run_once))
        if engine.workers is not None and "api" in self._config.roles:
            offers = Periodic("offers to workers", clock, OFFERS_EVERY, engine.workers.offers.run_once)
            engine.workers.offers.nudge = offers.nudge
            duties.append(offers)
        if self._presence is not None:
            duties.append(Periodic("presence", clock, PRESENCE_EVERY, self._presence.run_once))
        return duties

    def _add_enqueued(self, settings: ApiSettings) -> None:
        """Store jobs of programs' own transactions on this node, which knows how to read their requests."""
        store = self._engine.stores.enqueued
        if store is not None:
            enqueued = Enqueued(store, self._engine.submit, enqueued_parser(settings))
            duty = Periodic("enqueued", self.clock, ENQUEUED_EVERY, enqueued.run_once)
            self._hints.listen("enqueued", lambda _: duty.nudge())
            self._duties.append(duty)

    def _make_executor(self, listener: socket.socket | None) -> LocalExecutor:
        config, clock = self._config, self.clock
        return LocalExecutor(
            config.slots,
            clock,
            runners=make_runners(RunnerSettings(clock, config.slots, _outgoing(config, listener), self._spread)),
            report=self._ended,
            unsettled=lambda: len(self._engine.settle),
            longest=config.engine.max_timeout,
        )

    def _abilities(self) -> Abilities:
        """Returns what this node reports about itself to the others."""
        executor, take = self._executor, self._engine.take
        if executor is None or take is None or self._ownership.draining:
            return Abilities(key_print=self._key_print)
        free, slots = executor.room(), self._config.slots
        opened = min(slots, free + len(self._engine.held.taken)) if self._schedules else slots
        return Abilities(slots, opened, free, spelled(self._config.labels), self._key_print)

    async def _present_itself(self) -> None:
        """Report this node to the others. An API whose tokens the other APIs would not accept must not serve."""
        offers = self._engine.stores.offers
        if self._presence is None or offers is None:
            return
        await self._presence.run_once()
        if self._key_print is None:
            return
        end = self.clock.monotonic() + 2 * self._config.engine.lease
        while others := await offers.other_keys(self._key_print):
            # An API that was killed a moment ago still has its lease.
            if self.clock.monotonic() > end:
                await self._ownership.leave()
                check_keys(others)
            await self.clock.sleep(KEY_LOOK_EVERY)

    async def _carry_out_cancels(self) -> None:
        if self._executor is not None and self._executor.running:
            for job_id in await self._engine.stores.control.cancel_requests(self._ownership.node):
                self._executor.cancel(job_id)

    async def _spread(self, run: LaunchedRun) -> list[int] | str:
        workers = self._engine.workers
        return "Workers need a single database." if workers is None else await workers.broadcasts.spread(run)

    def _ended(self, settlements: Sequence[Settlement]) -> None:
        self._engine.settle.put(*settlements)

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))


def _foundation(config: Config, dsn: str, clock: SystemClock | None) -> Foundation:
    return SeveralDatabases(config) if config.several else OneDatabase(config, dsn, clock)


def _services(engine: Engine, health: Health, cluster: Cluster, settings: ApiSettings) -> Services:
    return Services(
        settings=settings,
        clock=engine.clock,
        jobs=JobServices(
            submit=engine.submit,
            control=engine.control,
            insight=engine.insight,
            dead_letters=engine.dead_letters,
            breakers=engine.breakers,
            results=engine.results,
        ),
        recurring=RecurringServices(schedules=engine.schedules, backfill=engine.backfill, calendars=engine.calendars),
        accounts=engine.accounts,
        quota=engine.quota,
        node=NodeServices(cluster=cluster, health=health),
        workers=engine.workers,
    )


def _outgoing(config: Config, listener: socket.socket | None) -> OutgoingRules:
    own = ((config.host, listener.getsockname()[1]),) if listener else ()
    return OutgoingRules(
        allow_private=config.outgoing.allow_private, allow_loopback=config.loopback_targets, own_listeners=own
    )


def _connections(config: Config, clock: Clock) -> Connections:
    http = config.http
    room = room_for_connections(http.connections)
    if room < http.connections:
        log.warning("few files may be open: fewer connections are accepted", accepted=room, wanted=http.connections)
    return Connections(
        Bounds(
            connections=room,
            per_address=http.connections_per_address,
            header_timeout=http.header_timeout,
            body_timeout=http.body_timeout,
            idle_timeout=http.idle_timeout,
            write_timeout=http.write_timeout,
            answer_memory=http.answer_memory,
        ),
        clock,
        Proxies(http.trusted_proxies, http.forwarded_header),
    )


def _api_settings(config: Config, signing_key: bytes) -> ApiSettings:
    return ApiSettings(
        signing_key=signing_key,
        signup="local" if config.signup == "auto" and config.local else "open" if config.open_signup else "admin",
        loopback=config.local,
        trusted_proxies=config.http.trusted_proxies,
        body_memory=config.http.body_memory,
        session_life=config.api.session_life,
        max_message_bytes=config.api.max_message_bytes,
        max_timeout=config.engine.max_timeout,
        max_bulk=config.api.max_bulk,
        token_life=config.api.token_life,
        requests_per_second=config.api.requests_per_second,
    )
