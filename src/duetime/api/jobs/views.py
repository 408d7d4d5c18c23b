"""What clients get to see."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta, Struct

from duetime.api.auth.tokens import IssuedToken
from duetime.api.users.distribution import ByLabels, Pin, Spread
from duetime.model.ids import run_id, shard_of
from duetime.model.job import Job
from duetime.model.policy import Delivery, Hours, Limit, OnFailure, Retry
from duetime.model.run import Run
from duetime.model.states import JobState
from duetime.model.targets import Answer, Target
from duetime.model.user import Quotas, Role, User

if TYPE_CHECKING:
    from duetime.api.services import Readiness

LATE_FROM: Final = timedelta(seconds=1)
"""A job for "now" is stored a moment after its instant; that does not make it late."""

_MS = timedelta(milliseconds=1)


class UserView(Struct, frozen=True):
    """A user."""

    id: int
    username: str
    job_weight: Annotated[float, Meta(description="The user's share under backlog.")]


class AccountView(Struct, frozen=True):
    """A user with what concerns the account."""

    id: int
    username: str
    job_weight: float
    role: Role
    created_at: datetime
    limits: Annotated[Limit, Meta(description="How many of the user's jobs go at once, and how fast.")] | None
    quotas: Annotated[Quotas, Meta(description="How much the user may have.")] | None
    distribution: Annotated[
        Spread | Pin | ByLabels,
        Meta(description="Which shards jobs without an ordering key go to, or which labels executors must have."),
    ]


class TokenView(Struct, frozen=True):
    """A token and until when it is good."""

    expire: datetime
    token: Annotated[str, Meta(description="Send it as `Authorization: Bearer TOKEN`.")]


class LoginView(Struct, frozen=True):
    """A token, until when it is good, and whose it is."""

    expire: datetime
    token: Annotated[str, Meta(description="Send it as `Authorization: Bearer TOKEN`.")]
    user: UserView


class JobView(Struct, frozen=True):
    """A job. Credentials in its target are shown as `(hidden)`."""

    id: int
    user_id: int
    message: str
    status: JobState
    execute_at: Annotated[datetime, Meta(description="The instant that was asked for.")]
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
    due_at: Annotated[datetime, Meta(description="When the next attempt is, or the last one was, due.")]
    attempts: Annotated[int, Meta(description="How many attempts were begun.")]
    finished_at: datetime | None
    reason: Annotated[str, Meta(description="Why it ended as it did.")] | None
    cancel_requested: Annotated[bool, Meta(description="Whether a running job was asked to stop.")]
    late: Annotated[bool, Meta(description="Whether the instant was past already when the job was created.")]
    definition_id: Annotated[int, Meta(description="Jobs with the same target and policy have the same definition.")]
    limit: Annotated[Limit, Meta(description="What holds for all jobs of the same definition.")] | None
    hours: Hours | None
    breaker: bool
    schedule_id: Annotated[int, Meta(description="The schedule that this is of.")] | None
    nominal: Annotated[datetime, Meta(description="Of a schedule's job: the instant that it stands for.")] | None
    requires: Annotated[dict[str, str], Meta(description="Labels that an executor must have to run it.")]
    waiting_for: (
        Annotated[dict[str, str], Meta(description="While it waits: labels that no living executor has together.")]
        | None
    )


class RunError(Struct, frozen=True):
    """Why an attempt failed."""

    kind: Annotated[str, Meta(description="The class that retry rules speak of.", examples=["timeout", "http_503"])]
    message: str


class RunView(Struct, frozen=True):
    """One attempt of a job."""

    id: Annotated[str, Meta(description="The run's identity: what an HTTP target gets as `webhook-id`.")]
    attempt: int
    state: JobState
    due_at: datetime
    launched_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    lateness_ms: Annotated[float, Meta(description="Launched minus due.")] | None
    duration_ms: Annotated[float, Meta(description="Finished minus started.")] | None
    executor: str | None
    error: RunError | None
    response: Annotated[Answer, Meta(description="What the target answered, by its kind.")] | None
    log: str | None


class BulkView(Struct, frozen=True):
    """The ids of all jobs, in the order in which they were sent."""

    ids: list[int]


class Alive(Struct, frozen=True):
    """The process answers."""

    alive: bool


class DatabaseView(Struct, frozen=True):
    """One of several databases, and which shards it holds."""

    number: int
    answers: bool
    shards: str


def database_views(readiness: Readiness) -> list[DatabaseView]:
    """Each of several databases."""
    return [DatabaseView(one.number, one.answers, one.shards) for one in readiness.databases]


class Ready(Struct, frozen=True, omit_defaults=True):
    """Jobs can be accepted and fired, as far as databases answer."""

    ready: bool
    databases: Annotated[
        list[DatabaseView], Meta(description="With several databases: each, and whether it answers.")
    ] = []


def user_view(user: User) -> UserView:
    """A user as shown."""
    return UserView(user.id, user.username, user.job_weight)


def account_view(user: User) -> AccountView:
    """A user as shown to itself and to admins."""
    distribution = Spread() if user.pinned_to is None else Pin(list(user.pinned_to))
    if user.requires:
        distribution = ByLabels(user.requires)
    return AccountView(
        user.id,
        user.username,
        user.job_weight,
        user.role,
        user.created_at,
        user.limits,
        user.quotas,
        distribution,
    )


def token_view(issued: IssuedToken) -> TokenView:
    """A token as handed out."""
    return TokenView(issued.expire, issued.token)


def job_view(job: Job) -> JobView:
    """A job as shown."""
    policy = job.definition.policy
    return JobView(
        job.id,
        job.user_id,
        job.message,
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
        job.waiting_for,
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
