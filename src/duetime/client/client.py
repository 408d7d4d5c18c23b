"""The asynchronous client: a method for every call of the HTTP API."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, Unpack

from msgspec import UNSET, UnsetType

from .activity import ActivityCalls
from .answers import Job, Run, Summary, Token, User
from .artifacts import ArtifactCalls
from .audit import AuditCalls
from .cluster import ClusterCalls
from .dead_letters import DeadLetterCalls
from .lanes import LaneCalls
from .local_clock import Sleep, local_now, local_sleep
from .logs import LogCalls
from .notifications import NotificationCalls
from .schedules import ScheduleCalls
from .selected_jobs import SelectedJobCalls
from .session import Session
from .spec import ChangedJobRules, Duration, JobChange, JobSpec, NewJobRules, encode
from .transport import Transport
from .users import UserCalls
from .workers import WorkerCalls
from .workflows import WorkflowCalls

DEFAULT_URL = "http://127.0.0.1:8080"
JOBS = "/api/v1/me/jobs"
FIRST_LOOK, LONGEST_LOOK, SLOWER = 0.2, 5.0, 1.5
"""How often `watch` looks at a job, in seconds: more slowly the longer nothing changes."""


class Client(
    ActivityCalls,
    ArtifactCalls,
    AuditCalls,
    ClusterCalls,
    DeadLetterCalls,
    LaneCalls,
    LogCalls,
    NotificationCalls,
    ScheduleCalls,
    SelectedJobCalls,
    UserCalls,
    WorkerCalls,
    WorkflowCalls,
):
    """A connection to a Duetime server. Use it as `async with Client(url) as client`.

    A call whose connection is lost is repeated where that is harmless: a read, or the creation of a job,
    which carries an idempotency key. With `credentials`, a user name and a password, the first call logs in.
    `on_token` receives every new token. `now` and `sleep` are for tests.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        credentials: tuple[str, str] | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        on_token: Callable[[Token], None] | None = None,
        now: Callable[[], datetime] = local_now,
        sleep: Sleep = local_sleep,
    ) -> None:
        self._transport = Transport(url, timeout=timeout, retries=retries, sleep=sleep)
        self._session = Session(self._transport, token, now, on_token, credentials)
        self._sleep = sleep

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Sentences that say what the answers so far lacked because a database was unavailable."""
        return tuple(self._transport.incomplete)

    async def __aenter__(self) -> Self:
        """Returns the client. The first call opens the connection."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the connections."""
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    # The account

    async def login(self, username: str, password: str) -> Token:
        """Logs in. Later calls use the token, renew it in time, and log in again if it has expired."""
        return await self._session.login(username, password)

    async def refresh(self) -> Token:
        """Exchanges the token for a new one. Calls do so by themselves before it expires."""
        return await self._session.refresh()

    async def me(self) -> User:
        """Returns the user that is logged in."""
        return self._read(await self._session.call("GET", "/api/v1/me", safe=True), User)

    async def change_password(self, current: str, new: str) -> Token:
        """Changes the password. All older tokens become invalid. Later calls use the new one."""
        return await self._session.change_password(current, new)

    # Jobs

    async def create_job(
        self,
        message: Any,
        *,
        at: datetime | None = None,
        delay: Duration | None = None,
        idempotency_key: str | None = None,
        **rules: Unpack[NewJobRules],
    ) -> Job:
        """Creates a job, due at an instant, after a delay, or at once.

        Without an `idempotency_key` the client generates one for this call, so that a repeat after a lost
        connection cannot create the job twice. Give your own to be safe across restarts of the program too, and to
        find the job by it (`job_by_key`, `cancel_by_key`). If the key has a job already, that job is returned as it is
        now, with `created` false, even if it is cancelled.
        """
        spec = JobSpec(message=message, execute_at=at, delay=delay, **rules)
        key = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
        return self._read(await self._session.call("POST", JOBS, body=encode(spec), headers=key, safe=True), Job)

    async def create_jobs(
        self,
        jobs: Iterable[JobSpec | Mapping[str, Any] | bytes],
        *,
        on_created: Callable[[list[int]], None] | None = None,
    ) -> list[int]:
        """Creates many jobs. Returns their ids, in order.

        Each request carries up to 10,000 jobs, which are stored together or not at all. The details of an error
        have the `index` among all jobs, from 0, and the `line`, from 1.
        `on_created` receives the ids of each request, so that after an error the caller knows how far it got.
        Bytes are one line of NDJSON. Requests are not repeated when a connection is lost.
        """
        return await self._create_all(JOBS, jobs, on_created)

    async def job(self, job_id: int) -> Job:
        """Returns a job, finished or not."""
        return self._read(await self._session.call("GET", f"{JOBS}/{job_id}", safe=True), Job)

    async def jobs(
        self,
        *,
        status: str | None = None,
        from_: datetime | None = None,
        to: datetime | None = None,
        ordering_key: str | None = None,
        q: str | None = None,
        schedule_id: int | None = None,
        labels: Mapping[str, str] | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Job]:
        """Yields the user's jobs, newest first; at most `limit` of them. With `labels`, those that have all of them."""
        filters = {"status": status, "ordering_key": ordering_key, "q": q}
        params: dict[str, str | list[str]] = {name: value for name, value in filters.items() if value is not None}
        if schedule_id is not None:
            params["schedule_id"] = str(schedule_id)
        if labels:
            params["label"] = [f"{name}={value}" for name, value in labels.items()]
        params |= {name: at.isoformat() for name, at in (("from", from_), ("to", to)) if at is not None}
        async for job in self._pages(JOBS, params, Job, limit):
            yield job

    async def cancel(self, job_id: int) -> Job:
        """Cancels a job. A running job is asked to stop. Raises `ApiError` 409 for a finished one."""
        return self._read(await self._session.call("POST", f"{JOBS}/{job_id}/cancel"), Job)

    async def edit(
        self,
        job_id: int,
        *,
        at: datetime | None = None,
        delay: Duration | None = None,
        expires_at: datetime | UnsetType | None = UNSET,
        **rules: Unpack[ChangedJobRules],
    ) -> Job:
        """Changes a job that has not started. What is not given stays as it is.

        None removes an expiry, a limit, hours or required labels.
        """
        change = JobChange(execute_at=at, delay=delay, expires_at=expires_at, **rules)
        return self._read(await self._session.call("PATCH", f"{JOBS}/{job_id}", body=encode(change)), Job)

    async def run_now(self, job_id: int) -> Job:
        """Makes a job due at once."""
        return self._read(await self._session.call("POST", f"{JOBS}/{job_id}/run-now"), Job)

    async def runs(self, job_id: int) -> list[Run]:
        """Returns every attempt of a job, oldest first."""
        return self._read(await self._session.call("GET", f"{JOBS}/{job_id}/runs", safe=True), list[Run])

    async def stats(self) -> dict[str, int]:
        """Returns how many of the user's jobs are in each state."""
        return self._read(await self._session.call("GET", f"{JOBS}/stats", safe=True), dict[str, int])

    async def summary(self) -> Summary:
        """Returns how many of the user's jobs are in each state, and how many lanes are blocked."""
        return self._read(await self._session.call("GET", "/api/v1/me/stats", safe=True), Summary)

    async def watch(self, job_id: int) -> AsyncIterator[Job]:
        """Yields the job now, and again at each change, until it has ended."""
        seen, wait = await self.job(job_id), FIRST_LOOK
        yield seen
        while not seen.finished:
            await self._sleep(wait)
            job = await self.job(job_id)
            wait = FIRST_LOOK if job != seen else min(LONGEST_LOOK, wait * SLOWER)
            if job != seen:
                seen = job
                yield job
