"""Calls about workers, and about the results of jobs."""

from __future__ import annotations

from urllib.parse import quote

from .answers import JobResult, Queue, Worker, WorkerDetail
from .calls import Calls

WORKERS = "/api/v1/workers"


class WorkerCalls(Calls):
    """Shows workers, lets them finish, and waits for results."""

    async def workers(self) -> list[Worker]:
        """Returns the user's living workers."""
        return self._read(await self._session.call("GET", WORKERS, safe=True), list[Worker])

    async def worker(self, worker: str) -> WorkerDetail:
        """Returns a living worker, with the runs that it holds."""
        path = f"{WORKERS}/{quote(worker, safe='')}"
        return self._read(await self._session.call("GET", path, safe=True), WorkerDetail)

    async def queues(self) -> list[Queue]:
        """Returns the user's queues that have due jobs, runs or workers."""
        return self._read(await self._session.call("GET", "/api/v1/me/queues", safe=True), list[Queue])

    async def drain_worker(self, worker: str) -> None:
        """Asks a worker to finish its runs and leave."""
        await self._session.call("POST", f"{WORKERS}/{quote(worker, safe='')}/drain")

    async def result(self, job_id: int, *, wait: float = 0.0) -> JobResult:
        """Returns what a job ended with, after at most `wait` seconds (up to 20); `done` says whether it has ended."""
        params = {"wait_ms": str(round(wait * 1000))}
        path = f"/api/v1/me/jobs/{job_id}/result"
        return self._read(await self._session.call("GET", path, params=params, safe=True), JobResult)
