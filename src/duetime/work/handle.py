"""A handle of an enqueued job: its state, its result when it has ended, and its cancel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Raw

from ..client.answers import Job
from ..client.errors import ApiError
from ..client.local_clock import local_monotonic, local_sleep
from ..client.spec import Duration
from ..errors import DuetimeError
from .durations import seconds_of
from .protocol.wire import RunFailure

if TYPE_CHECKING:
    from .app import Duetime
    from .task import Task

R = TypeVar("R")
LONGEST_WAIT = 20.0
"""Seconds of one call that waits for a result."""
FIRST_LOOK, LONGEST_LOOK = 0.02, 1.0
"""How often to look for a job that is on its way from an outbox, in seconds."""


class JobFailed(DuetimeError):
    """The job ended without a result."""

    code = "job_failed"

    def __init__(self, job_id: int, status: str, error: RunFailure | None = None) -> None:
        why = "." if error is None else f": {error.message}"
        super().__init__(f"Job {job_id} has ended as {status}{why}")
        self.job_id, self.status, self.error = job_id, status, error

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the error with its arguments, so that it can cross processes."""
        return type(self), (self.job_id, self.status, self.error)


class NoResultYet(DuetimeError, TimeoutError):
    """The job had not ended when the time to wait for its result was up."""

    code = "no_result_yet"


class Handle(Generic[R]):
    """A job of a task. One that was enqueued in a transaction is known by its key until its id is known."""

    def __init__(
        self, app: Duetime, task: Task[Any, R] | None, *, job_id: int | None = None, key: str | None = None
    ) -> None:
        self._app, self._task, self._id, self.key = app, task, job_id, key

    def __repr__(self) -> str:
        """Names the job."""
        return f"Handle(job={self._id}, key={self.key!r})"

    @property
    def id(self) -> int | None:
        """The id of the job. None while it is known by its key only."""
        return self._id

    async def job(self) -> Job:
        """Returns the job as it is now. Raises `ApiError` 404 while it waits in an outbox or an open transaction."""
        client = await self._app.client()
        if self._id is not None:
            return await client.job(self._id)
        job = await client.job_by_key(self.key or "")
        self._id = job.id
        return job

    async def cancel(self) -> Job:
        """Cancels the job. A running one is asked to stop."""
        client = await self._app.client()
        return await client.cancel((await self.job()).id if self._id is None else self._id)

    async def result(self, timeout: Duration | None = None) -> R:
        """Waits until the job has ended. Returns what the function returned.

        Raises `JobFailed` if the job ended in another way, and `NoResultYet` if it has not ended in time.
        """
        client = await self._app.client()
        ends = None if timeout is None else local_monotonic() + seconds_of(timeout)
        job_id = await self._find(ends)
        while True:
            left = LONGEST_WAIT if ends is None else max(0.0, min(LONGEST_WAIT, ends - local_monotonic()))
            found = await client.job_result(job_id, int(left * 1000))
            if found.done:
                break
            if ends is not None and local_monotonic() >= ends:
                raise NoResultYet(f"Job {job_id} has no result yet: it is {found.status}.")
        if found.status != "succeeded":
            raise JobFailed(job_id, found.status, found.error)
        return self._read(found.result)

    def result_sync(self, timeout: Duration | None = None) -> R:
        """Does the same as `result`, for code without an event loop."""
        return self._app.in_own_loop(self.result(timeout))

    async def _find(self, ends: float | None) -> int:
        pause = FIRST_LOOK
        while self._id is None:
            try:
                await self.job()
            except ApiError as error:
                if error.status != 404:
                    raise
                if ends is not None and local_monotonic() >= ends:
                    raise NoResultYet(f"There is no job yet with the key {self.key}.") from None
                await local_sleep(pause)
                pause = min(LONGEST_LOOK, 2 * pause)
        return self._id

    def _read(self, data: Raw) -> R:
        return msgspec.json.decode(data) if self._task is None else self._task.signature.read_result(data)
