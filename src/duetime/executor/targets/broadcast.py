"""The run of a `broadcast` target: creates a job for each living worker."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal

from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.broadcast import BroadcastAnswer

Spread = Callable[[LaunchedRun], Awaitable[list[int] | str]]
"""Creates the jobs of a broadcast. Returns their ids, or why there is no worker."""


async def _no_workers(run: LaunchedRun) -> list[int] | str:
    return "This node knows no workers."


NO_WORKERS: Spread = _no_workers


class BroadcastRunner:
    """Succeeds when a job for each worker is stored. What became of them is on their own records."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self, spread: Spread) -> None:
        self._spread = spread

    async def run(self, run: LaunchedRun) -> Outcome:
        """Create the jobs. Returns success with their ids, or the failure `no_worker`."""
        jobs = await self._spread(run)
        if isinstance(jobs, str):
            return failed("no_worker", jobs)
        return Outcome(JobState.SUCCEEDED, answer=BroadcastAnswer(jobs))

    async def close(self) -> None:
        """There is nothing to release."""
