"""Memory of schedules: bounded, the latest of use, and only for the occurrence that is pending."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from duetime.engine.recurring.cache import LONGEST, ScheduleCache, moved_on
from duetime.store.port import JobRef
from duetime.store.schedule_port import NextJob, ScheduleColumns, ScheduleRow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
COLUMNS = ScheduleColumns("s", "{}", None, 1, 1, 1, "m", None, 5, None, None, None, "allow", None)


def row(number: int, pending: int = 1024, **more: Any) -> ScheduleRow:
    return COLUMNS.as_new(number, 1, NOW)._replace(pending_job=pending, **more)


def ref(number: int, job_id: int = 1024) -> JobRef:
    return JobRef(job_id, 1, 1, 5, NOW, 0, None, NOW, number)


def test_only_for_its_pending_occurrence() -> None:
    known = ScheduleCache()
    known.keep([row(1), row(2, state="paused")])
    assert known.of(ref(1)) == row(1)
    assert known.of(ref(1, 2048)) is None
    assert known.of(ref(2)) is None
    assert known.of(ref(3)) is None
    assert known.of(JobRef(1024, 1, 1, 5, NOW, 0, None, NOW)) is None
    known.forget(1)
    assert known.of(ref(1)) is None


def test_the_latest_of_use_stay() -> None:
    known = ScheduleCache(remembered=3)
    known.keep([row(1), row(2), row(3)])
    known.keep([row(1), row(4)])
    assert [number for number in range(1, 5) if known.of(ref(number))] == [1, 3, 4]
    assert len(known) == 3


def test_a_long_one_is_not_remembered_and_displaces_what_was() -> None:
    known = ScheduleCache()
    known.keep([row(1)])
    known.keep([row(1, message="x" * (LONGEST + 1))])
    assert len(known) == 0


def test_after_its_step_a_schedule_is_what_was_written() -> None:
    later = datetime(2026, 1, 2, tzinfo=UTC)
    following = NextJob(1, later, later, None, 3, "m", NOW, later, NOW, "active")
    moved = moved_on(row(1, version=7), following, 2048)
    assert moved == row(1, 2048, version=7)._replace(
        pending_nominal=later, pending_due=later, accounted_until=NOW, judged_until=later, occurrences=2
    )
