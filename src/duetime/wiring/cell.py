"""One cell of a node: the engine on one database, its periodic duties, and its start and stop in order."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from secrets import SystemRandom

import structlog
from msgspec import structs

from duetime.bus.port import Slots
from duetime.config import Config
from duetime.engine.node.health import Health
from duetime.engine.node.periodic import Periodic
from duetime.engine.node.presence import Presence
from duetime.engine.node.report import Report
from duetime.engine.node.stand_by import StandBy
from duetime.engine.notifying.rules import NotificationSettings
from duetime.executor.executor import LocalExecutor
from duetime.metrics.counts import Counts
from duetime.model.errors import StoreAway
from duetime.model.labels import spelled
from duetime.model.user import Quotas
from duetime.store.offer_port import Abilities
from duetime.tracing.port import Traces
from duetime.wiring.cell_database import TURNS_PER_LEASE, CellDatabase
from duetime.wiring.cells import CellStores
from duetime.wiring.engine import Engine, EngineSettings
from duetime.wiring.metrics import CellMetrics

log = structlog.get_logger()
REPORT_EVERY = 1.0
ACTIVITY_EVERY = 2.0
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
MEASURES_EVERY = 5.0
NOTIFICATIONS_EVERY = 1.0
AUDIT_EVERY = 2.0
LOGS_EVERY = 2.0
WORKFLOWS_EVERY = 1.0


class NodeCell:
    """The engine of one database, with everything that a node does for it."""

    def __init__(
        self,
        config: Config,
        database: CellDatabase,
        slots: Slots,
        executor: LocalExecutor | None,
        *,
        key_print: bytes | None,
        shared: CellStores | None = None,
        counts: Counts | None = None,
        traces: Traces | None = None,
    ) -> None:
        """`shared` is what this cell has in common with others, where there are several.

        `counts` and `traces` are the node's.
        """
        self._config, self.database, self._executor, self._key_print = config, database, executor, key_print
        self._schedules = "scheduler" in config.roles
        self._ownership, self._hints, clock, census = (
            database.ownership,
            database.hints,
            database.clock,
            database.census,
        )
        points, stores = database.points, shared.of(database) if shared else database.stores
        self.engine = engine = Engine(
            points.stores(stores) if points else stores,
            clock,
            self._ownership,
            self._hints,
            points.slots(slots) if points else slots,
            engine_settings(config),
            chance=SystemRandom().random,
            stop_run=executor.cancel if executor else lambda _: False,
            census=census,
            quota=shared.quota if shared else None,
            contests=shared.contests(database, lambda: self.engine.more()) if shared else None,
            counts=counts,
            traces=traces,
        )
        self.metrics = CellMetrics(config, database, engine)
        self._report = Report(census, self._ownership, engine.backlog, lambda: clock.skew, config.max_clock_skew)
        self._stand_by = StandBy(census, engine.definitions, self._ownership, clock)
        offers = engine.stores.offers
        self.presence = Presence(offers, self._ownership, self._hints, self._abilities) if offers else None
        self._duties = self._make_duties()
        self.health = Health(
            clock,
            self._ownership,
            engine.scheduler if self._schedules else None,
            clock_trusted=lambda: clock.trusted,
            databases=lambda: [database.health()],
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._listening = False

    @property
    def started(self) -> bool:
        """Whether the loops of this cell run."""
        return bool(self._tasks)

    async def open(self) -> None:
        """Connect, join the cluster, and report this node to the others."""
        await self.database.open()
        self.database.keep()
        if self.presence is not None:
            await self.presence.run_once()

    async def start(self) -> None:
        """Acquire shards and start the loops. A start that failed may be repeated."""
        engine = self.engine
        await self._ownership.renew()
        await engine.retention.run_once()
        if self._schedules:
            await engine.rules.run_once()
            self._ownership.on_change = engine.scheduler.restart
            self._ownership.before_release = engine.scheduler.under_way
            if not self._listening:
                self._listening = True
                self._hints.listen("shards", lambda _: self.database.nudge())
            await self._ownership.run_once()
            await engine.lane_sweep.whole_round()
            if engine.offers is not None:
                await engine.offers.run_once()
            self._start_task(engine.scheduler.run())
        if engine.take is not None:
            self._start_task(engine.take.run())
        for duty in (*self.database.duties, *self._duties):
            self._start_task(duty.run())

    def stop_takes(self) -> None:
        """Answer the takes of workers without runs from now on."""
        if self.engine.workers is not None:
            self.engine.workers.takes.stop()

    async def hand_over(self) -> None:
        """Refuse new work, and release the shards."""
        engine = self.engine
        await engine.submit.stop()
        if engine.take is not None:
            engine.take.stop()
        if self._schedules:
            await engine.scheduler.stop()
            if self.started:
                await self._ownership.retire()
        if engine.take is not None:
            await engine.take.idle()

    async def stop(self) -> None:
        """Record the outcomes that wait, end the lease, and close."""
        engine = self.engine
        try:
            await asyncio.wait_for(engine.settle.drain(), max(5.0, self._config.grace))
        except TimeoutError:
            log.warning(
                "could not record some outcomes before the stop: their runs will be rescued",
                outcomes=len(engine.settle),
            )
        for duty in (*self.database.duties, *self._duties):
            duty.stop()
        await self._store_activity()
        if self._ownership.node:
            await self._ownership.leave()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.database.close()

    def _make_duties(self) -> list[Periodic]:
        clock, engine = self.database.clock, self.engine
        every = self._config.engine.lease / TURNS_PER_LEASE
        duties = [Periodic("report", clock, REPORT_EVERY, self._report.run_once)]
        duties.append(Periodic("measures", clock, MEASURES_EVERY, self.metrics.measures.run_once))
        duties.append(Periodic("activity", clock, ACTIVITY_EVERY, engine.activity.run_once))
        if self._executor is not None:
            duties.append(Periodic("cancels", clock, every, self._carry_out_cancels))
        if self._schedules:
            duties += self._scheduler_duties()
        elif self._executor is not None:
            duties.append(Periodic("unanswered launches", clock, RESCUE_EVERY, engine.unanswered.take_back))
            duties.append(Periodic("never started", clock, NEVER_STARTED_EVERY, engine.never_started.run_once))
        if engine.workers is not None and "api" in self._config.roles:
            offers = Periodic("offers to workers", clock, OFFERS_EVERY, engine.workers.offers.run_once)
            engine.workers.offers.nudge = offers.nudge
            duties.append(offers)
        if self.presence is not None:
            duties.append(Periodic("presence", clock, PRESENCE_EVERY, self.presence.run_once))
        return duties

    def _scheduler_duties(self) -> list[Periodic]:
        clock, engine = self.database.clock, self.engine
        duties = list[Periodic]()
        duties.append(Periodic("schedules", clock, SCHEDULES_EVERY, engine.repair.run_once))
        duties.append(Periodic("rescue", clock, RESCUE_EVERY, engine.rescue.run_once))
        duties.append(Periodic("lanes", clock, LANES_EVERY, engine.lane_sweep.run_once))
        duties.append(Periodic("retention", clock, RETENTION_EVERY, engine.retention.run_once))
        duties.append(Periodic("shares", clock, SHARES_EVERY, engine.rules.run_once))
        gates = Periodic("gates", clock, GATES_EVERY, engine.publish_gates.run_once)
        engine.publish_gates.nudge = gates.nudge
        duties.append(gates)
        if engine.workflows is not None:
            duties.append(Periodic("workflows", clock, WORKFLOWS_EVERY, engine.workflows.run_once))
        if engine.audit is not None:
            duties.append(Periodic("audit", clock, AUDIT_EVERY, engine.audit.run_once))
        if engine.logs is not None:
            duties.append(Periodic("logs", clock, LOGS_EVERY, engine.logs.run_once))
        if engine.notifier is not None:
            duties.append(Periodic("notifications", clock, NOTIFICATIONS_EVERY, engine.notifier.run_once))
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
        return duties

    async def _store_activity(self) -> None:
        try:
            await asyncio.wait_for(self.engine.activity.store(), 1.0)
        except (StoreAway, TimeoutError):
            log.info("could not store the last counts of activity")

    def _abilities(self) -> Abilities:
        """Returns what this node reports about itself to the others."""
        executor, take = self._executor, self.engine.take
        if executor is None or take is None or self._ownership.draining:
            return Abilities(key_print=self._key_print)
        free, slots = executor.room(), self._config.slots
        opened = min(slots, free + len(self.engine.held.taken)) if self._schedules else slots
        return Abilities(slots, opened, free, spelled(self._config.labels), self._key_print)

    async def _carry_out_cancels(self) -> None:
        if self._executor is not None and self._executor.running:
            for job_id in await self.engine.stores.control.cancel_requests(self._ownership.node):
                self._executor.cancel(job_id)

    def _start_task(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(asyncio.get_running_loop().create_task(work))


def engine_settings(config: Config) -> EngineSettings:
    """Returns the settings of every engine of a node."""
    return EngineSettings(
        schedules="scheduler" in config.roles,
        executes="executor" in config.roles,
        labels=dict(config.labels),
        look_ahead=timedelta(seconds=config.engine.look_ahead),
        safety_net=timedelta(seconds=config.engine.safety_net),
        retention_days=config.engine.retention_days,
        user_slots=config.engine.user_slots,
        quotas=Quotas(**structs.asdict(config.quotas)),
        worker_lease=config.engine.worker_lease,
        audit_days=config.engine.audit_days,
        log_days=config.engine.log_days,
        notifications=NotificationSettings(
            page=None if config.notifications.page is None else config.notifications.page.rstrip("/"),
            mail=config.smtp.host is not None,
            apprise=config.notifications.apprise,
            recipients=config.mail_recipients,
        ),
    )
