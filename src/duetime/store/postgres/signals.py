"""`SignalStore` on PostgreSQL."""

from __future__ import annotations

from duetime.postgres.pool import Pool
from duetime.store.postgres.queries import sql
from duetime.store.signal_port import ScheduleStanding, Standing, WorkerStanding


class PostgresSignals:
    """Counts along partial indexes, up to a bound."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def standing(self, most: int) -> Standing:
        """Returns how many dead letters and blocked lanes there are."""
        (row,) = await self._pool.rows(sql("signals.standing"), most)
        return Standing(min(most, row["dead_letters"] + row["blocked_lanes"]), row["blocked_lanes"])

    async def workers(self) -> WorkerStanding:
        """Returns how many workers live."""
        (row,) = await self._pool.rows(sql("signals.workers"))
        return WorkerStanding(row["active"], row["draining"], row["slots"], row["free"])

    async def schedules(self, limit: int) -> list[ScheduleStanding]:
        """Returns how the jobs of active schedules ended lately."""
        rows = await self._pool.rows(sql("signals.schedules"), limit)
        return [ScheduleStanding(row["user_id"], row["name"], row["last_success"], row["ends"]) for row in rows]
