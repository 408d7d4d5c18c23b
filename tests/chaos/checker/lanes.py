"""I12: runs of a lane never overlap, and follow the lane order."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import inf

from chaos.checker.violation import Found, Violation
from chaos.history import Arrival, EndedJob, History

I12 = "I12"


def check(history: History) -> Found:
    """Compare the runs whose result was accepted, by the sink's one clock.

    A run whose executor seemed dead may reach the sink late. Its result does not count; `zombies` counts such runs.
    """
    jobs = {job.job_id: job for job in history.ended_jobs if job.lane is not None}
    accepted = accepted_runs(history)
    answered = {asked.job_id: asked.answered_at for asked in history.asked if asked.job_id is not None}
    unknown = {asked.message for asked in history.asked if asked.answer != "ok"}
    answered |= {job_id: inf for job_id, job in jobs.items() if job.message in unknown}
    launched = {(run.job_id, run.attempt): run.launched_at or 0.0 for run in history.ended_runs}
    launched |= {(job.job_id, job.attempts): job.launched_at or 0.0 for job in history.ended_jobs}
    moved = {edit.job_id for edit in history.edited if edit.kind == "edit"}
    lanes = defaultdict[str, list[Arrival]](list)
    for arrival in history.arrivals:
        job = jobs.get(arrival.job_id)
        if job is not None and job.lane is not None and (arrival.job_id, arrival.attempt) in accepted:
            lanes[job.lane].append(arrival)
    for lane, arrivals in lanes.items():
        arrivals.sort(key=lambda one: one.arrived)
        yield from _one_at_a_time(lane, arrivals)
        yield from _in_order(lane, arrivals, jobs, answered, launched, moved)


def accepted_runs(history: History) -> set[tuple[int, int]]:
    """The attempts that their own executor settled."""
    accepted = {(run.job_id, run.attempt) for run in history.ended_runs if run.started_at is not None}
    return accepted | {(job.job_id, job.attempts) for job in history.ended_jobs if job.started_at is not None}


def zombies(history: History) -> list[Arrival]:
    """Requests of runs that their own executor did not settle."""
    accepted = accepted_runs(history)
    return [arrival for arrival in history.arrivals if (arrival.job_id, arrival.attempt) not in accepted]


def _one_at_a_time(lane: str, arrivals: list[Arrival]) -> Found:
    for before, after in pairwise(arrivals):
        if before.ended is not None and after.arrived < before.ended:
            yield Violation(I12, f"Lane {lane!r} ran two at once.", (before, after))


def _in_order(
    lane: str,
    arrivals: list[Arrival],
    jobs: dict[int, EndedJob],
    answered: dict[int, float],
    launched: dict[tuple[int, int], float],
    moved: set[int | None],
) -> Found:
    """Check the order by due instant, then by id: a later job waits until the earlier one has ended.

    A job that was acknowledged after another one was launched may follow it, whatever its instant. The same holds for
    a job that was never acknowledged, because it is unknown when it was stored.
    """
    last = {arrival.job_id: arrival for arrival in arrivals}
    for now, then in pairwise(arrivals):
        one, other = now.job_id, then.job_id
        if one == other or one in moved or other in moved:
            continue
        before, after = jobs[one], jobs[other]
        if (after.execute_at, other) > (before.execute_at, one):
            if last[one] is not now:
                yield Violation(I12, f"Lane {lane!r} went on before job {one} was done.", (now, then, last[one]))
        elif answered.get(other, 0.0) < launched.get((one, now.attempt), 0.0):
            yield Violation(I12, f"Lane {lane!r} is out of order.", (now, before, then, after))
