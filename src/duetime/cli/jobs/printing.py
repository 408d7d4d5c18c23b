"""Prints jobs and their attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.output import fields_of, print_facts, print_json, print_line, print_table

if TYPE_CHECKING:
    from duetime.client import Job, Run, Waiting, WorkerRun


def print_job(job: Job, runs: list[Run]) -> None:
    """Prints a job with all its attempts, what holds it back, and what the target answered last."""
    waiting = "\n".join(describe_waiting(one) for one in job.waiting_for)
    facts = fields_of(job, without=("message", "user_id", "waiting_for", "created", "held", "result"))
    held = [] if job.held is None else _held(job.held)
    result = [] if job.result is None else [("result", as_json_text(job.result))]
    print_facts([*facts, ("waiting for", waiting), ("message", job.message_text), *held, *result])
    print_line("")
    columns = ("attempt", "state", "due", "late ms", "took ms", "executor", "result")
    rows = [
        (run.attempt, run.state, run.due_at, run.lateness_ms, run.duration_ms, run.executor, _result(run))
        for run in runs
    ]
    print_table(columns, rows, empty="The job has had no attempt yet.")
    answered = [run for run in runs if run.response is not None]
    if answered:
        print_line("")
        print_line(f"The target's answer to attempt {answered[-1].attempt}:")
        print_facts(_answer(answered[-1]))


def print_run(run: Run) -> None:
    """Prints an attempt with everything that is known about it."""
    facts = fields_of(run, without=("id", "error", "response"))
    error = None if run.error is None else f"{run.error.kind}: {run.error.message}"
    print_facts([*facts, ("error", error), *_answer(run)])


def _held(run: WorkerRun) -> list[tuple[str, object]]:
    """Returns which worker has a job, and how far it is."""
    progress = "none reported" if run.progress is None else as_json_text(run.progress)
    return [
        ("worker", f"{run.worker} ({run.name}), since {format_instant(run.since)}"),
        ("progress", progress if run.reported_at is None else f"{progress} at {format_instant(run.reported_at)}"),
        ("checkpoint", "saved" if run.checkpoint else "none"),
    ]


def as_json_text(value: object) -> str:
    """Returns a value as JSON."""
    import msgspec

    return msgspec.json.encode(value).decode()


def _answer(run: Run) -> list[tuple[str, object]]:
    """Returns what the target answered, field by field, with a header on each line."""
    facts: list[tuple[str, object]] = []
    for name, value in (run.response or {}).items():
        if isinstance(value, dict):
            value = "\n".join(f"{key}: {entry}" for key, entry in value.items())
        facts.append((f"answer {name.replace('_', ' ')}", value))
    return facts


def describe_waiting(one: Waiting) -> str:
    """Returns one thing that holds a job back, as a line."""
    since = "" if one.since is None else f" Since {format_instant(one.since)}."
    until = "" if one.until is None else f" Until {format_instant(one.until)}."
    return f"{one.kind}: {one.message}{since}{until}"


def _result(run: Run) -> str | None:
    if run.error is not None:
        return f"{run.error.kind}: {run.error.message}"
    return run.log if run.response is None else _summary(run.response)


def _summary(response: dict[str, Any]) -> str:
    """Returns an answer in a few words. A kind that only a newer server knows is shown by its name."""
    import msgspec

    from duetime.model.targets import Answer

    try:
        return msgspec.convert(response, Answer).summary()
    except msgspec.ValidationError:
        return str(response.get("kind", "answered"))


def print_created(job: Job, *, as_json: bool) -> None:
    """Prints a new job. A job that its idempotency key had before is not new, and may have ended."""
    if as_json or job.created is not False:
        print_job_change("Created", job, as_json=as_json)
        return
    ended = f" It has ended as {job.status}: use another key to create a new job." if job.finished else ""
    print_line(f"Created nothing: the idempotency key belongs to job {job.id}, which is {job.status}.{ended}")


def print_job_change(verb: str, job: Job, *, as_json: bool) -> None:
    """Prints a job after a change: what was done, and when the job is due."""
    if as_json:
        print_json(job)
    else:
        print_line(f"{verb} job {job.id}: {job.status}, due {format_instant(job.due_at or job.execute_at)}.")
