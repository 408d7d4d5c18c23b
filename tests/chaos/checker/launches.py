"""I3 and I4: an attempt is launched once, has a cause, and is never early."""

from __future__ import annotations

from collections import Counter, defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import Arrival, History

I3, I4 = "I3", "I4"


def once(history: History) -> Found:
    """One arrival for each run id, one record for each attempt, one job for each nominal instant."""
    by_run = defaultdict[str, list[Arrival]](list)
    for arrival in history.arrivals:
        by_run[arrival.run_id].append(arrival)
    for run_id, arrivals in by_run.items():
        if len(arrivals) > 1:
            yield Violation(I3, f"Run {run_id} reached the sink {len(arrivals)} times.", (*arrivals,))
    keys, moved = defaultdict[int, set[str]](set), _moved(history)
    for arrival in history.arrivals:
        keys[arrival.job_id].add(arrival.key)
    for job_id, given in keys.items():
        if len(given) > 1 and job_id not in moved:
            yield Violation(I3, f"Job {job_id} showed the sink {len(given)} idempotency keys.", (*sorted(given),))
    nominal = Counter(
        (job.schedule_id, job.execute_at)
        for job in (*history.ended_jobs, *history.open_jobs)
        if job.schedule_id is not None and getattr(job, "covers_until", None) is None
    )
    for (schedule_id, at), count in nominal.items():
        if count > 1:
            yield Violation(I3, f"Schedule {schedule_id} has {count} jobs for the instant {at}.")


def _moved(history: History) -> set[int | None]:
    return {edit.job_id for edit in history.edited if edit.kind == "edit"}


def never_early(history: History) -> Found:
    """Every launch has its cause, and neither the record nor the sink shows it before its due instant."""
    stored = {job.job_id: job for job in (*history.ended_jobs, *history.open_jobs)}
    moved = _moved(history)
    for arrival in history.arrivals:
        job = stored.get(arrival.job_id)
        if job is None:
            yield Violation(I4, f"The sink saw job {arrival.job_id}, which the store does not know.", (arrival,))
        elif arrival.attempt > job.attempts and history.drained:
            yield Violation(
                I4, f"The sink saw attempt {arrival.attempt} of job {job.job_id}: too many.", (arrival, job)
            )
        elif arrival.arrived < job.execute_at and job.job_id not in moved:
            yield Violation(I4, f"Job {job.job_id} reached the sink before its instant.", (arrival, job))
    asked = {one.job_id: one for one in history.asked if one.job_id is not None}
    for job in history.ended_jobs:
        if job.launched_at is not None and job.launched_at < job.due_at:
            yield Violation(I4, f"Job {job.job_id} was launched before it was due.", (job,))
        wanted = asked.get(job.job_id)
        if wanted is None or wanted.execute_at is None or job.launched_at is None or job.job_id in moved:
            continue
        if job.launched_at < wanted.execute_at:
            yield Violation(I4, f"Job {job.job_id} was launched before the instant asked for.", (wanted, job))
    for run in history.ended_runs:
        if run.launched_at is not None and run.launched_at < run.due_at:
            yield Violation(I4, f"Attempt {run.attempt} of job {run.job_id} was launched before it was due.", (run,))
    yield from _by_the_stores_own_clock(history, moved)


def _by_the_stores_own_clock(history: History, moved: set[int | None]) -> Found:
    """Nodes record when they launch, and so does the store, whose clock decides.

    Of an attempt that was launched twice, the last launch stands. The one before was withdrawn: an occurrence that may
    not run beside an earlier one is locked and released in one transaction, and can be for a later instant after that.
    """
    due = {(run.job_id, run.attempt): run.due_at for run in history.ended_runs}
    due |= {(job.job_id, job.attempts): job.due_at for job in history.ended_jobs if job.launched_at is not None}
    last = {(one.job_id, one.attempt): one for one in sorted(history.launched, key=lambda one: one.order)}
    for launch in last.values():
        at = due.get((launch.job_id, launch.attempt))
        if at is not None and launch.at < at and launch.job_id not in moved:
            sentence = f"Attempt {launch.attempt} of job {launch.job_id} was launched early by the store's own clock."
            all_launches = (one for one in history.launched if one.job_id == launch.job_id)
            yield Violation(I4, sentence, (launch, at, *all_launches, *_records(history, launch.job_id)))


def _records(history: History, job_id: int) -> list[object]:
    stored = (*history.ended_runs, *history.ended_jobs, *history.open_jobs, *history.arrivals)
    return [one for one in stored if one.job_id == job_id]
