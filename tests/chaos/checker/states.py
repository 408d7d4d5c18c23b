"""I8: the states of a job are a path of the transition table; there is one end, and it is final."""

from __future__ import annotations

from collections import Counter, defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import EndedRun, History

I8 = "I8"
ENDS = frozenset({"succeeded", "dead", "cancelled", "skipped", "lost"})
WAITS = frozenset({"created", "queued", "running", "suspended", "dead"})
"""A dead job that blocks its lane has the state dead, and waits for a person."""


def check(history: History) -> Found:
    """Ends are final, attempts are numbered without a gap, and no job is both open and ended."""
    for job_id, count in Counter(job.job_id for job in history.ended_jobs).items():
        if count > 1:
            rows = tuple(job for job in history.ended_jobs if job.job_id == job_id)
            yield Violation(I8, f"Job {job_id} ended {count} times.", rows)
    ended = {job.job_id: job for job in history.ended_jobs}
    for job in history.open_jobs:
        if job.job_id in ended:
            yield Violation(I8, f"Job {job.job_id} has ended and is open.", (ended[job.job_id], job))
        if job.state not in WAITS:
            yield Violation(I8, f"Job {job.job_id} is open in the state {job.state}.", (job,))
    runs = defaultdict[int, list[EndedRun]](list)
    for run in history.ended_runs:
        runs[run.job_id].append(run)
        if run.state != "failed":
            yield Violation(I8, f"Attempt {run.attempt} of job {run.job_id} was followed by another.", (run,))
    for job in history.ended_jobs:
        if job.state not in ENDS:
            yield Violation(I8, f"Job {job.job_id} ended in the state {job.state}, which is no end.", (job,))
        before = sorted(run.attempt for run in runs[job.job_id])
        expected = list(range(1, job.attempts if job.launched_at is not None else job.attempts + 1))
        if before != expected:
            sentence = f"Job {job.job_id} ended at attempt {job.attempts}, and the attempts before it are {before}."
            yield Violation(I8, sentence, (job, *runs[job.job_id]))
