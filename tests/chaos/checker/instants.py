"""I2: every nominal instant of a schedule was launched, is waiting, or is recorded as skipped with a true reason."""

from __future__ import annotations

from collections import defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import EndedJob, History, OpenJob, Recurring

I2, I3 = "I2", "I3"
EXACT = 1e-5
"""Two instants closer than this are equal: the store keeps microseconds, and here seconds are floats."""


def check(history: History) -> Found:
    """Check each instant of each schedule that was not paused or deleted."""
    touched = {edit.schedule_id for edit in history.edited if edit.schedule_id is not None}
    ended, waiting = defaultdict[int, list[EndedJob]](list), defaultdict[int, list[OpenJob]](list)
    for job in history.ended_jobs:
        if job.schedule_id is not None:
            ended[job.schedule_id].append(job)
    for job in history.open_jobs:
        if job.schedule_id is not None:
            waiting[job.schedule_id].append(job)
    for schedule in history.recurring:
        if schedule.schedule_id not in touched:
            yield from _accounted(schedule, ended[schedule.schedule_id], waiting[schedule.schedule_id], history)


def _accounted(schedule: Recurring, ended: list[EndedJob], waiting: list[OpenJob], history: History) -> Found:
    """Each instant once, from the first one after the schedule's creation to the last one before the end."""
    name = f"Schedule {schedule.schedule_id}"
    seen: dict[int, object] = {}
    for job in [*ended, *waiting]:
        for number in _numbers(schedule, job):
            if number in seen and not (_folds(job) or _folds(seen[number])):
                yield Violation(I3, f"{name} has its instant {number} on record twice.", (seen[number], job))
            seen[number] = job
    first = _number(schedule, schedule.created_at, up=True)
    last = _number(schedule, history.healed_at or history.ended_at, up=False)
    if schedule.until is not None:
        last = min(last, _number(schedule, schedule.until, up=True) - 1)
    missing = [number for number in range(first, last + 1) if number not in seen]
    if missing and history.drained:
        instants = tuple(schedule.anchor + number * schedule.every for number in missing)
        yield Violation(I2, f"{name} has {len(missing)} instants of which nothing is known.", (schedule, instants))
    for job in ended:
        if job.state == "skipped":
            yield from _true_reason(name, job, ended, history)


def _true_reason(name: str, job: EndedJob, ended: list[EndedJob], history: History) -> Found:
    reason = job.reason or ""
    if not reason:
        yield Violation(I2, f"{name} skipped an instant without a reason.", (job,))
    elif reason.startswith("misfire") and job.finished_at + history.tolerance < job.execute_at:
        yield Violation(I2, f"{name} skipped an instant as missed before it had come.", (job,))
    elif reason.startswith("overlap"):
        # The store knows of an end only after it is recorded.
        others = [
            other
            for other in ended
            if other.launched_at is not None
            and other.execute_at < (job.covers_until or job.execute_at)
            and (other.recorded_at or other.finished_at) + history.tolerance >= job.execute_at
        ]
        if not others and history.drained:
            yield Violation(I2, f"{name} skipped an instant for an overlap that there was not.", (job,))


def _folds(job: object) -> bool:
    """A range with one reason may contain instants that have a record of their own."""
    return isinstance(job, EndedJob) and job.covers_until is not None


def _numbers(schedule: Recurring, job: EndedJob | OpenJob) -> range:
    first = _number(schedule, job.execute_at, up=False)
    until = job.covers_until if isinstance(job, EndedJob) else None
    return range(first, first + 1) if until is None else range(first, _number(schedule, until, up=False) + 1)


def _number(schedule: Recurring, at: float, *, up: bool) -> int:
    """The number of the schedule's instant at or after an instant, or of the one at or before it."""
    steps = (at - schedule.anchor) / schedule.every
    near = round(steps)
    if abs(steps - near) * schedule.every < EXACT:
        return near
    return int(steps // 1) + (1 if up else 0)
