"""Cached schedules, as they were read ahead or minted: they need not be read when their occurrences come due.

The cache may be out of date: the store compares version, pending occurrence and calendar under its lock.
"""

from __future__ import annotations

from collections.abc import Iterable

from duetime.store.port import JobRef
from duetime.store.schedule_port import NextJob, ScheduleRow

REMEMBERED = 10_000
LONGEST = 4000
"""Characters of message, timing and calendar. A longer schedule is read each time, so that memory stays small."""


class ScheduleCache:
    """The schedules that were kept last, up to a number."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._rows: dict[int, ScheduleRow] = {}
        self._remembered = remembered

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, ref: JobRef) -> ScheduleRow | None:
        """Returns the schedule whose pending occurrence this is, as far as the cache knows."""
        row = self._rows.get(ref.schedule_id or 0)
        return row if row is not None and row.pending_job == ref.id and row.state == "active" else None

    def keep(self, rows: Iterable[ScheduleRow]) -> None:
        """Keep schedules in their present form. Those that were kept longest ago are forgotten."""
        for row in rows:
            self._rows.pop(row.id, None)
            if len(row.message) + len(row.spec) + len(row.calendar or "") <= LONGEST:
                self._rows[row.id] = row
        while len(self._rows) > self._remembered:
            del self._rows[next(iter(self._rows))]

    def forget(self, schedule_id: int) -> None:
        """Forget a schedule: it is read when it is next needed."""
        self._rows.pop(schedule_id, None)


def moved_on(row: ScheduleRow, following: NextJob, pending_job: int) -> ScheduleRow:
    """Returns the row of a schedule after its next occurrence was minted."""
    return row._replace(
        pending_job=pending_job,
        pending_nominal=following.nominal,
        pending_due=following.due_at,
        accounted_until=following.accounted_until,
        judged_until=following.judged_until,
        effective_from=following.effective_from,
        state=following.state,
        occurrences=following.occurrence - 1,
    )
