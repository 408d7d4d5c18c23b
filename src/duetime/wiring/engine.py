"""The engine of one node: every stage of a job's way, put together on a store, a clock and a coordinator."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta

from duetime.bus.envelope import Ended
from duetime.bus.port import Bus
from duetime.bus.postgres import PostgresBus
from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import Hints
from duetime.engine.asking.accounts import Accounts
from duetime.engine.asking.control import Control
from duetime.engine.asking.dead_letters import DeadLetters
from duetime.engine.asking.insight import Insight
from duetime.engine.asking.unmet_labels import UnmetLabels
from duetime.engine.due.backlog import Backlog
from duetime.engine.due.batch_size import BatchSize
from duetime.engine.due.fair_share import FairShare
from duetime.engine.due.gates import Gates
from duetime.engine.due.host_watch import HostWatch, told_of
from duetime.engine.due.look_ahead import SAFETY_NET, LookAhead
from duetime.engine.due.pick import Pick
from duetime.engine.due.pools import Pools
from duetime.engine.due.scheduler import Scheduler
from duetime.engine.intake.definitions import Definitions
from duetime.engine.intake.quota import Quota
from duetime.engine.intake.submit import Submit
from duetime.engine.intake.wake import Wake
from duetime.engine.lanes.order import LaneOrder
from duetime.engine.lanes.sweep import LaneSweep
from duetime.engine.launching.launch import Launch
from duetime.engine.launching.never_started import NeverStarted
from duetime.engine.launching.take import TakeOffers
from duetime.engine.launching.unanswered import UnansweredLaunches
from duetime.engine.node.retention import Retention
from duetime.engine.recurring.backfill import Backfill
from duetime.engine.recurring.cache import ScheduleCache
from duetime.engine.recurring.calendars import Calendars
from duetime.engine.recurring.mint import Mint
from duetime.engine.recurring.prefetch import SchedulePrefetch
from duetime.engine.recurring.repair import ScheduleRepair
from duetime.engine.recurring.schedules import Schedules
from duetime.engine.recurring.timetables import Timetables
from duetime.engine.settling.rescue import Rescue
from duetime.engine.settling.settle import Settle, Settlement
from duetime.model.labels import meets
from duetime.model.outcome import Outcome
from duetime.model.run import LaunchedRun
from duetime.store.port import JobRef
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
        executes: bool = True,
        labels: Mapping[str, str] | None = None,
        safety_net: timedelta = SAFETY_NET,
    ) -> None:
        self.stores, self.clock, self.ownership, self.bus = stores, clock, ownership, bus
        self._schedules_here = schedules
        self._told: dict[int, Ended] = {}
        self.labels = dict(labels or {})
        self.backlog, self.shares = Backlog(), FairShare()
        self.definitions = Definitions(stores.submit, stores.launch)
        self.gates = Gates(self.definitions.limit_of)
        self.pools = Pools(self.definitions.requires_of)
        self.pick = Pick(self.backlog, self.shares, self.gates, self.pools.of_flow)
        pace = BatchSize(clock)
        known = ScheduleCache()
        ahead = SchedulePrefetch(stores.due, stores.mint, known, look_ahead)
        self.due = LookAhead(ahead, ownership, self.backlog, self.pick, pace, look_ahead, safety_net)
        self.offers = (
            PostgresBus(
                stores.offers,
                ownership,
                hints,
                clock,
                over=self._offers_over,
                outcome=self._offer_ended,
                missed=self._look_again,
            )
            if schedules and stores.offers is not None
            else None
        )
        self.wake = Wake(
            clock,
            ownership,
            hints,
            look_ahead,
            due=self.due if schedules else None,
            signal=self.signal,
            ended=None if self.offers is None else self.offers.ended,
        )
        self.lane_sweep = LaneSweep(stores.due, self.wake)
        self.watch = HostWatch(stores.breakers, self.gates, self.pick, ownership)
        turns = LaneOrder(stores.due, self.wake)
        self.settle = Settle(
            stores.settle,
            turns,
            self.pick,
            clock,
            self.wake,
            pace,
            chance=chance,
            watch=self._watch_ended,
            settled=self._settled,
            over=self._over,
            goes_on=self._goes_on,
        )
        self.timetables = timetables = Timetables()
        self.mint = Mint(stores.mint, stores.launch, stores.due, self.wake, self._cancel_run, timetables, known)
        self.doubts = UnansweredLaunches(stores.launch, clock)
        self.launch = Launch(
            stores.launch,
            self.definitions,
            ownership,
            self.pick,
            turns,
            bus,
            self.doubts,
            self._expired,
            self.mint,
            self.offers,
        )
        self.scheduler = Scheduler(
            clock,
            ownership,
            self.backlog,
            self.due,
            self.pick,
            self.launch,
            bus,
            self.gates,
            self.definitions,
            pace,
            self.offers,
            lambda pool: executes and meets(self.labels, pool),
            lambda: len(self.settle),
        )
        self.take = (
            TakeOffers(
                stores.offers,
                stores.launch,
                self.definitions,
                ownership,
                hints,
                clock,
                self.doubts,
                labels=self.labels,
                room=self._room_for_offers,
                start=bus.send,
                expire=self._expired,
                every=safety_net,
            )
            if executes and stores.offers is not None
            else None
        )
        self.strays = NeverStarted(stores.settle, stores.launch, ownership, clock, self.doubts, self._knows)
        self.rescue = Rescue(
            stores.settle,
            stores.launch,
            self.definitions,
            ownership,
            self.settle,
            self.launch,
            self.strays,
            self.pick,
            self.due,
            clock,
            self.signal,
        )
        self.accounts = Accounts(stores.accounts, clock)
        lack = None if stores.offers is None else UnmetLabels(stores.offers, self.accounts.by_id, clock)
        self.insight = Insight(stores.insight, lack)
        quota = Quota(clock, self.accounts.by_id, self.insight.stats)
        self.submit = Submit(
            stores.submit, stores.due, self.definitions, clock, self.wake, self.insight.job, quota, stores.places
        )
        self.control = Control(
            stores.control, stores.due, self.insight, self.definitions, ownership, hints, self.wake, clock, stop_run
        )
        self.dead_letters = DeadLetters(stores.dead, stores.control, stores.due, self.control, self.wake, clock)
        self.upkeep = ScheduleRepair(stores.schedules, clock, self.wake, timetables)
        self.schedules = Schedules(
            stores.schedules, stores.calendars, self.definitions, clock, self.wake, quota, timetables
        )
        self.backfill = Backfill(stores.schedules, stores.due, clock, self.wake, timetables)
        self.calendars = Calendars(stores.calendars, self.upkeep, clock)
        self.retention = Retention(stores.retention, clock, retention_days)

    def _room_for_offers(self) -> int:
        """Slots that may be filled from the bus. A scheduler keeps half: it would have to offer its own meanwhile."""
        room = self.bus.room() - self.scheduler.reserved
        return (room + 1) // 2 if self._schedules_here else room

    def signal(self) -> None:
        """Something happened that may let more go."""
        if self._schedules_here:
            self.scheduler.wake()

    def ended(self, settlements: Sequence[Settlement]) -> None:
        """Runs of this node's executor ended."""
        self.settle.put(*settlements)
        if self.take is not None:
            self.take.freed()

    async def read_shares(self) -> None:
        """Learn the weights and limits of users."""
        shares = await self.stores.accounts.shares()
        self.pick.set_weights({share.user_id: share.job_weight for share in shares})
        limits = {share.user_id: share.limits for share in shares if share.limits is not None}
        if self.pick.set_user_limits(limits, self.clock.now()):
            self.signal()
        if self.pools.set_users({share.user_id: share.requires for share in shares if share.requires}):
            self.pick.regroup()
            self.signal()

    def ownership_changed(self) -> None:
        """Other shards than before: start looking anew."""
        self.due.restart()
        self.signal()

    async def _cancel_run(self, user_id: int, job_id: int) -> None:
        await self.control.cancel(user_id, job_id, user_id)

    def _expired(self, run: LaunchedRun, outcome: Outcome) -> None:
        self.settle.put(Settlement(run, outcome, None, self.clock.now()))

    def _settled(self, _count: int) -> None:
        self.signal()
        if self.take is not None:
            self.take.freed()

    def _knows(self, job_id: int) -> bool:
        return job_id in self.backlog.launched or (self.take is not None and job_id in self.take.holding)

    def _goes_on(self, job_id: int, attempt: int) -> bool:
        """Whether a later attempt runs here: this node was without a lease for a while, and is its own heir."""
        taken = None if self.take is None else self.take.holding.get(job_id)
        return max(taken or 0, self.backlog.attempt(job_id) or 0) > attempt

    def _watch_ended(self, one: Settlement) -> None:
        """Breakers are with whoever scheduled a run: here, or with the scheduler that offered it."""
        if self.take is not None and one.run.job_id in self.take.holding:
            self._told[one.run.job_id] = told_of(one)
        else:
            self.watch.ended(one)

    def _over(self, job_ids: Collection[int], final: bool | None) -> None:
        """Runs are on record: whoever offered them wants to know. What was no longer held is not ours to tell of."""
        if self.take is not None and (taken := self.take.release(job_ids)):
            ended = [self._told.pop(job_id, None) or Ended(job_id, bool(final)) for job_id in taken]
            if final is not None:
                self.wake.ended(ended)
        if self.offers is not None and final is not None:
            self.offers.forget(job_ids)

    def _offers_over(self, refs: Sequence[JobRef]) -> None:
        self.pick.let_go(ref.id for ref in refs)
        self.signal()

    def _offer_ended(self, ref: JobRef, told: Ended) -> None:
        if told.failure is not None or (told.succeeded and self.gates.breaker(ref.flow) is not None):
            self.watch.outcome(ref.flow, told, self.clock.now())
        if not told.succeeded:
            self._look_again([ref])

    def _look_again(self, refs: Sequence[JobRef] | None) -> None:
        """Jobs came back that were taken to be in flight: find them where they are now."""
        if refs is None:
            self.due.look_everywhere()
        else:
            self.due.look_at([ref.flow for ref in refs])
            self.due.rewind(self.clock.now())
        self.signal()
