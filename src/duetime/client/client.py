"""The client: every call of the HTTP API, asynchronous."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Self, Unpack

from msgspec import UNSET, UnsetType

from duetime.client.answers import Job, Run, Summary, Token, User
from duetime.client.cluster import ClusterCalls
from duetime.client.dead_letters import DeadLetterCalls
from duetime.client.lanes import LaneCalls
from duetime.client.local_clock import Sleep, local_now, local_sleep
from duetime.client.schedules import ScheduleCalls
from duetime.client.session import Session
from duetime.client.spec import Duration, JobChange, JobSpec, NewRules, OtherRules, encode
from duetime.client.transport import Transport
from duetime.client.users import UserCalls

DEFAULT_URL = "http://127.0.0.1:8080"
JOBS = "/api/v1/me/jobs"
FIRST_LOOK, LONGEST_LOOK, SLOWER = 0.2, 5.0, 1.5


class Client(ClusterCalls, DeadLetterCalls, LaneCalls, ScheduleCalls, UserCalls):
    """A program's way to a Duetime server: use it as `async with Client(url) as client`.

    Lost connections are tried again where that can do no harm: reading, and creating a job, which
    carries an idempotency key. `now` and `sleep` are parameters for tests.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        on_token: Callable[[Token], None] | None = None,
        now: Callable[[], datetime] = local_now,
        sleep: Sleep = local_sleep,
    ) -> None:
        self._transport = Transport(url, timeout=timeout, retries=retries, sleep=sleep)
        self._session = Session(self._transport, token, now, on_token)
        self._sleep = sleep

    @property
    def url(self) -> str:
        """The server's address."""
        return self._transport.url

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What answers have lacked so far because a database was away: sentences, each once."""
        return tuple(self._transport.incomplete)

    async def __aenter__(self) -> Self:
        """Nothing is opened before the first call."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    # Who one is

    async def login(self, username: str, password: str) -> Token:
        """Log in. The token is used from here on, renewed in time, and won back if it has run out."""
        return await self._session.login(username, password)

    async def refresh(self) -> Token:
        """Change the token for a new one now; calls do so by themselves when it gets old."""
        return await self._session.refresh()

    async def me(self) -> User:
        """Who one is logged in as."""
        return self._read(await self._session.call("GET", "/api/v1/me", safe=True), User)

    async def change_password(self, current: str, new: str) -> Token:
        """Change one's password. Every token from before is void; the new one is used from here on."""
        return await self._session.change_password(current, new)

    # Jobs

    async def create_job(
        self,
        message: str,
        *,
        at: datetime | None = None,
        delay: Duration | None = None,
        idempotency_key: str | None = None,
        **rules: Unpack[NewRules],
    ) -> Job:
        """Create a job, due at an instant, after a delay, or at once.

        Without an `idempotency_key` one is made up for this call, so that trying again after a lost
        connection cannot create the job twice. Give one of your own to be safe across restarts too.
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
        """Create many jobs; their ids, in order.

        They go in requests of up to 10,000, each of which is stored as a whole or not at all. An error has the
        `index` among all of them in its details, from 0, and the `line`, from 1.
        `on_created` hears the ids of each request, so that after an error it is known how far it got.
        Bytes are taken as a line of NDJSON. Requests are not repeated when a connection is lost.
        """
        return await self._create_all(JOBS, jobs, on_created)

    async def job(self, job_id: int) -> Job:
        """One job, finished or not."""
        return self._read(await self._session.call("GET", f"{JOBS}/{job_id}", safe=True), Job)

    async def jobs(
        self,
        *,
        status: str | None = None,
        from_: datetime | None = None,
        to: datetime | None = None,
        ordering_key: str | None = None,
        q: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[Job]:
        """One's jobs, newest first, page after page; at most `limit` of them."""
        filters = {"status": status, "ordering_key": ordering_key, "q": q}
        params = {name: value for name, value in filters.items() if value is not None}
        params |= {name: at.isoformat() for name, at in (("from", from_), ("to", to)) if at is not None}
        async for job in self._pages(JOBS, params, Job, limit):
            yield job

    async def cancel(self, job_id: int) -> Job:
        """Cancel a job. One that is running is asked to stop; for a finished one, `ApiError` 409."""
        return self._read(await self._session.call("POST", f"{JOBS}/{job_id}/cancel"), Job)

    async def edit(
        self,
        job_id: int,
        *,
        at: datetime | None = None,
        delay: Duration | None = None,
        expires_at: datetime | UnsetType | None = UNSET,
        **rules: Unpack[OtherRules],
    ) -> Job:
        """Change a job that has not started; what is not given stays.

        An expiry, a limit, hours or required labels of None are taken away.
        """
        change = JobChange(execute_at=at, delay=delay, expires_at=expires_at, **rules)
        return self._read(await self._session.call("PATCH", f"{JOBS}/{job_id}", body=encode(change)), Job)

    async def run_now(self, job_id: int) -> Job:
        """Make a job due at once."""
        return self._read(await self._session.call("POST", f"{JOBS}/{job_id}/run-now"), Job)

    async def runs(self, job_id: int) -> list[Run]:
        """Every attempt of a job, first to last."""
        return self._read(await self._session.call("GET", f"{JOBS}/{job_id}/runs", safe=True), list[Run])

    async def stats(self) -> dict[str, int]:
        """How many of one's jobs are in each state."""
        return self._read(await self._session.call("GET", f"{JOBS}/stats", safe=True), dict[str, int])

    async def summary(self) -> Summary:
        """How many of one's jobs are in each state, and how many lanes wait for a person."""
        return self._read(await self._session.call("GET", "/api/v1/me/stats", safe=True), Summary)

    async def watch(self, job_id: int) -> AsyncIterator[Job]:
        """The job now, and again at each change, until it is finished."""
        seen, wait = await self.job(job_id), FIRST_LOOK
        yield seen
        while not seen.finished:
            await self._sleep(wait)
            job = await self.job(job_id)
            wait = FIRST_LOOK if job != seen else min(LONGEST_LOOK, wait * SLOWER)
            if job != seen:
                seen = job
                yield job
