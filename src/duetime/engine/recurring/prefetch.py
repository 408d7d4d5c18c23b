"""Prefetch: when the look-ahead reads occurrences, their schedules are read too, all at once, before they are due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog

from duetime.engine.recurring.cache import ScheduleCache
from duetime.model.errors import StoreAway
from duetime.store.port import DueStore, JobRef, Wanted
from duetime.store.schedule_port import MintStore

log = structlog.get_logger()


class SchedulePrefetch:
    """A `DueStore` that also caches the schedules of the occurrences that the look-ahead finds."""

    def __init__(self, store: DueStore, mint: MintStore, known: ScheduleCache, look_ahead: timedelta) -> None:
        self._store, self._mint, self._known, self._look_ahead = store, mint, known, look_ahead

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """Read ready jobs, as the store does, and cache the schedules of those that are not due yet."""
        page = await self._store.due(after, until, held, limit)
        now = until - self._look_ahead
        wanted = {ref.schedule_id for ref in page if ref.schedule_id and ref.due_at > now and self._is_new(ref)}
        if wanted:
            await self._read(list(wanted))
        return page

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """Returns the next jobs of flows. They are due already, so that the launch reads their schedules."""
        return await self._store.backlog(wanted, now, held)

    async def due_flows(self, now: datetime) -> list[int]:
        """Returns the flows with due jobs."""
        return await self._store.due_flows(now)

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """Returns the next lanes, each with its first job if that should be ready and is not."""
        return await self._store.sweep_lanes(after, limit)

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make the next jobs of lanes ready. Returns them."""
        return await self._store.promote(lanes)

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """Make the next jobs ready in those lanes that have jobs which are not. Returns them."""
        return await self._store.promote_waiting(lanes)

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Make jobs of lanes not ready."""
        await self._store.hold_back(refs)

    def _is_new(self, ref: JobRef) -> bool:
        """Whether a job can be a pending occurrence of a schedule that is not cached."""
        return not ref.attempt and ref.lane is None and self._known.of(ref) is None

    async def _read(self, ids: list[int]) -> None:
        try:
            found = await self._mint.to_launch(ids)
        except StoreAway:
            log.debug("schedules were not read ahead: their launch reads them", schedules=len(ids))
        else:
            self._known.keep(row for row, _ in found if row.state == "active")
