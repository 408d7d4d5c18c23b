"""Schedules that need no reading when their occurrences come due: as they were read ahead, or as they were minted.

What is known here may be out of date: the store compares version, pending occurrence and calendar under its lock.
"""

from __future__ import annotations

from collections.abc import Iterable

from duetime.store.port import JobRef
from duetime.store.schedule_port import NextJob, ScheduleRow

REMEMBERED = 10_000
LONGEST = 4000
"""Characters of message, timing and calendar; a schedule with more is read each time, so that memory stays small."""


class ScheduleCache:
    """The schedules that were last of use."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._rows: dict[int, ScheduleRow] = {}
        self._remembered = remembered

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, ref: JobRef) -> ScheduleRow | None:
        """The schedule whose pending occurrence this is, by all that is known."""
        row = self._rows.get(ref.schedule_id or 0)
        return row if row is not None and row.pending_job == ref.id and row.state == "active" else None

    def keep(self, rows: Iterable[ScheduleRow]) -> None:
        """Remember schedules as they are; those that were of no use for the longest are forgotten."""
        for row in rows:
            self._rows.pop(row.id, None)
            if len(row.message) + len(row.spec) + len(row.calendar or "") <= LONGEST:
                self._rows[row.id] = row
        while len(self._rows) > self._remembered:
            del self._rows[next(iter(self._rows))]

    def forget(self, schedule_id: int) -> None:
        """Read this one when it is next needed."""
        self._rows.pop(schedule_id, None)


def moved_on(row: ScheduleRow, following: NextJob, pending_job: int) -> ScheduleRow:
    """The row of a schedule after its step: what was written."""
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
