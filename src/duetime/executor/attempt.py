"""One attempt: carry out a run within the policy's time-out, and turn every end into an outcome."""

from __future__ import annotations

import asyncio

import structlog

from duetime.executor.targets.port import WaitingRunner
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun

log = structlog.get_logger()


async def attempt(run: LaunchedRun, runner: WaitingRunner, longest: float) -> Outcome:
    """Carry out one attempt, for at most `longest` seconds. Returns its outcome; only a cancellation is raised."""
    limit = min(run.definition.policy.timeout, longest)
    try:
        async with asyncio.timeout(limit):
            return await runner.run(run)
    except TimeoutError:
        return failed("timeout", f"The attempt took longer than its time-out of {limit:g} s.")
    except Exception as error:
        log.exception("a runner broke its contract", job=run.job_id, attempt=run.attempt)
        return failed("defect", f"The target failed unexpectedly ({type(error).__name__}).")
