"""I11: one accepted result for each run, and the sink has answered every run that is recorded as succeeded."""

from __future__ import annotations

from collections import defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import Arrival, History

I11 = "I11"
GOOD = range(200, 300)


def check(history: History) -> Found:
    """Compare the recorded results with each other and with the sink's answers."""
    records = defaultdict[tuple[int, int], list[object]](list)
    for run in history.ended_runs:
        records[run.job_id, run.attempt].append(run)
    for job in history.ended_jobs:
        if job.launched_at is not None:
            records[job.job_id, job.attempts].append(job)
    for (job_id, attempt), found in records.items():
        if len(found) > 1:
            yield Violation(I11, f"Attempt {attempt} of job {job_id} has {len(found)} results.", tuple(found))
    arrivals = defaultdict[tuple[int, int], list[Arrival]](list)
    for arrival in history.arrivals:
        arrivals[arrival.job_id, arrival.attempt].append(arrival)
    to_sink = {asked.job_id for asked in history.asked if asked.to_sink}
    schedules = {one.schedule_id for one in history.recurring if one.to_sink}
    for job in history.ended_jobs:
        if job.state == "succeeded" and (job.job_id in to_sink or job.schedule_id in schedules):
            seen = arrivals[job.job_id, job.attempts]
            if not any(arrival.status in GOOD for arrival in seen if arrival.status is not None):
                yield Violation(
                    I11, f"Job {job.job_id} succeeded by the record; the sink says otherwise.", (job, *seen)
                )
