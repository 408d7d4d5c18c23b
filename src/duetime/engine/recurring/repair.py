"""Repair: gives schedules without a pending occurrence their next one.

It also replaces pending occurrences after a change of a calendar or of the time zone data.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib import metadata

import structlog

from duetime.clock.port import Clock
from duetime.engine.intake.wake import Wake
from duetime.engine.recurring.plan import EXCLUDED, Fold, fold_between, fold_left_out
from duetime.engine.recurring.timetables import Timetables, next_job, ranges
from duetime.engine.slices import Slices
from duetime.store.schedule_port import Replan, ScheduleRow, ScheduleStore
from duetime.timing.timetable import Occurrence

log = structlog.get_logger()
BATCH = 500
COUNTED = 2000
ZONES = "tzdata"


class ScheduleRepair:
    """Gives schedules the pending occurrence they should have. Several nodes may do it at once: the first one wins."""

    def __init__(
        self,
        store: ScheduleStore,
        clock: Clock,
        wake: Wake,
        timetables: Timetables | None = None,
        zones: str | None = None,
    ) -> None:
        self._store, self._clock, self._wake = store, clock, wake
        self._timetables = timetables or Timetables()
        self._zones = zones or metadata.version("tzdata")
        self._zones_known = False

    async def run_once(self) -> None:
        """Repair every schedule that needs it and, once after the start, follow new time zone data."""
        while await self._mint_missing():
            pass
        if not self._zones_known:
            await self._follow_zones()
            self._zones_known = True

    async def calendar_changed(self, calendar_id: int) -> None:
        """Recompute the schedules that use a calendar. On return no pending occurrence follows its former dates."""
        after = 0
        while rows := await self._store.of_calendar(calendar_id, after, BATCH):
            await self._recompute(rows)
            after = rows[-1].id

    async def _follow_zones(self) -> None:
        before = await self._store.fact(ZONES)
        if before == self._zones:
            return
        after, moved = 0, 0
        while rows := await self._store.every(after, BATCH):
            moved += await self._recompute(rows)
            after = rows[-1].id
        await self._store.remember(ZONES, self._zones)
        if before is not None:
            log.info("recomputed schedules with other time zone data", before=before, now=self._zones, moved=moved)

    async def _mint_missing(self) -> bool:
        """Repair one batch of schedules. Returns whether there may be more."""
        rows = await self._store.needing_repair(BATCH)
        replans: list[Replan] = []
        slices = Slices(self._clock)
        for row in rows:
            await slices.pause()
            known, fold = self._timetables.of(row), Fold()
            base = max(row.accounted_until or row.effective_from, row.effective_from)
            accounted = row.pending_nominal or base
            if known.leaves_out and base < accounted:
                await slices.finish(fold_left_out(known.timetable, base, accounted, fold))
            following = await slices.finish(known.timetable.search_after(max(base, accounted)))
            replans.append(_replan(row, following, fold, accounted=max(base, accounted)))
        done = await self._carry_out(replans)
        return bool(rows) and len(done) == len(rows) == BATCH

    async def _recompute(self, rows: Sequence[ScheduleRow]) -> int:
        """Replace pending occurrences that are not due yet. Schedules that minted meanwhile are tried again."""
        moved, slices = 0, Slices(self._clock)
        for _ in range(3):
            replans = [one for row in rows if (one := await self._moved(row, slices)) is not None]
            if not replans:
                return moved
            done = await self._carry_out(replans)
            moved += len(done)
            left = [one.next.schedule_id for one in replans if one.next.schedule_id not in done]
            if not left:
                return moved
            rows = [row for one in left for row in await self._store.every(one - 1, 1) if row.id == one]
        return moved

    async def _moved(self, row: ScheduleRow, slices: Slices) -> Replan | None:
        await slices.pause()
        now, timetable = self._clock.now(), self._timetables.of(row).timetable
        nominal = row.pending_nominal
        if row.pending_job is None or nominal is None:
            if row.state != "ended" or _spent(row):
                return None
            following = await slices.finish(timetable.search_after(now))
            return None if following is None else _replan(row, following, Fold(), accounted=row.accounted_until)
        if nominal <= now:
            return None
        base = max(row.accounted_until or row.effective_from, row.effective_from)
        following = await slices.finish(timetable.search_after(max(now, row.accounted_until or now)))
        if following is not None and following.nominal == nominal and _due(following) == row.pending_due:
            return None
        fold = Fold()
        await slices.finish(fold_between(timetable, base, now, EXCLUDED, fold, COUNTED))
        return _replan(row, following, fold, accounted=row.accounted_until, effective_from=now)

    async def _carry_out(self, replans: Sequence[Replan]) -> set[int]:
        if not replans:
            return set()
        done, refs = await self._store.replan(replans, self._clock.now())
        horizon = self._wake.horizon
        self._wake.stored([ref for ref in refs if ref.due_at <= horizon])
        return done


def _due(occurrence: Occurrence) -> datetime:
    return occurrence.run_at or occurrence.nominal


def _spent(row: ScheduleRow) -> bool:
    return row.max_occurrences is not None and row.occurrences >= row.max_occurrences


def _replan(
    row: ScheduleRow,
    following: Occurrence | None,
    fold: Fold,
    *,
    accounted: datetime | None,
    effective_from: datetime | None = None,
) -> Replan:
    moved = next_job(
        row,
        following,
        occurrences=row.occurrences,
        accounted_until=accounted,
        judged_until=row.judged_until,
        effective_from=effective_from or row.effective_from,
    )
    return Replan(row.user_id, row.version, row.pending_job, ranges(fold.skips()), moved)
