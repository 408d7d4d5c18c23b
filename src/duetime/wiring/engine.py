"""The engine of one node: every stage of a job's way, put together on a store, a clock and a coordinator."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from duetime.bus.port import Bus
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
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
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.stores import Stores


class Engine:
    """The stages, from submit to rescue. Nothing here starts by itself: a node's loops call it, or a test does."""

    def __init__(
        self,
        stores: Stores,
        clock: Clock,
        ownership: Ownership,
        hints: Hints,
        bus: Bus,
        *,
        look_ahead: timedelta,
        retention_days: int,
        schedules: bool,
        chance: Callable[[], float],
        stop_run: Callable[[int], bool],
    ) -> None:
        self.stores, self.clock, self.ownership, self.bus = stores, clock, ownership, bus
        self._schedules_here = schedules
        self.backlog, self.shares = Backlog(), FairShare()
        self.definitions = Definitions(stores.submit, stores.launch)
        self.gates = Gates(self.definitions.limit_of)
        self.pick = Pick(self.backlog, self.shares, self.gates)
        self.due = Due(stores.due, ownership, self.backlog, self.pick, look_ahead)
        self.wake = Wake(clock, ownership, hints, look_ahead, due=self.due if schedules else None, signal=self.signal)
        self.lane_sweep = LaneSweep(stores.due, self.wake)
        self.watch = Watch(stores.breakers, self.gates, self.pick, ownership)
        self.settle = Settle(
            stores.settle,
            stores.due,
            self.pick,
            clock,
            self.wake,
            chance=chance,
            watch=self.watch.ended,
            settled=lambda _: self.signal(),
        )
        self.timetables = timetables = Timetables()
        self.mint = Mint(stores.mint, stores.launch, stores.due, self.wake, self._cancel_run, timetables)
        self.launch = Launch(
            stores.launch, self.definitions, ownership, self.pick, clock, bus, self._expired, self.mint
        )
        self.scheduler = Scheduler(
            clock, ownership, self.backlog, self.due, self.pick, self.launch, bus, self.gates, self.definitions
        )
        self.rescue = Rescue(
            stores.settle,
            stores.launch,
            self.definitions,
            ownership,
            self.settle,
            self.launch,
            self.backlog,
            self.pick,
            self.due,
            clock,
        )
        self.insight = Insight(stores.insight)
        self.accounts = Accounts(stores.accounts, clock)
        quota = Quota(clock, self.accounts.by_id, self.insight.stats)
        self.submit = Submit(
            stores.submit, stores.due, self.definitions, clock, self.wake, self.insight.job, quota, stores.places
        )
        self.control = Control(
            stores.control, stores.due, self.insight, self.definitions, ownership, hints, self.wake, clock, stop_run
        )
        self.dead_letters = DeadLetters(stores.dead, stores.control, stores.due, self.control, self.wake, clock)
        self.upkeep = ScheduleUpkeep(stores.schedules, clock, self.wake, timetables)
        self.schedules = Schedules(
            stores.schedules, stores.calendars, self.definitions, clock, self.wake, quota, timetables
        )
        self.backfill = Backfill(stores.schedules, stores.due, clock, self.wake, timetables)
        self.calendars = Calendars(stores.calendars, self.upkeep, clock)
        self.retention = Retention(stores.retention, clock, retention_days)

    def signal(self) -> None:
        """Something happened that may let more go."""
        if self._schedules_here:
            self.scheduler.wake()

    def ended(self, run: LaunchedRun, outcome: Outcome, started: datetime, finished: datetime, asked: bool) -> None:
        """A run of this node's executor ended."""
        self.settle.put(Settlement(run, outcome, started, finished, asked))

    async def read_shares(self) -> None:
        """Learn the weights and limits of users."""
        shares = await self.stores.accounts.shares()
        self.shares.set_weights({share.user_id: share.job_weight for share in shares})
        limits = {share.user_id: share.limits for share in shares if share.limits is not None}
        self.gates.set_user_limits(limits, self.clock.now())

    def ownership_changed(self) -> None:
        """Other shards than before: start looking anew."""
        self.due.restart()
        self.signal()

    async def _cancel_run(self, user_id: int, job_id: int) -> None:
        await self.control.cancel(user_id, job_id, user_id)

    def _expired(self, run: LaunchedRun, outcome: Outcome) -> None:
        self.settle.put(Settlement(run, outcome, None, self.clock.now()))
