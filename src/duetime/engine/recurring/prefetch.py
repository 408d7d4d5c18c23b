"""Read ahead: when occurrences come into sight, their schedules are read too, all at once, before they are due."""

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
    """A `DueStore` that makes the schedules known whose occurrences the look-ahead finds."""

    def __init__(self, store: DueStore, mint: MintStore, known: ScheduleCache, look_ahead: timedelta) -> None:
        self._store, self._mint, self._known, self._look_ahead = store, mint, known, look_ahead

    async def due(self, after: tuple[datetime, int], until: datetime, held: Sequence[bool], limit: int) -> list[JobRef]:
        """The look-ahead."""
        page = await self._store.due(after, until, held, limit)
        now = until - self._look_ahead
        wanted = {ref.schedule_id for ref in page if ref.schedule_id and ref.due_at > now and self._is_new(ref)}
        if wanted:
            await self._read(list(wanted))
        return page

    async def backlog(self, wanted: Sequence[Wanted], now: datetime, held: Sequence[bool]) -> list[JobRef]:
        """What is next in queues. It is due already: whoever launches it reads its schedules."""
        return await self._store.backlog(wanted, now, held)

    async def due_flows(self, now: datetime) -> list[int]:
        """Queues with something due."""
        return await self._store.due_flows(now)

    async def sweep_lanes(self, after: tuple[int, str], limit: int) -> list[tuple[int, str, int | None]]:
        """The next lanes, each with its head if that was left behind."""
        return await self._store.sweep_lanes(after, limit)

    async def promote(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes, made ready."""
        return await self._store.promote(lanes)

    async def promote_waiting(self, lanes: Sequence[tuple[int, str]]) -> list[JobRef]:
        """What is next in lanes that somebody waits in."""
        return await self._store.promote_waiting(lanes)

    async def hold_back(self, refs: Sequence[JobRef]) -> None:
        """Ready no longer."""
        await self._store.hold_back(refs)

    def _is_new(self, ref: JobRef) -> bool:
        """Whether it can be a pending occurrence, and of a schedule that is not known."""
        return not ref.attempt and ref.lane is None and self._known.of(ref) is None

    async def _read(self, ids: list[int]) -> None:
        try:
            found = await self._mint.to_launch(ids)
        except StoreAway:
            log.debug("schedules are read when their occurrences are launched", schedules=len(ids))
        else:
            self._known.keep(row for row, _ in found if row.state == "active")
