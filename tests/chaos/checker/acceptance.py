"""I1: an acknowledged job exists at the end, with the acknowledged content; an unknown one may exist or not."""

from __future__ import annotations

from collections import Counter, defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import Asked, History

I1 = "I1"


def check(history: History) -> Found:
    """Compare the answers to clients with the contents of the store."""
    stored = {job.job_id: job for job in (*history.ended_jobs, *history.open_jobs)}
    edits = defaultdict[int, set[str]](set)
    for edit in history.edited:
        if edit.job_id is not None and edit.message is not None and edit.answer != "refused":
            edits[edit.job_id].add(edit.message)
    for asked in history.asked:
        if asked.answer == "ok":
            yield from _acknowledged(asked, stored, edits)
    yield from _never_twice(history, edits)
    yield from _batches(history)


def _acknowledged(asked: Asked, stored: dict, edits: dict[int, set[str]]) -> Found:
    job = stored.get(asked.job_id)
    if job is None:
        yield Violation(I1, f"Job {asked.job_id} was acknowledged and is gone.", (asked,))
        return
    if job.message != asked.message and job.message not in edits.get(job.job_id, ()):
        yield Violation(I1, f"Job {job.job_id} has another message than the acknowledged one.", (asked, job))
    if job.lane != asked.lane:
        yield Violation(I1, f"Job {job.job_id} is in another lane than the acknowledged one.", (asked, job))


def _never_twice(history: History, edits: dict[int, set[str]]) -> Found:
    """A request sent once is stored once; an idempotency key makes one job, however often it is repeated."""
    changed = {message for messages in edits.values() for message in messages}
    known = {asked.message: asked for asked in history.asked}
    counts = Counter(job.message for job in (*history.ended_jobs, *history.open_jobs))
    for message, count in counts.items():
        asked = known.get(message)
        if asked is None or message in changed:
            continue
        if asked.answer == "refused":
            yield Violation(I1, f"The job {message!r} was refused, and yet it is stored.", (asked,))
        elif count > 1:
            what = f"with the key {asked.key!r} " if asked.key else ""
            yield Violation(I1, f"The job {message!r} {what}was stored {count} times.", (asked,))


def _batches(history: History) -> Found:
    """All jobs of an all-or-nothing request are stored, or none."""
    messages = {job.message for job in (*history.ended_jobs, *history.open_jobs)}
    edited = {edit.job_id for edit in history.edited if edit.job_id is not None}
    batches = defaultdict[int, list[Asked]](list)
    for asked in history.asked:
        if asked.batch is not None and asked.job_id not in edited:
            batches[asked.batch].append(asked)
    for number, batch in batches.items():
        missing = [asked for asked in batch if asked.message not in messages]
        if missing and len(missing) < len(batch):
            yield Violation(
                I1, f"{len(missing)} of the {len(batch)} jobs of request {number} are missing.", (*missing,)
            )
