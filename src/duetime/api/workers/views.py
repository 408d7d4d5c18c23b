"""What workers and their users get back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from duetime.api.jobs.views import RunError
from duetime.api.workers.tokens import RunTokens, worker_name
from duetime.engine.workers.desk import PulledRun
from duetime.engine.workers.insight import QueueOf
from duetime.model.message import TRACED, message_shown
from duetime.model.shown_worker import ShownWorker, WorkerRun
from duetime.model.states import JobState
from duetime.tracing.port import Traces

_NOTHING = Raw(b"null")
_NO_LABELS = Raw(b"{}")


class RegisteredView(Struct, frozen=True):
    """A worker that has registered."""

    worker: Annotated[str, Meta(description="The worker's name in paths.")]
    lease_ms: Annotated[int, Meta(description="How long the worker lives without a beat.")]
    beat_ms: Annotated[int, Meta(description="How often to send a beat.")]


class BroadcastView(Struct, frozen=True):
    """Which part of a broadcast a run is."""

    index: int
    count: int


class PulledView(Struct, frozen=True, omit_defaults=True):
    """A run for a worker."""

    run: Annotated[str, Meta(description="The run's token, for `beat`, `settle` and `logs`.")]
    job: int
    queue: str
    task: str
    attempt: Annotated[int, Meta(description="From 1. A run that was given back does not count.")]
    attempts: Annotated[int, Meta(description="How many attempts there may be.")]
    message: Any
    due_at: datetime
    nominal_at: datetime
    deadline_ms: Annotated[int, Meta(description="How long the attempt may take from now on.")]
    ordering_key: str | None
    labels: dict[str, str]
    checkpoint: Annotated[Any, Meta(description="What an earlier attempt saved, or null.")]
    stall_ms: Annotated[int, Meta(description="Report progress at least this often.")] | UnsetType = UNSET
    traceparent: Annotated[str, Meta(description="The run's span, if it is traced.")] | UnsetType = UNSET
    schedule: Annotated[int, Meta(description="The schedule whose occurrence the job is.")] | UnsetType = UNSET
    broadcast: BroadcastView | UnsetType = UNSET
    inputs: (
        Annotated[
            Any,
            Meta(
                description="Of a step of a workflow: the results of the steps before it, by their refs; else absent."
            ),
        ]
        | UnsetType
    ) = UNSET


class TakenView(Struct, frozen=True):
    """The answer to a take."""

    runs: list[PulledView]
    drain: Annotated[bool, Meta(description="Whether the worker is to finish its runs and leave.")]


class BeatView(Struct, frozen=True):
    """The answer to a beat."""

    cancel: Annotated[list[str], Meta(description="Runs that are to stop.")]
    stale: Annotated[list[str], Meta(description="Runs that are not the worker's any more.")]
    drain: bool


class SettledView(Struct, frozen=True, omit_defaults=True):
    """Whether an outcome is on record."""

    run: str
    status: Literal["recorded", "stale"]
    reason: str | UnsetType = UNSET


class SettledListView(Struct, frozen=True):
    """The answer to a settle, in the order of the outcomes."""

    results: list[SettledView]


class KeptView(Struct, frozen=True):
    """How many lines were added to a log."""

    kept: int


class LeftView(Struct, frozen=True):
    """How many runs a leaving worker handed back."""

    released: int


class WorkerView(Struct, frozen=True):
    """A living worker."""

    worker: str
    name: str
    queues: list[str]
    tasks: list[str]
    slots: int
    running: Annotated[int, Meta(description="How many runs it holds.")]
    labels: dict[str, str]
    sdk: str
    drain: bool
    registered_at: datetime
    lease_left_ms: int


class WorkerRunView(Struct, frozen=True):
    """A run that a worker holds."""

    job: int
    attempt: Annotated[int, Meta(description="As in the job's list of runs.")]
    worker: Annotated[str, Meta(description="The worker's name in paths.")]
    name: Annotated[str, Meta(description="The name that the worker gave itself.")]
    queue: str
    task: str
    since: datetime
    cancel_requested: bool
    progress: Annotated[Any, Meta(description="What the attempt last reported, or null.")]
    reported_at: datetime | None
    checkpoint: Annotated[bool, Meta(description="Whether this attempt or an earlier one saved a checkpoint.")]


class WorkerDetailView(WorkerView, frozen=True):
    """A living worker with the runs that it holds, longest held first: at most 1,000."""

    runs: list[WorkerRunView]


class QueueView(Struct, frozen=True):
    """A queue with due jobs, runs or workers."""

    queue: str
    waiting: Annotated[int, Meta(description="Jobs that are due, and that no worker has.")]
    waiting_capped: Annotated[bool, Meta(description="Whether counting ended before the last one.")]
    oldest_due_at: datetime | None
    running: Annotated[int, Meta(description="Runs that workers hold.")]
    workers: Annotated[int, Meta(description="Living workers that take the queue.")]
    slots: Annotated[int, Meta(description="The slots of these workers together.")]
    missing: Annotated[str, Meta(description="Why no worker takes some of what waits.")] | None


class ResultView(Struct, frozen=True):
    """What a job ended with."""

    job: int
    status: JobState
    done: Annotated[bool, Meta(description="Whether the job has ended.")]
    result: Annotated[Any, Meta(description="What the worker gave back with a success.")]
    error: Annotated[RunError, Meta(description="Why the last attempt failed.")] | None


def worker_view(one: ShownWorker) -> WorkerView:
    """A worker as shown."""
    return WorkerView(*_worker_fields(one))


def worker_detail_view(one: ShownWorker, runs: Sequence[WorkerRun]) -> WorkerDetailView:
    """A worker as shown, with its runs."""
    return WorkerDetailView(*_worker_fields(one), runs=[worker_run_view(run) for run in runs])


def _worker_fields(one: ShownWorker) -> tuple[Any, ...]:
    worker = one.worker
    return (
        worker_name(worker.id),
        worker.name,
        list(worker.queues),
        list(worker.tasks),
        worker.slots,
        one.running,
        worker.labels,
        worker.sdk,
        one.draining,
        one.joined_at,
        max(0, int(one.lease_left * 1000)),
    )


def worker_run_view(run: WorkerRun) -> WorkerRunView:
    """A run that a worker holds, as shown."""
    return WorkerRunView(
        run.job_id,
        run.attempt,
        worker_name(run.worker),
        run.name,
        run.queue,
        run.task,
        run.since,
        run.cancel,
        _NOTHING if run.progress is None else Raw(run.progress.encode()),
        run.reported_at,
        run.checkpoint,
    )


def queue_view(one: QueueOf) -> QueueView:
    """A queue as shown."""
    return QueueView(
        one.queue, one.waiting, one.capped, one.oldest_due, one.running, one.workers, one.slots, one.missing
    )


def pulled_view(one: PulledRun, tokens: RunTokens, now: datetime, traces: Traces) -> PulledView:
    """A run for a worker, as shown."""
    run = one.run
    target, policy = run.definition.target, run.definition.policy
    pulled, stall, part = target.pulled(), target.stalls_after(), target.part_of()
    left = policy.timeout - (now - one.since).total_seconds()
    return PulledView(
        run=tokens.token(run.user_id, run.executor, run.job_id, run.attempt),
        job=run.job_id,
        queue="" if pulled is None else pulled.queue,
        task="" if pulled is None else pulled.task,
        attempt=run.attempt - run.base_attempt,
        attempts=1 if policy.delivery == "at_most_once" else policy.retry.max_attempts,
        message=message_shown(run.message),
        due_at=run.due_at,
        nominal_at=run.execute_at,
        deadline_ms=max(0, int(left * 1000)),
        ordering_key=run.lane,
        labels=_NO_LABELS if one.labels is None else Raw(one.labels.encode()),  # type: ignore[arg-type]
        checkpoint=_NOTHING if one.checkpoint is None else Raw(one.checkpoint.encode()),
        stall_ms=UNSET if stall is None else int(stall * 1000),
        schedule=UNSET if run.schedule_id is None else run.schedule_id,
        broadcast=UNSET if part is None else BroadcastView(part.index, part.count),
        traceparent=UNSET if run.message[:1] != TRACED else traces.parent_of_run(run) or UNSET,
        inputs=Raw(run.inputs.encode()) if run.inputs else UNSET,
    )


def encoded(value: object) -> str:
    """A value as JSON text."""
    return msgspec.json.encode(value).decode()
