"""One attempt: carry out a run within the policy's time-out, and turn every end into an outcome."""

from __future__ import annotations

import asyncio

import structlog
from msgspec.structs import replace

from duetime.executor.targets.port import WaitingRunner
from duetime.model.ids import run_id
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.targets.masking import mask_of
from duetime.model.targets.port import TargetKind

log = structlog.get_logger()


async def attempt(run: LaunchedRun, runner: WaitingRunner, longest: float) -> Outcome:
    """Carry out one attempt, for at most `longest` seconds. Returns its outcome; only a cancellation is raised."""
    limit = min(run.definition.policy.timeout, longest)
    try:
        async with asyncio.timeout(limit):
            return _without_secrets(await runner.run(run), run.definition.target)
    except TimeoutError:
        return timed_out(limit)
    except Exception as error:
        identity = run_id(run.job_id, run.attempt)
        log.exception("a runner broke its contract", user=run.user_id, job=run.job_id, run=identity)
        return failed("defect", f"The target failed unexpectedly ({type(error).__name__}).")


def timed_out(limit: float) -> Outcome:
    """Returns the outcome of an attempt that took longer than `limit` seconds."""
    return failed("timeout", f"The attempt took longer than its time-out of {limit:g} s.")


def _without_secrets(outcome: Outcome, target: TargetKind) -> Outcome:
    """Returns an outcome with the target's secrets hidden, before anything records or shows it."""
    secrets = target.secrets()
    mask = mask_of(frozenset(secrets.values())) if secrets else None
    if mask is None:
        return outcome
    failure, answer = outcome.failure, outcome.answer
    return replace(
        outcome,
        failure=None if failure is None else replace(failure, message=mask(failure.message)),
        answer=None if answer is None else answer.masked(mask),
    )
