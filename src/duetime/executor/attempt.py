"""One attempt: run the target within the policy's time, and turn whatever happens into an outcome."""

from __future__ import annotations

import asyncio

import structlog

from duetime.executor.targets.port import Target
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun

log = structlog.get_logger()


async def attempt(run: LaunchedRun, target: Target) -> Outcome:
    """Carry out one attempt. Cancellation passes through."""
    limit = run.definition.policy.timeout
    try:
        async with asyncio.timeout(limit):
            return await target.run(run)
    except TimeoutError:
        return failed("timeout", f"The attempt took longer than its time-out of {limit:g} s.")
    except Exception as error:
        log.exception("a target broke its contract", job=run.job_id, attempt=run.attempt)
        return failed("defect", f"The target failed unexpectedly ({type(error).__name__}).")
