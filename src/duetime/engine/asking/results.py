"""Waits for the ends of jobs: at once for those that are settled at this node, else by looking now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from duetime.clock.port import Clock
from duetime.model.job import Job
from duetime.model.states import FINAL

FIRST_LOOK, LONGEST = timedelta(milliseconds=50), timedelta(seconds=1)


class Results:
    """Wakes those who wait for a job's end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[int, list[asyncio.Event]] = {}

    def raise_for(self, job_id: int) -> None:
        """A run of this job was settled here."""
        for signal in self._waiting.get(job_id, ()):
            signal.set()

    async def ended(self, job_id: int, read: Callable[[], Awaitable[Job]], until: datetime) -> Job:
        """Returns a job when it has ended, or as it is at an instant."""
        signal, pause = asyncio.Event(), FIRST_LOOK
        self._waiting.setdefault(job_id, []).append(signal)
        try:
            while True:
                signal.clear()
                job, now = await read(), self._clock.now()
                if job.state in FINAL or now >= until:
                    return job
                await self._clock.wait(signal, min(now + pause, until))
                pause = min(pause * 2, LONGEST)
        finally:
            waiting = self._waiting[job_id]
            waiting.remove(signal)
            if not waiting:
                del self._waiting[job_id]
