"""The engine of one node: every stage of a job's life, built on a store, a clock and a coordinator."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from duetime.bus.local import LocalBus
from duetime.bus.port import ExecutorEnd, Slots
from duetime.bus.postgres import PostgresExecutorEnd, PostgresSchedulerEnd
from duetime.bus.worker_offers import WorkerOfferStore
from duetime.clock.port import Clock
from duetime.coordination.census import Census
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.engine.activity.counting import Activity
from duetime.engine.activity.due_jobs import DueJobs
from duetime.engine.activity.overview import Overview
from duetime.engine.activity.planned import Planned
from duetime.engine.activity.shares import Shares
from duetime.engine.asking.accounts import Accounts
from duetime.engine.asking.audit import Audit
from duetime.engine.asking.breakers import Breakers
from duetime.engine.asking.control import Control
from duetime.engine.asking.dead_letters import DeadLetters
from duetime.engine.asking.insight import Insight
from duetime.engine.asking.logs import Logs
from duetime.engine.asking.results import Results
from duetime.engine.asking.sessions import Sessions
from duetime.engine.asking.unmet_labels import UnmetLabels
from duetime.engine.asking.unmet_workers import UnmetWorkers
from duetime.engine.asking.waiting import WaitingJobs
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.contests import PoolContests
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.gates import Gates
from duetime.engine.due.host_watch import HostWatch
from duetime.engine.due.look_ahead import SAFETY_NET, LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.due.pools import Pools
from duetime.engine.due.publish_gates import PublishGates
from duetime.engine.due.scheduler import Scheduler
from duetime.engine.due.slot_share import USER_PART, SlotShare
from duetime.engine.due.unknown_limits import UnknownLimits
from duetime.engine.due.user_rules import UserRules
from duetime.engine.events import Events
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.quota import Quota, QuotaCounts
from duetime.engine.intake.submit import Submit
from duetime.engine.intake.wake import Wake
from duetime.engine.lanes.order import LaneOrder
from duetime.engine.lanes.sweep import LaneSweep
from duetime.engine.launching.buses import Buses
from duetime.engine.launching.held import HeldRuns
from duetime.engine.launching.launch import Launch
from duetime.engine.launching.never_started import NeverStarted
from duetime.engine.launching.offered import OfferedRuns
from duetime.engine.launching.take import TakeOffers
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.node.context import NodeContext
from duetime.engine.node.retention import Retention
from duetime.engine.notifying.notifier import Notifier
from duetime.engine.notifying.rules import Notifications, NotificationSettings
from duetime.engine.recurring.backfill import Backfill
from duetime.engine.recurring.cache import ScheduleCache
from duetime.engine.recurring.calendars import Calendars
from duetime.engine.recurring.mint import Mint
from duetime.engine.recurring.prefetch import SchedulePrefetch
from duetime.engine.recurring.repair import ScheduleRepair
from duetime.engine.recurring.schedules import Schedules
from duetime.engine.recurring.timetables import Timetables
from duetime.engine.settling.ends import Ends, EndStores
from duetime.engine.settling.opening_hours import ClosedDates
from duetime.engine.settling.reports import EndReports
from duetime.engine.settling.rescue import Rescue
from duetime.engine.settling.settle import Settle
from duetime.engine.signal import Signal
from duetime.engine.workers.offers import TOPIC as WORKER_OFFERS
from duetime.engine.workers.workers import Workers
from duetime.engine.workflows.inputs import StepInputs
from duetime.engine.workflows.workflows import Workflows
from duetime.metrics.counts import Counts
from duetime.model.job import NewJob
from duetime.model.labels import meets
from duetime.model.user import Quotas
from duetime.store.stores import Stores
from duetime.tracing.port import Traces


class EngineSettings(Struct, frozen=True):
    """Which roles the node plays, with which labels, and how far ahead and how long back it looks."""

    schedules: bool = True
    executes: bool = True
    labels: dict[str, str] = {}
    look_ahead: timedelta = timedelta(seconds=2)
    safety_net: timedelta = SAFETY_NET
    """How often to look without a hint."""
    retention_days: int = 30
    user_slots: float = USER_PART
    """The part of all slots that one user alone can hold."""
    quotas: Quotas = Quotas()
    """The quotas of users without quotas of their own."""
    worker_lease: float = 15.0
    """How many seconds a worker lives without a beat."""
    notifications: NotificationSettings = NotificationSettings()
    audit_days: int = 400
    log_days: int | None = None
    """How long logs are kept, if that is shorter than `retention_days`."""


class Engine:
    """The stages, from submit to rescue. None starts by itself: the loops of a node, or a test, call them."""

    def __init__(
        self,
        stores: Stores,
        clock: Clock,
        ownership: Ownership,
        hints: Hints,
        slots: Slots,
        settings: EngineSettings,
        *,
        chance: Callable[[], float],
        stop_run: Callable[[int], bool],
        census: Census | None = None,
        quota: Quota | None = None,
        contests: Callable[[str], PoolContests] | None = None,
        counts: Counts | None = None,
        traces: Traces | None = None,
    ) -> None:
        """`quota` and `contests`, the shares of users in each pool, are those of all cells, where there are several.

        `counts` and `traces` are those of the process.
        """
        schedules, executes, look_ahead = settings.schedules, settings.executes, settings.look_ahead
        self.stores, self.clock, self.ownership, self.labels = stores, clock, ownership, settings.labels
        self.more, self.freed, self.events = Signal(), Signal(), Events()
        self.counts = counts = counts or Counts()
        keep_hours = timedelta(days=settings.retention_days)
        self.activity = Activity(stores.activity, clock, keep_hours, self.events)
        node = NodeContext(clock, ownership, hints, self.events, counts, self.activity, traces)
        self.backlog = Backlog()
        self.definitions = Definitions(stores.submit, stores.launch, has_workers=stores.workers is not None)
        self.definitions.inputs = None if stores.workflows is None else StepInputs(stores.workflows)
        self.gates = Gates(self.definitions.limit_of)
        self.pools = Pools(self.definitions.requires_of, self.definitions.pulled_of)
        self.pick = Pick(
            self.backlog,
            self.gates,
            self.pools.of_flow,
            self.definitions.takes_slot,
            contests or (lambda _: PoolContests(FairShare(), SlotShare(clock.monotonic, settings.user_slots))),
        )
        self.rules = UserRules(stores.accounts, self.pick, self.pools, clock, self.more)
        batch_size = BatchSize(clock)
        cache = ScheduleCache()
        prefetch = SchedulePrefetch(stores.due, stores.mint, cache, look_ahead)
        self.due = LookAhead(prefetch, ownership, self.backlog, self.pick, batch_size, look_ahead, settings.safety_net)
        self.hosts = HostWatch(self.gates, self.pick, self.events)
        offered = OfferedRuns(self.pick, self.gates, self.hosts, self.due, clock, self.more)
        self.offers = (
            PostgresSchedulerEnd(stores.offers, ownership, hints, clock, offered)
            if schedules and stores.offers is not None
            else None
        )
        self.worker_offers = (
            PostgresSchedulerEnd(
                WorkerOfferStore(stores.workers, stores.offers, ownership),
                ownership,
                hints,
                clock,
                offered,
                WORKER_OFFERS,
            )
            if schedules and stores.workers is not None and stores.offers is not None
            else None
        )
        self.local = LocalBus(slots, stores.launch, self.labels, lambda: 0 if self.take is None else self.take.taking)
        self.executor_end: ExecutorEnd = (
            self.local
            if stores.offers is None
            else PostgresExecutorEnd(stores.offers, ownership, hints, self.labels, self.offers)
        )
        self.wake = Wake(
            clock,
            ownership,
            hints,
            look_ahead,
            due=self.due if schedules else None,
            signal=self.more,
        )
        self.lane_sweep = LaneSweep(stores.due, self.wake)
        lanes = LaneOrder(stores.due, self.wake)
        self.held = HeldRuns(self.backlog)
        ends_of_buses = [end for end in (self.offers, self.worker_offers) if end is not None]
        reports = EndReports(self.held, self.hosts, self.executor_end, ends_of_buses)
        end_stores = EndStores(stores.settle, stores.control, stores.dead, stores.launch)
        self.ends = Ends(
            end_stores, stores.due, self.pick, self.held, reports, self.wake, node, self.definitions, stores.workflows
        )
        closed_dates = ClosedDates(stores.calendars, clock)
        self.settle = Settle(
            stores.settle,
            self.ends,
            lanes,
            self.pick,
            reports,
            node,
            self.wake,
            batch_size,
            self.freed,
            self.more,
            closed_dates,
            chance=chance,
        )
        self.accounts = Accounts(stores.accounts, clock)
        self.sessions = Sessions(stores.sessions, clock)
        unmet = None if stores.offers is None else UnmetLabels(stores.offers, clock)
        unmet_workers = None if stores.workers is None else UnmetWorkers(stores.workers, clock)
        waiting = WaitingJobs(
            stores.insight, stores.gates, unmet, census, self.accounts.by_id, clock, unmet_workers, stores.workflows
        )
        self.insight = Insight(stores.insight, waiting, clock)
        self.results = Results(clock)
        self.breakers = Breakers(stores.gates, hints, clock)
        self.quota = quota = quota or Quota(clock, self.accounts.by_id, _counts(stores), settings.quotas)
        self.definitions.admit = quota.check_definitions
        self.submit = Submit(
            stores.submit,
            stores.due,
            self.definitions,
            clock,
            self.wake,
            self.insight.job,
            quota,
            stores.placement,
            self.events,
            counts,
        )
        self.control = Control(
            stores.control,
            self.ends,
            stores.due,
            self.insight,
            self.definitions,
            node,
            self.wake,
            self.executor_end,
            stop_run,
            closed_dates,
        )
        self.workflows = (
            None
            if stores.workflows is None
            else Workflows(stores.workflows, self.submit, self.ends, quota, node, self.wake, stop_run)
        )
        self.dead_letters = DeadLetters(stores.dead, self.ends, stores.due, self.control, self.wake, clock)
        self.timetables = timetables = Timetables()
        self.mint = Mint(
            stores.mint,
            stores.launch,
            stores.due,
            self.wake,
            self.control,
            self.ends,
            self.events,
            clock,
            counts,
            timetables,
            cache,
        )
        self.unanswered = UnansweredLaunches(stores.launch, self.ends, clock)

        self.workers = (
            Workers(
                stores.workers,
                stores.worker_insight,
                node,
                self.definitions,
                self.ends,
                self.settle,
                self.held,
                self.unanswered.instant,
                settings.worker_lease,
                self.more,
                self.worker_offers,
                self.results.raise_for,
                self.submit,
                stores.launch,
            )
            if stores.workers is not None and stores.worker_insight is not None
            else None
        )

        def serves(pool: str) -> bool:
            return executes and meets(self.labels, pool)

        pull = None if self.workers is None else self.workers.pull
        buses = Buses(self.local, self.offers, slots, serves, pull)
        self.launch = Launch(
            node,
            self.definitions,
            self.pick,
            lanes,
            buses,
            self.unanswered,
            self.ends,
            self.settle.expire,
            self.mint,
        )
        unknown = UnknownLimits(self.gates, self.definitions, self.pick)
        self.scheduler = Scheduler(
            node, self.due, self.pick, unknown, self.launch, buses, batch_size, lambda: len(self.settle)
        )
        self.publish_gates = PublishGates(
            stores.gates, node, self.gates, self.pick, self.hosts, self.scheduler.waiting_for_slots, self.more
        )
        self.breakers.reset_here = lambda: self.publish_gates.nudge()
        if schedules:
            self.more.listen(self.scheduler.wake)
        self.take = (
            TakeOffers(
                self.executor_end,
                self.ends,
                self.definitions,
                node,
                self.unanswered,
                buses=buses,
                held=self.held,
                schedules=schedules,
                freed=self.freed,
                expire=self.settle.expire,
                every=settings.safety_net,
            )
            if executes and stores.offers is not None
            else None
        )
        self.never_started = NeverStarted(stores.settle, self.ends, ownership, clock, self.unanswered, self.held)
        self.rescue = Rescue(
            stores.settle,
            self.ends,
            self.definitions,
            node,
            self.settle,
            self.launch,
            self.never_started,
            self.pick,
            self.due,
            self.more,
        )
        self.repair = ScheduleRepair(stores.schedules, clock, self.wake, timetables)
        self.schedules = Schedules(
            stores.schedules, stores.calendars, self.definitions, clock, self.wake, quota, timetables
        )
        self.due_jobs = DueJobs(stores.activity, self.definitions, unmet, unmet_workers, self.accounts.by_id)
        self.overview = Overview(
            stores.activity, self.due_jobs.of, self.insight, self.dead_letters, self.breakers, census, clock
        )
        self.planned = Planned(stores.activity, timetables, clock)
        self.user_shares = Shares(stores.activity, self.overview, self.accounts.by_id, clock)
        self.backfill = Backfill(stores.schedules, stores.due, clock, self.wake, timetables)
        self.calendars = Calendars(stores.calendars, self.repair, clock, quota)
        self.retention = Retention(
            stores.retention, clock, settings.retention_days, settings.log_days, stores.workflows
        )
        self.logs = None if stores.logs is None else Logs(stores.logs, clock)
        self.audit = None if stores.audit is None else Audit(stores.audit, clock, settings.audit_days)
        self.notifications = self.notifier = None
        if stores.notifications is not None:
            told = settings.notifications
            self.notifications = Notifications(
                stores.notifications, clock, told, stores.insight.jobs, self.schedules.show
            )
            self.notifier = Notifier(stores.notifications, clock, self._send, counts, page=told.page, keep=keep_hours)

    async def _send(self, job: NewJob) -> int:
        """Store a job that sends a notification. Returns its id, the same for a repeat."""
        return (await self.submit.one(job)).job.id


def _counts(stores: Stores) -> QuotaCounts:
    return QuotaCounts(
        stats=stores.insight.stats,
        usage=stores.insight.usage,
        schedules=stores.schedules.count,
        message_bytes=stores.insight.message_bytes,
        other_definitions=stores.submit.other_definitions,
    )
