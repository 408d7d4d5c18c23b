"""A Duetime for one test: a real server and a real worker on a real database, with a clock that the test advances."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import asyncpg
from msgspec import Struct

from duetime.client import Client, Job
from duetime.client.answers import FINAL
from duetime.client.spec import Duration
from duetime.config import load
from duetime.testing.clock import AdvancedClock
from duetime.wiring.embed import EmbeddedNode, EmbeddedWorker
from duetime.work import Duetime, Task, WorkSettings
from duetime.work.durations import seconds_of

KEY = "a signing key that is the same for every test, and protects nothing"
NUDGE_EVERY = 0.05
LOOK_EVERY = 0.01
PATIENCE = 10.0
"""Real seconds that a step of `advance` waits for due jobs to end."""
WAITING = "SELECT count(*) FROM jobs WHERE due_at <= $1"
NEXT = "SELECT min(due_at) FROM jobs WHERE due_at > $1"


class Finished(Struct, frozen=True):
    """A job of a task that has ended: its state, how many attempts it took, what its function returned."""

    job: int
    status: str
    attempt: int
    result: Any = None
    error: str | None = None


class DuetimeInstance:
    """The server, the worker and the clock of a test."""

    def __init__(self, dsn: str, app: Duetime, start: datetime, data: Path) -> None:
        self.app = app
        self._dsn, self._start, self._data = dsn, start, data
        self._stack = ExitStack()
        self._stopping = threading.Event()

    @property
    def now(self) -> datetime:
        """The instant of the test's clock."""
        return self._clock.now()

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._node.url

    def start(self) -> Self:
        """Starts the server and, if the app has tasks, a worker."""
        self._clock = AdvancedClock(self._start)
        settings = {
            "data": str(self._data),
            "database": self._dsn,
            "port": 0,
            "engine.lease": 300,
            "log_level": "error",
        }
        config = load(settings, {}, None)
        self._node = EmbeddedNode(config, self._dsn, KEY, "tester", self._clock)
        self._stack.callback(self._node.stop)
        nudging = threading.Thread(target=self._nudge, name="duetime-nudge", daemon=True)
        nudging.start()
        self._stack.callback(nudging.join)
        self._stack.callback(self._stopping.set)
        self.app.use_server(self._node.url, login=self._node.login)
        self.app.name = self.app.name or "test"
        if self.app.tasks:
            worker = EmbeddedWorker(self.app, WorkSettings(slots=64, grace=5.0))
            self._stack.callback(worker.stop)
            worker.wait_ready(30.0)
        return self

    def stop(self) -> None:
        """Stops everything."""
        self._stack.close()

    async def advance(self, by: Duration) -> None:
        """Advances the clock. Every job that comes due on the way is run at its instant, before the clock moves on.

        Raises `AssertionError` if a due job does not end: it says which, and what it waits for.
        """
        end = self.now + timedelta(seconds=seconds_of(by))
        connection = await asyncpg.connect(self._dsn)
        try:
            await self._until_quiet(connection)
            while (due := await connection.fetchval(NEXT, self.now)) is not None and due <= end:
                self._move(due)
                await self._until_quiet(connection)
            self._move(end)
        finally:
            await connection.close()

    async def settle(self) -> None:
        """Waits until every job that is due now has ended."""
        await self.advance(0)

    def advance_sync(self, by: Duration) -> None:
        """Does the same as `advance`, for tests without an event loop."""
        self.app.in_own_loop(self.advance(by))

    def results(self, task: Task[Any, Any]) -> list[Finished]:
        """Returns the ended jobs of a task, oldest first."""
        return self.app.in_own_loop(self._results(task))

    def jobs(self, task: Task[Any, Any] | None = None) -> list[Job]:
        """Returns the jobs of a task, or all, oldest first, ended or not."""
        return self.app.in_own_loop(self._jobs(task))

    def client(self) -> Client:
        """Returns a new client of the server, logged in as the app is. Close it in the end."""
        return self.app.new_client()

    async def _results(self, task: Task[Any, Any]) -> list[Finished]:
        client, found = await self.app.client(), list[Finished]()
        for job in await self._jobs(task):
            if job.status in FINAL:
                end = await client.job_result(job.id, 0)
                result = task.signature.read_result(end.result) if job.status == "succeeded" else None
                error = None if end.error is None else end.error.message
                found.append(Finished(job.id, job.status, job.attempts or 0, result, error))
        return found

    async def _jobs(self, task: Task[Any, Any] | None) -> list[Job]:
        client = await self.app.client()
        found = [job async for job in client.jobs() if task is None or (job.target or {}).get("task") == task.name]
        return sorted(found, key=lambda job: job.id)

    async def _until_quiet(self, connection: Any) -> None:
        loop = asyncio.get_running_loop()
        ends = loop.time() + PATIENCE
        while await connection.fetchval(WAITING, self.now):
            if loop.time() > ends:
                raise AssertionError(await self._what_waits())
            await asyncio.sleep(LOOK_EVERY)

    async def _what_waits(self) -> str:
        waiting = [
            job for job in await self._jobs(None) if job.status not in FINAL and (job.due_at or self.now) <= self.now
        ]
        lines = [
            f"job {job.id} ({(job.target or {}).get('task', 'no task')}) is {job.status}"
            + "".join(f": {one.message}" for one in job.waiting_for)
            for job in waiting[:10]
        ]
        return f"Jobs are due and do not end within {PATIENCE:g} s: " + "; ".join(lines)

    def _move(self, instant: datetime) -> None:
        async def move() -> None:
            self._clock.advance_to(instant)

        self._node.thread.run(move())

    def _nudge(self) -> None:
        """Lets the node's periodic duties run in real time, while its clock stands still."""
        while not self._stopping.wait(NUDGE_EVERY):
            self._node.thread.call(self._node.node.nudge_duties)
