"""I9 and I10: at-least-once jobs run unless given up for a reason; at-most-once jobs run once or count as lost."""

from __future__ import annotations

from collections import Counter, defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import Asked, EndedJob, History

I9, I10 = "I9", "I10"


def at_least_once(history: History) -> Found:
    """Each at-least-once job reached the sink and ended, or used all its attempts."""
    reached = {arrival.job_id for arrival in history.arrivals}
    ended = {job.job_id: job for job in history.ended_jobs}
    blocked = {job.lane for job in history.open_jobs if job.state == "dead"}
    waiting = {job.job_id: job for job in history.open_jobs}
    for asked in history.asked:
        if asked.answer != "ok" or asked.job_id is None or asked.delivery != "at_least_once":
            continue
        job = ended.get(asked.job_id)
        if job is not None:
            yield from _ended_well(asked, job, reached)
            continue
        left = waiting.get(asked.job_id)
        if left is None or left.state == "dead" or not history.drained:
            continue
        if left.due_at <= history.healed_at and (left.lane is None or left.lane not in blocked):
            yield Violation(I9, f"Job {left.job_id} is due and was not run.", (asked, left))


def _ended_well(asked: Asked, job: EndedJob, reached: set[int]) -> Found:
    if job.state == "succeeded" and asked.to_sink and job.job_id not in reached:
        yield Violation(I9, f"Job {job.job_id} succeeded by the record, and never reached the sink.", (asked, job))
    if job.state == "lost":
        yield Violation(I9, f"Job {job.job_id} is at_least_once, and lost.", (asked, job))
    if job.state == "dead" and job.attempts < asked.max_attempts:
        yield Violation(I9, f"Job {job.job_id} was given up after {job.attempts} attempts.", (asked, job))


def at_most_once(history: History) -> Found:
    """An at-most-once job reached the sink at most once; a lost one was launched once and is recorded."""
    once = {asked.job_id for asked in history.asked if asked.delivery == "at_most_once" and asked.job_id is not None}
    once_schedules = {one.schedule_id for one in history.recurring if one.delivery == "at_most_once"}
    once |= {job.job_id for job in history.ended_jobs if job.schedule_id in once_schedules}
    arrivals = Counter(arrival.job_id for arrival in history.arrivals if arrival.job_id in once)
    for job_id, count in arrivals.items():
        if count > 1:
            seen = tuple(arrival for arrival in history.arrivals if arrival.job_id == job_id)
            yield Violation(I10, f"The sink saw the at_most_once job {job_id} {count} times.", seen)
    runs = defaultdict[int, list[object]](list)
    for run in history.ended_runs:
        if run.job_id in once:
            runs[run.job_id].append(run)
    for job_id, found in runs.items():
        yield Violation(I10, f"The at_most_once job {job_id} was tried again.", tuple(found))
    for job in history.ended_jobs:
        if job.job_id in once and job.attempts > 1:
            yield Violation(I10, f"The at_most_once job {job.job_id} had {job.attempts} attempts.", (job,))
    if history.drained:
        for job in history.open_jobs:
            if job.job_id in once and job.due_at <= history.healed_at and job.lane is None:
                yield Violation(I10, f"The at_most_once job {job.job_id} has neither run nor been lost.", (job,))
