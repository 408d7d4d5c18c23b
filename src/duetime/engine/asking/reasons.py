"""Why a waiting job does not run, worked out from what is known about it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from duetime.model.flow import flow_of_job
from duetime.model.gate import ClosedGate
from duetime.model.ids import shard_of
from duetime.model.job import Job
from duetime.model.labels import pool_of
from duetime.model.lane import LaneHead
from duetime.model.policy import Hours, Limit
from duetime.model.states import JobState
from duetime.model.waiting import Waiting

UNREPORTED = timedelta(seconds=3)
"""How long a job may be due before a missing report of its scheduler is worth a word."""
_ALL_SLOTS = "All slots of the executors that can run it are in use."
_OWN_SLOTS = "Your running jobs hold as many slots of the executors as one user may: the rest is kept for others."
_HEADS = {
    JobState.DEAD: "is dead, and the lane waits for a person: retry, skip or clear it",
    JobState.RUNNING: "is running",
    JobState.QUEUED: "is about to run",
}


class Surroundings(Struct, frozen=True):
    """What is known around one job."""

    now: datetime
    head: LaneHead | None = None
    """The job that its lane waits for."""
    gates: Iterable[ClosedGate] = ()
    """The closed gates of its scheduler."""
    owner: str | None = ""
    """The name of its scheduler; None if its shard has none, empty if that is not known."""
    draining: tuple[str, ...] = ()
    """Nodes that are being drained."""
    unmet: Mapping[str, str] | None = None
    """Labels that no living executor has; empty if no executor is alive; None if one fits."""
    no_worker: str | None = None
    """Why no worker pulls it; None for a job that executors run."""
    user_limit: Limit | None = None
    user_requires: Mapping[str, str] | None = None


def reasons(job: Job, around: Surroundings) -> tuple[Waiting, ...]:
    """Returns what holds a waiting job back, what is most particular to it first."""
    if job.due_at > around.now:
        return (not_due(job.definition.policy.hours, job.attempts, job.execute_at, job.due_at, around.now),)
    found = [*_of_lane(job, around.head), *_of_gates(job, around), *_of_nodes(job, around)]
    if not found and around.now - job.due_at >= UNREPORTED:
        owner = f", {around.owner}," if around.owner else ""
        text = f"It should run. Its scheduler{owner} has not reported what holds it back: that is not known here."
        found = [Waiting("not_known", text)]
    return tuple(found)


def not_due(hours: Hours | None, attempts: int, execute_at: datetime, due_at: datetime, now: datetime) -> Waiting:
    """Returns why a job waits whose next attempt is due later than `now`."""
    if attempts:
        return Waiting("retry", f"Attempt {attempts} failed, and the next one is not due yet.", until=due_at)
    if hours is not None and due_at > execute_at:
        since = execute_at if execute_at <= now else None
        text = f"Its hours are closed: {hours.window}, {hours.zone}."
        return Waiting("hours", text, since=since, until=due_at)
    return Waiting("instant", "It is not due yet.", until=due_at)


def _of_lane(job: Job, head: LaneHead | None) -> list[Waiting]:
    if head is None or head.job_id == job.id:
        return []
    text = f"Job {head.job_id} comes first in its lane '{job.lane}', and {_HEADS.get(head.state, 'waits itself')}."
    return [Waiting("lane", text, since=head.since, job_id=head.job_id, job_status=head.state)]


def _of_gates(job: Job, around: Surroundings) -> list[Waiting]:
    policy, flow = job.definition.policy, flow_of_job(job.user_id, job.definition_id, job.definition)
    pool, takes_slot = pool_of(policy.requires or {}, around.user_requires), job.definition.target.takes_slot
    found: list[Waiting] = []
    for gate in around.gates:
        if gate.kind == "breaker" and gate.flow == flow:
            text = f"The circuit breaker of {gate.name} is open after {gate.failures} failures in a row."
            found.append(Waiting("breaker", text, since=gate.since, until=gate.until, host=gate.name))
        elif gate.kind == "definition_limit" and gate.flow == flow:
            text = f"The limit of its definition is reached: {_bound(policy.limit, gate.name)}."
            found.append(Waiting("definition_limit", text, since=gate.since, until=gate.until))
        elif gate.kind == "user_limit" and gate.user_id == job.user_id:
            text = f"Your limit is reached: {_bound(around.user_limit, gate.name)}."
            found.append(Waiting("user_limit", text, since=gate.since, until=gate.until))
        elif gate.kind == "slots" and gate.name == pool and takes_slot and around.unmet is None:
            text = _OWN_SLOTS if gate.user_id else _ALL_SLOTS
            found.append(Waiting("slots", text, since=gate.since))
    return found


def _of_nodes(job: Job, around: Surroundings) -> list[Waiting]:
    found: list[Waiting] = []
    drained = f" Being drained: {', '.join(around.draining)}." if around.draining else ""
    if around.owner is None:
        found.append(Waiting("owner", f"No living scheduler owns its shard, {shard_of(job.id)}.{drained}"))
    if around.no_worker is not None:
        found.append(Waiting("worker", around.no_worker))
    elif around.unmet:
        text = ", ".join(f"{name}={value}" for name, value in around.unmet.items())
        text = f"No living executor has the labels that it requires: {text}.{drained}"
        found.append(Waiting("labels", text, labels=dict(around.unmet)))
    elif around.unmet is not None:
        found.append(Waiting("executor", f"No executor is alive.{drained}"))
    return found


def _bound(limit: Limit | None, bound: str) -> str:
    if limit is None:
        return "it was changed meanwhile"
    if bound == "runs":
        return f"{limit.max_concurrency} at once"
    return f"{0 if limit.rate is None else limit.rate:g} per {limit.per}"
