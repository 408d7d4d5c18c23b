"""Mint: an occurrence is launched or skipped, and in the same transaction the schedule's next one is stored."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime

from msgspec import Struct

from duetime.engine.occurrence import Plan, Standing, plan
from duetime.engine.timetables import Timetables, expiry, lane_of, next_job, ranges, rendered
from duetime.engine.wake import Wake
from duetime.model.errors import Conflict, NotFound
from duetime.model.ids import NodeId
from duetime.model.schedule import Overlap
from duetime.store.port import DueStore, JobRef, LaunchedRow, LaunchStore
from duetime.store.port import Launch as Intent
from duetime.store.schedule_port import Launching, Minting, MintStore, ScheduleRow, SkippedRange

WORK = 5000
"""How many instants are looked at before what is planned goes to the store: no turn takes long."""


class MintedBatch(Struct):
    """What was launched, and what there is to tell once that is known everywhere here."""

    launched: set[int]
    next: list[JobRef]
    lanes: set[tuple[int, str]]


class Mint:
    """Launches occurrences. A job of a schedule that is not its pending occurrence is launched like any other."""

    def __init__(
        self,
        store: MintStore,
        launches: LaunchStore,
        lanes: DueStore,
        wake: Wake,
        cancel: Callable[[int, int], Awaitable[object]],
        timetables: Timetables | None = None,
    ) -> None:
        self._store, self._launches, self._lanes, self._wake = store, launches, lanes, wake
        self._cancel = cancel
        self._timetables = timetables or Timetables()

    async def launch(self, node: NodeId, now: datetime, occurrences: Sequence[Intent]) -> MintedBatch:
        """Launch, skip or fold occurrences and mint the next of each schedule."""
        batch = MintedBatch(set(), [], set())
        found = await self._store.to_launch(list({intent.ref.schedule_id or 0 for intent in occurrences}))
        schedules = {row.id: (row, overlapping) for row, overlapping in found}
        plain: list[Intent] = []
        unsure: set[int] = set()
        planned: dict[int, tuple[Minting, ScheduleRow, list[int]]] = {}
        work = 0
        for intent in occurrences:
            row, overlapping = schedules.get(intent.ref.schedule_id or 0, (None, []))
            if row is None or row.state != "active" or row.pending_job != intent.ref.id:
                plain.append(intent)
                if intent.ref.lane is None and (row is None or lane_of(row.id, row.ordering_key, row.overlap)):
                    unsure.add(intent.ref.id)
                continue
            minting = self._plan(intent, row, len(overlapping), now)
            planned[intent.ref.id] = (minting, row, overlapping)
            work += sum(skip.count or WORK for skip in minting.skips) + (minting.own_skip is not None)
            if work >= WORK:
                await self._carry_out(node, now, planned, batch)
                planned, work = {}, 0
        if planned:
            await self._carry_out(node, now, planned, batch)
        if plain:
            rows = await self._launches.launch(node, now, plain)
            batch.launched |= {row.id for row in rows} - await self._out_of_lane(node, now, unsure, rows)
        return batch

    async def tell(self, batch: MintedBatch) -> None:
        """Offer what is next. After the launched ones have left the backlog, or they would be taken for repeats."""
        horizon = self._wake.horizon
        self._wake.stored([ref for ref in batch.next if ref.due_at <= horizon])
        if batch.lanes:
            self._wake.stored(await self._lanes.promote(list(batch.lanes)))

    async def _out_of_lane(
        self, node: NodeId, now: datetime, unsure: Collection[int], rows: Sequence[LaunchedRow]
    ) -> set[int]:
        """Take back what was launched as if it had no lane and is in one by now: it has to wait for its turn.

        A pending occurrence enters its lane when its time has come; a reference from before does not know it.
        """
        wrong = {row.id for row in rows if row.lane is not None and row.id in unsure}
        if wrong:
            await self._launches.unlaunch(node, list(wrong), now)
        return wrong

    def _plan(self, intent: Intent, row: ScheduleRow, overlapping: int, now: datetime) -> Minting:
        ref, known = intent.ref, self._timetables.of(row)
        overlap: Overlap = row.overlap  # type: ignore[assignment]
        nominal = row.pending_nominal or ref.execute_at
        standing = Standing(
            nominal=nominal,
            due=ref.due_at,
            effective_from=row.effective_from,
            accounted_until=row.accounted_until,
            judged_until=row.judged_until,
            occurrences=row.occurrences,
            overlapping=overlapping,
        )
        made = plan(
            known.timetable,
            standing,
            now,
            misfire=known.misfire,
            overlap=overlap,
            max_occurrences=row.max_occurrences,
            leaves_out=known.leaves_out,
        )
        skips = ranges(made.skips)
        own = None if made.launch is not None else _own(skips, nominal)
        return Minting(
            job_id=ref.id,
            user_id=ref.user_id,
            term=intent.term,
            version=row.version,
            launch=_launching(row, made, nominal, ref.due_at),
            own_skip=own,
            skips=tuple(skip for skip in skips if skip is not own),
            next=next_job(
                row,
                made.next,
                occurrences=row.occurrences + (made.launch is not None),
                accounted_until=made.accounted_until,
                judged_until=made.judged_until,
                effective_from=row.effective_from,
            ),
        )

    async def _carry_out(
        self,
        node: NodeId,
        now: datetime,
        planned: dict[int, tuple[Minting, ScheduleRow, list[int]]],
        batch: MintedBatch,
    ) -> None:
        minted = await self._store.mint(node, now, [minting for minting, _, _ in planned.values()])
        batch.launched |= minted.launched
        batch.next += minted.next
        for job_id in minted.queued:
            minting = planned[job_id][0]
            if minting.launch and minting.launch.lane:
                batch.lanes.add((minting.user_id, minting.launch.lane))
        for job_id in minted.launched | minted.queued:
            _, row, overlapping = planned[job_id]
            if overlapping and row.overlap == "cancel_running":
                await self._stop(row.user_id, overlapping)

    async def _stop(self, user_id: int, job_ids: list[int]) -> None:
        for job_id in job_ids:
            try:
                await self._cancel(user_id, job_id)
            except (Conflict, NotFound):
                continue


def _own(skips: tuple[SkippedRange, ...], nominal: datetime) -> SkippedRange:
    """The record that the pending job itself becomes: the one that starts with it, else one that covers it."""
    covering = [skip for skip in skips if skip.first <= nominal <= skip.last]
    return next((skip for skip in covering if skip.first == nominal), covering[0])


def _launching(row: ScheduleRow, made: Plan, nominal: datetime, due_at: datetime) -> Launching | None:
    if made.launch is None:
        return None
    at, number = made.launch, row.occurrences + 1
    due, moved = at.run_at or at.nominal, at.nominal != nominal
    minted = rendered(row.message, nominal=nominal, occurrence=number, schedule=row.name)
    return Launching(
        execute_at=at.nominal,
        due_at=due,
        expires_at=expiry(due, row.expires_after),
        message=rendered(row.message, nominal=at.nominal, occurrence=number, schedule=row.name) if moved else minted,
        lane=lane_of(row.id, row.ordering_key, row.overlap),
        moved=moved,
        minted_message=minted,
        minted_expires_at=expiry(row.pending_due or due_at, row.expires_after),
    )
