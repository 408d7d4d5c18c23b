"""A node: one process with its roles. This module builds its cells, its executor and its API, and starts them."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from secrets import token_hex

import structlog
from msgspec import structs

from duetime.api.connections.bounds import Bounds
from duetime.api.connections.forwarded import Proxies
from duetime.api.connections.registry import Connections
from duetime.api.jobs.enqueued import enqueued_parser
from duetime.api.server.app import make_app, make_health_app
from duetime.api.server.services import (
    NO_TRACES,
    ActivityServices,
    ApiSettings,
    JobServices,
    NodeServices,
    RecurringServices,
    Services,
)
from duetime.api.workflows.started import started_workflow
from duetime.bus.local import LocalBus, NoSlots
from duetime.bus.port import Slots
from duetime.cells.health import CellsHealth
from duetime.clock.port import Clock
from duetime.clock.system import SystemClock
from duetime.config import Config
from duetime.dashboard.serve import Page
from duetime.engine.intake.enqueued import Enqueued
from duetime.engine.node.cluster import Cluster
from duetime.engine.node.periodic import Periodic
from duetime.executor.executor import LocalExecutor
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.runners import RunnerSettings, make_runners
from duetime.injection.port import InjectionSource
from duetime.metrics.counts import Counts
from duetime.metrics.loop_delay import LoopDelay
from duetime.model.artifact import LATEST, ArtifactVersion, read_reference
from duetime.model.errors import ConfigError, NotFound, StoreAway
from duetime.model.run import LaunchedRun, Settlement
from duetime.model.user import Quotas
from duetime.wiring.artifacts import artifact_access, make_artifacts, make_contents
from duetime.wiring.bootstrap import key_print
from duetime.wiring.cell import NodeCell
from duetime.wiring.cell_database import CellDatabase, node_name
from duetime.wiring.cell_slots import CellSlots
from duetime.wiring.cells import CellServices, CellStores
from duetime.wiring.engine import Engine
from duetime.wiring.failpoints import armed_once
from duetime.wiring.files import make_file_sources
from duetime.wiring.identity import check_keys
from duetime.wiring.kafka import end_publishing, kafka_access, make_publisher, make_sources
from duetime.wiring.mail import apprise_services, mail_server
from duetime.wiring.metrics import bind_metrics, node_metrics
from duetime.wiring.programs import program_access
from duetime.wiring.target_rules import target_rules
from duetime.wiring.traces import make_traces
from duetime.wiring.web import Web, room_for_connections

log = structlog.get_logger()
START_EVERY = 1.0
KEY_LOOK_EVERY = 0.2
ENQUEUED_EVERY = 1.0
KEYS_EVERY = 5.0
ARTIFACTS_EVERY = 60.0
EVENTS_EVERY = 0.2


class Node:
    """A process of Duetime with the roles api, scheduler and executor, or some of them.

    It has one cell, or one for each of several databases. With one cell, the API asks that cell's engine itself.
    """

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
        dsns = [one.dsn for one in config.databases] if config.several else [dsn]
        points = armed_once(os.environ)
        self._counts = counts = Counts(users=config.metrics.users)
        self._loop_delay = LoopDelay(counts.loop_delay)
        self._traces = make_traces(config, node_name())
        databases = [
            CellDatabase(config, one, points=points, number=number, clock=clock, timed=counts.statement)
            for number, one in enumerate(dsns)
        ]
        self._home = home = databases[0]
        self.clock = clock = home.clock
        self._contents = make_contents(config)
        self._read_workflow = started_workflow(_api_settings(config, b""))
        self._executor = self._make_executor(listener) if "executor" in config.roles else None
        self._several = _shared(config, databases) if config.several else None
        self._cells = [self._make_cell(one) for one in databases]
        if home.points:
            home.points.ready()
        engine = self._cells[0].engine
        self._routed = CellServices(self._several, [one.engine for one in self._cells]) if self._several else None
        routed = self._routed
        self._duties = routed.duties(config.engine.lease) if routed else []
        self._sources: list[InjectionSource] = [*make_sources(config, engine), *make_file_sources(config, engine)]
        self._duties += [Periodic("sources of jobs", clock, KEYS_EVERY, one.sweep) for one in self._sources]
        self._publisher = make_publisher(config, engine)
        if self._publisher is not None:
            self._duties.append(Periodic("events", clock, EVENTS_EVERY, self._publisher.run_once))
        if routed:
            routed.share_slots()
            self._duties += [
                Periodic(f"start of database {one.database.number}", clock, START_EVERY, partial(_open, one))
                for one in self._cells[1:]
            ]
        self._health = (
            CellsHealth([one.health for one in self._cells], routed.health) if routed else self._cells[0].health
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._webs: list[Web] = []
        if listener is not None:
            # A node without the API signs nothing, so a random key that nothing else knows will do.
            key = signing_key or token_hex(32)
            census, hints = (routed.census, routed.hints) if routed else (home.census, home.hints)
            settings = _api_settings(config, key.encode())
            named = routed.named_artifacts if routed else None
            artifacts = make_artifacts(config, home.stores.artifacts, self._contents, clock, named)
            services = Services(
                settings=settings,
                clock=clock,
                jobs=routed.jobs if routed else _job_services(engine),
                recurring=routed.recurring if routed else _recurring_services(engine),
                activity=routed.activity if routed else _activity_services(engine),
                accounts=self._several.accounts if self._several else engine.accounts,
                sessions=engine.sessions,
                quota=engine.quota,
                node=NodeServices(
                    cluster=Cluster(census, home.coordinator, hints, clock),
                    health=self._health,
                    metrics=node_metrics(config, home, counts, [one.metrics for one in self._cells], self._executor),
                    counts=counts,
                ),
                workers=engine.workers,
                notifications=engine.notifications,
                audit=None if routed else engine.audit,
                logs=routed.logs if routed else engine.logs,
                artifacts=artifacts,
                traces=self._traces or NO_TRACES,
            )
            if "api" in config.roles:
                self._add_enqueued(services)
                if artifacts is not None:
                    self._duties.append(Periodic("artifacts", clock, ARTIFACTS_EVERY, artifacts.run_once))
            app = make_app(services, page=Page) if "api" in config.roles else make_health_app(services)
            self._webs.append(Web(app, listener, config.grace, _connections(config, clock)))
            if (own := bind_metrics(config)) is not None:
                health = make_health_app(replace(services, settings=replace(settings, metrics="open")))
                self._webs.append(Web(health, own, config.grace, _connections(config, clock)))

    async def start(self) -> None:
        """Join the cluster, acquire shards, start the loops, and serve."""
        first, *others = self._cells
        if self._several:
            await self._home.connect()
            await self._several.learn_homes()
        await first.open()
        await self._check_keys()
        await asyncio.gather(first.start(), *(_open(one) for one in others))
        await end_publishing(self._config, first.engine)
        for work in (*self._duties, *self._sources):
            self._tasks.append(asyncio.get_running_loop().create_task(work.run()))
        self._loop_delay.start()
        for web in self._webs:
            await web.start()

    def nudge_duties(self) -> None:
        """Make every periodic duty run at once, where the clock of a test stands still."""
        for duty in self._duties:
            duty.nudge()

    async def stop(self) -> None:
        """Refuse new work, release the shards, let runs end and settle within the grace, end the leases, and close."""
        self._health.stopping = True
        for one in self._cells:
            one.stop_takes()
        self._loop_delay.stop()
        for web in self._webs:
            await web.stop()
        for source in self._sources:
            await source.stop()
        for duty in self._duties:
            duty.stop()
        if self._publisher is not None:
            self._publisher.stop()
        await asyncio.gather(*(one.hand_over() for one in self._cells))
        if self._executor is not None:
            await self._executor.stop(self._config.grace)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(one.stop() for one in self._cells))
        if self._traces is not None:
            await self._traces.close()

    def _make_cell(self, database: CellDatabase) -> NodeCell:
        slots: Slots = self._executor or NoSlots()
        if self._executor is not None and self._several is not None:

            def others() -> list[LocalBus]:
                return [
                    one.engine.local
                    for one in self._cells
                    if one.database is not database and one.database.cell.answers
                ]

            def settle(ended: Sequence[Settlement]) -> None:
                self._cells[database.number].engine.settle.put(*ended)

            slots = CellSlots(self._executor, settle, others)
        return NodeCell(
            self._config,
            database,
            slots,
            self._executor,
            key_print=self._key_print,
            shared=self._several,
            counts=self._counts,
            traces=self._traces,
        )

    def _add_enqueued(self, services: Services) -> None:
        """Store jobs of programs' own transactions on this node, which knows how to read their requests."""
        store = self._home.stores.enqueued
        if store is not None:
            enqueued = Enqueued(store, services.jobs.submit, enqueued_parser(services.settings))
            duty = Periodic("enqueued", self.clock, ENQUEUED_EVERY, enqueued.run_once)
            self._home.hints.listen("enqueued", lambda _: duty.nudge())
            self._duties.append(duty)

    def _make_executor(self, listener: socket.socket | None) -> LocalExecutor:
        config, clock = self._config, self.clock
        return LocalExecutor(
            config.slots,
            clock,
            runners=make_runners(
                RunnerSettings(
                    clock,
                    config.slots,
                    _outgoing(config, listener),
                    self._spread,
                    kafka_access(config, self._username),
                    program_access(
                        config,
                        target_rules(config),
                        self._username,
                        self._add_lines,
                        artifact_access(config, self._contents, self._artifact),
                    ),
                    mail_server(config, clock),
                    self._traces,
                    apprise_services(config),
                    self._start_workflow,
                )
            ),
            report=self._ended,
            unsettled=self._unsettled,
            longest=config.engine.max_timeout,
        )

    async def _check_keys(self) -> None:
        """An API whose tokens the other APIs would not accept must not serve."""
        home = self._cells[0]
        offers = home.engine.stores.offers
        if offers is None or self._key_print is None:
            return
        end = self.clock.monotonic() + 2 * self._config.engine.lease
        while others := await offers.other_keys(self._key_print):
            # An API that was killed a moment ago still has its lease.
            if self.clock.monotonic() > end:
                await self._home.ownership.leave()
                check_keys(others)
            await self.clock.sleep(KEY_LOOK_EVERY)

    def _unsettled(self) -> int:
        """Returns how many outcomes wait to be recorded. Those of a cell that is away hold up no other cell."""
        if len(self._cells) == 1:
            return len(self._cells[0].engine.settle)
        return sum(len(one.engine.settle) for one in self._cells if one.database.cell.answers)

    async def _username(self, user_id: int) -> str | None:
        accounts = self._several.accounts if self._several else self._cells[0].engine.accounts
        user = await accounts.by_id(user_id)
        return None if user is None else user.username

    async def _artifact(self, user_id: int, reference: str) -> ArtifactVersion | None:
        """Returns the version that a job names. Artifacts are in the first database."""
        store = self._home.stores.artifacts
        name, version = read_reference(reference)
        return None if store is None else await store.version(user_id, name, None if version == LATEST else version)

    async def _add_lines(self, run: LaunchedRun, first: int, lines: Sequence[str]) -> None:
        """Add lines to the log of a run of this node, in the database that has the run."""
        number = 0 if self._several is None else self._several.cells.of_job(run.job_id).number
        logs = self._cells[number].engine.stores.logs
        if logs is not None:
            await logs.add(run.executor, (run.job_id, run.attempt), first, lines, self.clock.now())

    async def _spread(self, run: LaunchedRun) -> list[int] | str:
        workers = self._cells[0].engine.workers
        return "Workers need a single database." if workers is None else await workers.broadcasts.spread(run)

    async def _start_workflow(self, run: LaunchedRun) -> int:
        username = await self._username(run.user_id)
        if username is None:
            raise NotFound(f"There is no user {run.user_id}.")
        workflow = self._read_workflow(run, username, self.clock.now())
        jobs = self._routed.jobs if self._routed else _job_services(self._cells[0].engine)
        return (await jobs.workflows.create(workflow)).outline.workflow.id

    def _ended(self, settlements: Sequence[Settlement]) -> None:
        self._cells[0].engine.settle.put(*settlements)


