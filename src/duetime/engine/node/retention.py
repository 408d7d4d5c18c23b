"""Retention: makes days of history in advance, folds counts, and drops old days, keys and definitions."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import structlog

from duetime.clock.port import Clock
from duetime.store.port import RetentionStore
from duetime.store.workflow_port import WorkflowStore

log = structlog.get_logger()
AHEAD = timedelta(days=2)
KEYS_FOR = timedelta(days=7)
KEYS_AT_ONCE = 5000
WORKFLOWS_AT_ONCE = 500
FOLD_EVERY = timedelta(seconds=15)


class Retention:
    """Keeps the store in shape. Any node may do it, and several at once do no harm."""

    def __init__(
        self,
        store: RetentionStore,
        clock: Clock,
        days: int,
        log_days: int | None = None,
        workflows: WorkflowStore | None = None,
    ) -> None:
        """`log_days`: how long logs are kept, if that is shorter."""
        self._store, self._clock, self._days, self._log_days = store, clock, days, log_days or days
        self._workflows = workflows
        self._made_until: date | None = None
        self._cleaned_on: date | None = None
        self._folded_at: datetime | None = None

    async def run_once(self) -> None:
        """Do whatever is due."""
        now = self._clock.now()
        today = now.date()
        if self._made_until is None or today + timedelta(days=1) > self._made_until:
            await self._store.make_days(today - timedelta(days=1), today + AHEAD)
            self._made_until = today + AHEAD
        if self._folded_at is None or now - self._folded_at >= FOLD_EVERY:
            await self._store.fold_tallies()
            await self._store.drop_keys(now - KEYS_FOR, now, KEYS_AT_ONCE)
            self._folded_at = now
        if self._cleaned_on != today:
            await self._clean(today)
            self._cleaned_on = today

    async def _clean(self, today: date) -> None:
        oldest = today - timedelta(days=self._days)
        if self._workflows is not None:
            ended_before = datetime.combine(oldest, time(), UTC)
            while await self._workflows.drop(ended_before, WORKFLOWS_AT_ONCE) == WORKFLOWS_AT_ONCE:
                pass
        dropped = await self._store.drop_days(oldest, today - timedelta(days=self._log_days))
        definitions = await self._store.drop_definitions(oldest)
        if dropped or definitions:
            log.info("dropped data past retention", days=[str(day) for day in dropped], definitions=definitions)
