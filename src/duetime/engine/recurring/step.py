"""Step: the plan for a pending occurrence, in the form that the store expects. Pure."""

from __future__ import annotations

from datetime import datetime

from duetime.engine.recurring.plan import Plan, ScheduleProgress, plan_steps
from duetime.engine.recurring.timetables import CompiledSchedule, expiry, lane_of, next_job, ranges, rendered
from duetime.model.schedule import Overlap
from duetime.store.port import LaunchIntent
from duetime.store.schedule_port import Launching, Minting, ScheduleRow, SkippedRange
from duetime.timing.slices import Steps


def planning(
    intent: LaunchIntent, row: ScheduleRow, known: CompiledSchedule, now: datetime, overlapping: int | None
) -> Steps[Minting]:
    """Returns the step of a schedule whose pending occurrence has come due, computed in slices.

    `overlapping` is the number of unfinished earlier occurrences. None: it was not read, and the plan assumes none.
    """
    ref = intent.ref
    overlap: Overlap = row.overlap  # type: ignore[assignment]
    nominal = row.pending_nominal or ref.execute_at
    progress = ScheduleProgress(
        nominal=nominal,
        due=ref.due_at,
        effective_from=row.effective_from,
        accounted_until=row.accounted_until,
        judged_until=row.judged_until,
        occurrences=row.occurrences,
        overlapping=overlapping or 0,
    )
    made = yield from plan_steps(
        known.timetable,
        progress,
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
        calendar_version=row.calendar_version,
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
        alone=overlapping is None and overlap != "allow",
    )


def planned_in_one_slice(steps: Steps[Minting]) -> Minting | None:
    """Returns the step if its computation takes one slice only, as nearly all do; else None."""
    try:
        next(steps)
    except StopIteration as done:
        return done.value
    return None


def _own(skips: tuple[SkippedRange, ...], nominal: datetime) -> SkippedRange:
    """Returns the record that the pending job becomes: the range that starts with it, else one that covers it."""
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