def _activity_services(engine: Engine) -> ActivityServices:
    return ActivityServices(overview=engine.overview, planned=engine.planned, shares=engine.user_shares)


def _shared(config: Config, databases: Sequence[CellDatabase]) -> CellStores:
    return CellStores(databases, Quotas(**structs.asdict(config.quotas)), config.engine.user_slots)


async def _open(cell: NodeCell) -> None:
    """Open and start a cell that is not started yet. One whose database is away is tried again later."""
    if cell.started:
        return
    try:
        if not cell.database.opened:
            await cell.open()
        await cell.start()
    except StoreAway as error:
        log.warning(
            "a database is away: its jobs wait until it is back", database=cell.database.number, why=error.message
        )


def _job_services(engine: Engine) -> JobServices:
    if engine.workflows is None:
        raise ConfigError("The store has no workflows.")
    return JobServices(
        submit=engine.submit,
        control=engine.control,
        insight=engine.insight,
        dead_letters=engine.dead_letters,
        breakers=engine.breakers,
        results=engine.results,
        workflows=engine.workflows,
    )


def _recurring_services(engine: Engine) -> RecurringServices:
    return RecurringServices(schedules=engine.schedules, backfill=engine.backfill, calendars=engine.calendars)


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
        metrics=config.metrics_for,
        target_rules=target_rules(config),
    )
