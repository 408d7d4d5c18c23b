"""`RetentionStore` in memory. Without the link: upkeep takes no part in the simulated faults."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from simulation.memory.tables import Tables


class MemoryRetention:
    """Days, keys and definitions."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def make_days(self, first: date, last: date) -> None:
        """Note that history has these days."""
        self._tables.days.update(first + timedelta(days=n) for n in range((last - first).days + 1))

    async def drop_days(self, before: date, logs_before: date | None = None) -> list[date]:
        """Drop what finished before a day."""
        tables = self._tables
        dropped = sorted(day for day in tables.days if day < before)
        tables.days.difference_update(dropped)
        tables.history[:] = [one for one in tables.history if one.finished_at.date() >= before]
        tables.runs[:] = [one for one in tables.runs if one.finished_at.date() >= before]
        return dropped

    async def fold_tallies(self) -> None:
        """Nothing to fold: counts are counted when asked for."""

    async def drop_keys(self, before: datetime, now: datetime, limit: int) -> int:
        """Forget old keys of finished jobs, the oldest first."""
        keys, times = self._tables.keys, self._tables.key_times
        old = sorted((at, key) for key, at in times.items() if at < before)[:limit]
        needed = [key for _, key in old if keys[key][0] in self._tables.jobs]
        times.update(dict.fromkeys(needed, now))
        for _, key in old:
            if key not in needed:
                del keys[key], times[key]
        return len(old) - len(needed)

    async def drop_definitions(self, before: date) -> int:
        """Remove old definitions that nothing refers to."""
        tables = self._tables
        used = {job.definition_id for job in tables.jobs.values()}
        used |= {one.job.definition_id for one in tables.history}
        used |= {one.row.definition_id for one in tables.schedules.values()}
        old = {number for number, day in tables.definition_days.items() if day < before} - used
        for key, number in list(tables.definition_ids.items()):
            if number in old:
                del tables.definition_ids[key], tables.definitions[number], tables.definition_days[number]
        return len(old)
