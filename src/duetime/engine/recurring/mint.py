"""Mint: launches or skips an occurrence, and stores the schedule's next one in the same transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.engine.asking.control import Control
from duetime.engine.events import Events
from duetime.engine.intake.wake import Wake
from duetime.engine.recurring.cache import ScheduleCache, moved_on
from duetime.engine.recurring.step import planned_in_one_slice, planning
from duetime.engine.recurring.timetables import Timetables, lane_of, skipped
from duetime.engine.settling.ends import Ends
from duetime.engine.slices import Slices
from duetime.metrics.counts import Counts
from duetime.model.errors import Conflict, NotFound
from duetime.model.events import InstantsSkipped, JobEnded
from duetime.model.ids import NodeId
from duetime.model.states import JobState
from duetime.store.port import DueStore, JobRef, LaunchedRow, LaunchIntent, LaunchStore
from duetime.store.schedule_port import Minted, Minting, MintStore, ScheduleRow

WORK = 5000
"""After planning this many skipped instants, the plans are carried out, so that no transaction takes long."""
TRIES = 3
"""How often a schedule that changes while it is planned is planned again. Then it is left to the look-ahead."""


class MintedBatch(Struct):
    """What was launched, and what `announce` reports once the launched jobs have left the backlog."""

    rows: list[LaunchedRow]
    next: list[JobRef]
    lanes: set[tuple[int, str]]

    @property
    def launched(self) -> set[int]:
        """The ids launched."""
        return {row.id for row in self.rows}


class Step(NamedTuple):
    """The plan for a pending occurrence, with the schedule that it was planned with."""

    intent: LaunchIntent
    minting: Minting
    row: ScheduleRow
    overlapping: list[int]


class Mint:
    """Launches occurrences. A job of a schedule that is not its pending occurrence is launched like any other.

    Occurrences that launch unchanged, of cached schedules, take one statement. For all others the schedules are read,
    and planned again.
    """

    def __init__(
        self,
        store: MintStore,
        launches: LaunchStore,
        lanes: DueStore,
        wake: Wake,
        control: Control,
        ends: Ends,
        events: Events,
        clock: Clock,
        counts: Counts,
        timetables: Timetables | None = None,
        known: ScheduleCache | None = None,
    ) -> None:
        self._store, self._launches, self._lanes, self._wake = store, launches, lanes, wake
        self._control, self._ends, self._events, self._clock, self._counts = control, ends, events, clock, counts
        self._timetables = timetables or Timetables()
        self._known = ScheduleCache() if known is None else known

    async def launch(self, node: NodeId, now: datetime, occurrences: Sequence[LaunchIntent]) -> MintedBatch:
        """Launch, skip or fold occurrences, and mint the next one of each schedule."""
        batch = MintedBatch([], [], set())
        unread = await self._launch_cached(node, now, occurrences, batch)
        for _ in range(TRIES):
            if not unread:
                break
            unread = await self._launch_read(node, now, unread, batch)
        return batch

    async def announce(self, batch: MintedBatch) -> None:
        """Wake the owners of the next jobs.

        The launched jobs must have left the backlog before: otherwise it takes the next ones for repeats.
        """
        horizon = self._wake.horizon
        self._wake.stored([ref for ref in batch.next if ref.due_at <= horizon])
        if batch.lanes:
            self._wake.stored(await self._lanes.promote(list(batch.lanes)))

    async def _launch_cached(
        self, node: NodeId, now: datetime, occurrences: Sequence[LaunchIntent], batch: MintedBatch
    ) -> list[LaunchIntent]:
        """Launch occurrences that the cache shows as unchanged. Returns the others, and those that did not launch."""
        steps: dict[int, Step] = {}
        others: list[LaunchIntent] = []
        slices = Slices(self._clock)
        for intent in occurrences:
            row = self._known.of(intent.ref)
            if row is None:
                others.append(intent)
                continue
            minting = planned_in_one_slice(planning(intent, row, self._timetables.of(row), now, None))
            if minting is None or not minting.unchanged:
                others.append(intent)
            else:
                steps[intent.ref.id] = Step(intent, minting, row, [])
            await slices.pause()
        if steps:
            minted = await self._store.launch_and_mint(node, now, [step.minting for step in steps.values()])
            self._note(steps, minted, batch)
            others += [step.intent for step in _outdated(steps, minted) + [steps[one] for one in minted.deferred]]
        return others

    async def _launch_read(
        self, node: NodeId, now: datetime, occurrences: Sequence[LaunchIntent], batch: MintedBatch
    ) -> list[LaunchIntent]:
        """Read schedules, plan and carry out. Returns the occurrences whose schedules have changed meanwhile."""
        found = await self._store.to_launch(list({intent.ref.schedule_id or 0 for intent in occurrences}))
        schedules = {row.id: (row, overlapping) for row, overlapping in found}
        plain: list[LaunchIntent] = []
        maybe_in_lane: set[int] = set()
        again: list[LaunchIntent] = []
        steps: dict[int, Step] = {}
        work, slices = 0, Slices(self._clock)
        for intent in occurrences:
            row, overlapping = schedules.get(intent.ref.schedule_id or 0, (None, []))
            if row is None or row.state != "active" or row.pending_job != intent.ref.id:
                plain.append(intent)
                if intent.ref.lane is None and (row is None or lane_of(row.id, row.ordering_key, row.overlap)):
                    maybe_in_lane.add(intent.ref.id)
                continue
            planned = planning(intent, row, self._timetables.of(row), now, len(overlapping))
            minting = await slices.finish(planned)
            await slices.pause()
            steps[intent.ref.id] = Step(intent, minting, row, overlapping)
            work += sum(skip.count or WORK for skip in minting.skips) + (minting.own_skip is not None)
            if work >= WORK:
                again += await self._carry_out(node, now, steps, batch)
                steps, work = {}, 0
        if steps:
            again += await self._carry_out(node, now, steps, batch)
        if plain:
            rows, gone = await self._launches.launch(node, now, plain)
            if gone:
                await self._ends.by_taking_back(node, gone, now)
            wrong = await self._out_of_lane(node, now, maybe_in_lane, rows)
            batch.rows += [row for row in rows if row.id not in wrong]
        return again

    async def _out_of_lane(
        self, node: NodeId, now: datetime, maybe_in_lane: Collection[int], rows: Sequence[LaunchedRow]
    ) -> set[int]:
        """Withdraw launches of jobs that are in a lane although their references have none: they wait in lane order.

        A pending occurrence enters its lane when its time has come; an older reference does not show the lane.
        Returns the withdrawn jobs.
        """
        wrong = {row.id for row in rows if row.lane is not None and row.id in maybe_in_lane}
        if wrong:
            await self._ends.by_taking_back(node, list(wrong), now)
        return wrong

    async def _carry_out(
        self, node: NodeId, now: datetime, steps: dict[int, Step], batch: MintedBatch
    ) -> list[LaunchIntent]:
        """Carry out plans: plain ones in one statement, the rest in a transaction. Returns what to plan again."""
        quick = {job_id: step for job_id, step in steps.items() if _is_plain(step)}
        slow = {job_id: step for job_id, step in steps.items() if job_id not in quick}
        again: list[Step] = []
        if quick:
            minted = await self._store.launch_and_mint(node, now, [step.minting for step in quick.values()])
            self._note(quick, minted, batch)
            await self._stop_earlier(quick, minted)
            again += _outdated(quick, minted)
            slow |= {job_id: quick[job_id] for job_id in minted.deferred}
        if slow:
            minted = await self._store.mint(node, now, [step.minting for step in slow.values()])
            self._note(slow, minted, batch)
            self._publish(now, [step.minting for step in slow.values() if step.row.id in minted.moved])
            await self._stop_earlier(slow, minted)
            again += _outdated(slow, minted)
        return [step.intent for step in again]

    def _note(self, steps: dict[int, Step], minted: Minted, batch: MintedBatch) -> None:
        """Add to the batch what was launched and minted, and keep the schedules in the cache as they are now."""
        batch.rows += minted.rows
        batch.next += minted.next
        self._counts.minted += len(minted.next)
        for job_id in minted.queued:
            launch = steps[job_id].minting.launch
            if launch and launch.lane:
                batch.lanes.add((steps[job_id].minting.user_id, launch.lane))
        following = {ref.schedule_id: ref.id for ref in minted.next}
        for _, minting, row, _ in steps.values():
            pending = following.get(row.id)
            if pending is None:
                self._known.forget(row.id)
            else:
                self._known.keep([moved_on(row, minting.next, pending)])

    def _publish(self, now: datetime, mintings: Sequence[Minting]) -> None:
        """Publish events for what carried-out plans have skipped: pending occurrences, and ranges of instants."""
        ends = [(one, one.own_skip) for one in mintings if one.own_skip is not None]
        self._ends.skipped(
            [
                JobEnded(one.job_id, one.user_id, JobState.SKIPPED, 0, None, now, skip.reason, one.next.schedule_id)
                for one, skip in ends
            ]
        )
        skips = [skipped(one.next.schedule_id, one.user_id, skip) for one in mintings for skip in one.skips]
        self._counts.instants_skipped(skips)
        self._events.publish(InstantsSkipped, skips)

    async def _stop_earlier(self, steps: dict[int, Step], minted: Minted) -> None:
        for job_id in minted.launched | minted.queued:
            _, _, row, overlapping = steps[job_id]
            if overlapping and row.overlap == "cancel_running":
                await self._stop(row.user_id, overlapping)

    async def _stop(self, user_id: int, job_ids: list[int]) -> None:
        for job_id in job_ids:
            try:
                await self._control.cancel(user_id, job_id, user_id)
            except (Conflict, NotFound):
                continue


def _is_plain(step: Step) -> bool:
    """Whether an occurrence can launch unchanged. It cannot in a lane that holds an earlier occurrence."""
    launch = step.minting.launch
    return step.minting.unchanged and launch is not None and not (launch.lane and step.overlapping)


def _outdated(steps: dict[int, Step], minted: Minted) -> list[Step]:
    if not minted.outdated:
        return []
    return [step for step in steps.values() if step.row.id in minted.outdated]
