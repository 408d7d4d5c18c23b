"""Calls about what runs logged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from .answers import Job
from .calls import Calls
from .local_clock import Sleep
from .log_answers import LogHit

JOBS = "/api/v1/me/jobs"
MOST = 200
"""How many hits a page may have."""
FIRST_LOOK, LONGEST_LOOK, SLOWER = 0.2, 2.0, 1.5
"""How often `follow_log` looks, in seconds: more slowly the longer nothing comes."""


class LogCalls(Calls):
    """Reads, follows and searches logs."""

    _sleep: Sleep

    async def run_log(self, job_id: int, attempt: int, *, skip: int = 0) -> list[str]:
        """Returns the lines that an attempt logged, without the first `skip`."""
        path, params = f"{JOBS}/{job_id}/runs/{attempt}/logs", {"skip": str(skip)} if skip else {}
        return self._read(await self._session.call("GET", path, params=params, safe=True), dict[str, list[str]])[
            "lines"
        ]

    async def follow_log(self, job_id: int) -> AsyncIterator[tuple[int, str]]:
        """Yields the lines of all attempts, each with its attempt, as they come, until the job has ended."""
        attempt, seen, wait = 1, 0, FIRST_LOOK
        while True:
            # The job is read first: what it logged before it ended is then there.
            job = self._read(await self._session.call("GET", f"{JOBS}/{job_id}", safe=True), Job)
            lines = await self.run_log(job_id, attempt, skip=seen)
            for line in lines:
                yield attempt, line
            seen += len(lines)
            if (job.attempts or 0) > attempt:
                attempt, seen, wait = attempt + 1, 0, FIRST_LOOK
            elif job.finished:
                return
            else:
                wait = FIRST_LOOK if lines else min(LONGEST_LOOK, wait * SLOWER)
                await self._sleep(wait)

    async def search_logs(
        self,
        q: str | None = None,
        *,
        level: str | None = None,
        job_id: int | None = None,
        schedule_id: int | None = None,
        labels: Mapping[str, str] | None = None,
        status: Sequence[str] = (),
        from_: datetime | None = None,
        to: datetime | None = None,
        user_id: int | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[LogHit]:
        """Yields what jobs logged, newest first: lines with all words and "exact phrases" of `q`.

        `level` is debug, info, warning or error. `user_id` is another user, for admins.
        """
        given: dict[str, Any] = {"q": q, "level": level, "job_id": job_id, "schedule_id": schedule_id}
        params: dict[str, str | list[str]] = {name: str(value) for name, value in given.items() if value is not None}
        params |= {name: at.isoformat() for name, at in (("from", from_), ("to", to)) if at is not None}
        if labels:
            params["label"] = [f"{name}={value}" for name, value in labels.items()]
        if status:
            params["status"] = list(status)
        path = "/api/v1/me/logs" if user_id is None else f"/api/v1/users/{user_id}/logs"
        left, cursor = limit, None
        while left is None or left > 0:
            page = {"limit": str(MOST if left is None else min(left, MOST))}
            position = {} if cursor is None else {"cursor": cursor}
            answer = await self._session.call("GET", path, params={**params, **page, **position}, safe=True)
            for hit in self._read(answer, list[LogHit])[:left]:
                yield hit
                left = None if left is None else left - 1
            cursor = answer.next_cursor
            if cursor is None:
                return
