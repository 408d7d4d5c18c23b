"""I16: after an acknowledged cancel, pause, delete or edit, no run starts with the old content."""

from __future__ import annotations

from collections import defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import Arrival, Edited, History

I16 = "I16"


def check(history: History) -> Found:
    """Compare acknowledged changes with what started after them."""
    arrivals = defaultdict[int, list[Arrival]](list)
    rescued = _rescued(history)
    for arrival in history.arrivals:
        if (arrival.job_id, arrival.attempt) not in rescued:
            arrivals[arrival.job_id].append(arrival)
    for edit in history.edited:
        if edit.answer != "ok":
            continue
        if edit.job_id is not None:
            yield from _of_job(edit, arrivals[edit.job_id], history)
        elif edit.kind in ("pause", "delete"):
            yield from _of_schedule(edit, history)


def _rescued(history: History) -> set[tuple[int, int]]:
    """Attempts that were settled because their executor seemed dead. If it was only paused, it may still send them."""
    gone = {(run.job_id, run.attempt) for run in history.ended_runs if run.launched_at and run.started_at is None}
    return gone | {
        (job.job_id, job.attempts) for job in history.ended_jobs if job.launched_at and job.started_at is None
    }


def _of_job(edit: Edited, arrivals: list[Arrival], history: History) -> Found:
    later = [arrival for arrival in arrivals if arrival.arrived > edit.answered_at]
    if edit.kind == "cancel" and edit.state == "cancelled":
        if later:
            yield Violation(
                I16, f"Job {edit.job_id} reached the sink after its cancel was acknowledged.", (edit, *later)
            )
        ended = [job for job in history.ended_jobs if job.job_id == edit.job_id and job.state != "cancelled"]
        if ended:
            yield Violation(I16, f"Job {edit.job_id} was cancelled, and ended otherwise.", (edit, *ended))
    newer = {
        other.message
        for other in history.edited
        if other.job_id == edit.job_id and other.answer != "refused" and other.asked_at > edit.asked_at
    }
    if edit.kind == "edit" and edit.message is not None:
        stale = [arrival for arrival in later if arrival.message != edit.message and arrival.message not in newer]
        if stale:
            yield Violation(I16, f"Job {edit.job_id} ran with what it was before its edit.", (edit, *stale))


def _of_schedule(edit: Edited, history: History) -> Found:
    """No occurrence of a paused or deleted schedule launches until the schedule is resumed."""
    resumed = [
        other.asked_at
        for other in history.edited
        if other.schedule_id == edit.schedule_id and other.kind == "resume" and other.asked_at > edit.answered_at
    ]
    until = min(resumed, default=float("inf"))
    first_launches = {launch.job_id: launch.at for launch in reversed(history.launched) if launch.attempt == 1}
    started = [
        job
        for job in history.ended_jobs
        if job.schedule_id == edit.schedule_id
        and job.launched_at is not None
        and edit.answered_at < first_launches.get(job.job_id, 0.0) < until
    ]
    if started:
        yield Violation(
            I16, f"Schedule {edit.schedule_id} started something while it was {edit.kind}d.", (edit, *started)
        )
