"""What clients see of jobs and runs."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from duetime.api.jobs.bodies import Message
from duetime.model.ids import run_id, shard_of
from duetime.model.job import Job
from duetime.model.message import TRACED, message_shown, trace_of
from duetime.model.policy import Delivery, Hours, Limit, OnFailure, Retry
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.targets import Answer, Target
from duetime.model.waiting import Waiting

LATE_FROM: Final = timedelta(seconds=1)
"""A job for now is stored a moment after its instant, and is not late."""

_MS = timedelta(milliseconds=1)


class JobView(Struct, frozen=True):
    """A job. Credentials in its target are shown as `(hidden)`."""

    id: int
    user_id: int
    message: Message
    status: JobState
    execute_at: Annotated[datetime, Meta(description="The instant that the client gave.")]
    shard_id: int
    ordering_key: str | None
    priority: int
    target: Target
    timeout: Annotated[float, Meta(description="Seconds that one attempt may take.")]
    delivery: Delivery
    retry: Retry
    on_failure: OnFailure
    labels: dict[str, str]
    expires_at: datetime | None
    created_at: datetime
    due_at: Annotated[datetime, Meta(description="When the next attempt is due, or the last one was.")]
    attempts: Annotated[int, Meta(description="How many attempts have begun.")]
    finished_at: datetime | None
    reason: Annotated[str, Meta(description="Why the job ended as it did.")] | None
    cancel_requested: Annotated[bool, Meta(description="Whether a running job was asked to stop.")]
    late: Annotated[bool, Meta(description="Whether `execute_at` had already passed when the job was created.")]
    definition_id: Annotated[int, Meta(description="Jobs with the same target and policy have the same definition.")]
    limit: Annotated[Limit, Meta(description="Applies to all jobs with the same definition together.")] | None
    hours: Hours | None
    breaker: bool
    schedule_id: Annotated[int, Meta(description="The schedule that the job belongs to.")] | None
    nominal: Annotated[datetime, Meta(description="The nominal instant of the schedule that the job is for.")] | None
    requires: Annotated[dict[str, str], Meta(description="Labels that an executor must have to run the job.")]
    waiting_for: Annotated[
        list[Waiting], Meta(description="Why the job does not run yet, as far as that is known; empty when it does.")
    ]
    traceparent: Annotated[str, Meta(description="The span that created a traced job.")] | UnsetType = UNSET


class CreatedView(JobView, frozen=True, kw_only=True):
    """The job of a call that creates one, and whether the call did."""

    created: Annotated[
        bool, Meta(description="False when the idempotency key had a job before: this is that job, unchanged.")
    ]


class RunError(Struct, frozen=True):
    """Why an attempt failed."""

    kind: Annotated[
        str, Meta(description="The class of failure that retry rules name.", examples=["timeout", "http_503"])
    ]
    message: str


class RunView(Struct, frozen=True):
    """One attempt of a job."""

    id: Annotated[str, Meta(description="The run's identity; an HTTP target receives it as `webhook-id`.")]
    attempt: int
    state: JobState
    due_at: datetime
    launched_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    lateness_ms: Annotated[float, Meta(description="From due to launched.")] | None
    duration_ms: Annotated[float, Meta(description="From started to finished.")] | None
    executor: str | None
    error: RunError | None
    response: Annotated[Answer, Meta(description="What the target answered; the fields depend on its kind.")] | None
    log: str | None


class BulkView(Struct, frozen=True):
    """The ids of all jobs, in the order in which they were sent."""

    ids: list[int]


def job_view(job: Job) -> JobView:
    """A job as shown."""
    return JobView(*job_fields(job))


def created_view(job: Job, *, created: bool) -> CreatedView:
    """A job as the call that creates it shows it."""
    return CreatedView(*job_fields(job), created=created)


def job_fields(job: Job) -> tuple[Any, ...]:
    """Returns the fields of a `JobView`, in order."""
    policy = job.definition.policy
    return (
        job.id,
        job.user_id,
        message_shown(job.message),
        job.state,
        job.execute_at,
        shard_of(job.id),
        job.lane,
        job.priority,
        job.definition.target.redacted(),
        policy.timeout,
        policy.delivery,
        policy.retry,
        policy.on_failure,
        job.labels or {},
        job.expires_at,
        job.created_at,
        job.due_at,
        job.attempts,
        job.finished_at,
        job.reason,
        job.cancel_requested,
        job.created_at - job.execute_at > LATE_FROM,
        job.definition_id,
        policy.limit,
        policy.hours,
        policy.breaker,
        job.schedule_id,
        None if job.schedule_id is None else job.execute_at,
        policy.requires or {},
        list(job.waiting_for),
        UNSET if job.message[:1] != TRACED else trace_of(job.message) or UNSET,
    )


def run_view(run: Run) -> RunView:
    """An attempt as shown."""
    failure = run.failure
    return RunView(
        id=run_id(run.job_id, run.attempt),
        attempt=run.attempt,
        state=run.state,
        due_at=run.due_at,
        launched_at=run.launched_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
        lateness_ms=_between(run.due_at, run.launched_at),
        duration_ms=_between(run.started_at or run.launched_at, run.finished_at),
        executor=run.executor,
        error=None if failure is None else RunError(failure.kind, failure.message),
        response=None if run.answer is None else run.answer.shown(),
        log=run.log,
    )


def _between(first: datetime | None, last: datetime | None) -> float | None:
    return None if first is None or last is None else (last - first) / _MS
