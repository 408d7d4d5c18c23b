"""What follows from an outcome under a policy: another attempt at an instant, or an end. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from duetime.engine.settling.opening_hours import next_open
from duetime.model.backoff import backoff_delay
from duetime.model.outcome import Failure, Outcome
from duetime.model.policy import Policy
from duetime.model.states import JobState
from duetime.timing.calendars import Calendar

CRASH_ATTEMPTS = 5
"""How many attempts of a job may lose their executor before the job counts as the cause."""
CRASH = "crash"
REFUSED = "refused"
"""A rule of the operator's forbids the attempt, and forbids the next one too."""


class Verdict(Struct, frozen=True):
    """What follows an attempt: another attempt at `next_at`, or the end in `state`."""

    state: JobState
    next_at: datetime | None = None
    park: bool = False
    """Whether the job is dead and blocks its lane until a person decides."""
    reason: str | None = None
    spared: bool = False
    """Whether the attempt does not count: it was given back."""


def verdict(
    outcome: Outcome,
    policy: Policy,
    *,
    attempt: int,
    now: datetime,
    first_due: datetime,
    in_lane: bool,
    cancelled: bool,
    chance: float,
    closed: Calendar | None = None,
) -> Verdict:
    """Returns the verdict on an attempt that ended.

    `attempt` is the number of this life's attempts, including the one that ended. `chance`, in [0, 1), spreads retries.
    """
    if outcome.state is JobState.SUCCEEDED:
        return Verdict(JobState.SUCCEEDED)
    if outcome.state is JobState.CANCELLED or cancelled:
        return Verdict(JobState.CANCELLED, reason="cancelled while running")
    if outcome.state is JobState.SUSPENDED:
        next_at = next_open(policy, now + timedelta(seconds=outcome.next_after or 0.0), closed)
        return Verdict(JobState.SUSPENDED, next_at=next_at or now, spared=True)
    failure = outcome.failure or Failure("error", "The attempt failed.")
    if policy.delivery == "at_most_once":
        if failure.kind == CRASH:
            return Verdict(JobState.LOST, reason="the executor went away, and an at_most_once job is never run again")
        return _end(failure, policy, in_lane)
    if outcome.final or not _may_retry(failure, policy, attempt):
        return _end(failure, policy, in_lane)
    wait = 0.0 if failure.kind == CRASH else backoff_delay(policy.retry, attempt, chance)
    if failure.retry_after is not None:
        wait = max(wait, min(failure.retry_after, policy.retry.cap))
    if outcome.next_after is not None:
        wait = outcome.next_after
    next_at = next_open(policy, now + timedelta(seconds=wait), closed)
    if next_at is None:
        return _end(failure, policy, in_lane)
    if policy.retry.deadline is not None and next_at > first_due + timedelta(seconds=policy.retry.deadline):
        return _end(failure, policy, in_lane)
    return Verdict(JobState.FAILED, next_at=next_at)


def _end(failure: Failure, policy: Policy, in_lane: bool) -> Verdict:
    park = in_lane and policy.on_failure == "block"
    return Verdict(JobState.DEAD, park=park, reason=failure.message)


def _may_retry(failure: Failure, policy: Policy, attempt: int) -> bool:
    retry = policy.retry
    if failure.kind == REFUSED:
        return False
    if any(_matches(failure.kind, pattern) for pattern in retry.give_up_on):
        return False
    if failure.kind == CRASH:
        return attempt < max(retry.max_attempts, CRASH_ATTEMPTS)
    if attempt >= retry.max_attempts:
        return False
    return not retry.retry_on or any(_matches(failure.kind, pattern) for pattern in retry.retry_on)


def _matches(kind: str, pattern: str) -> bool:
    """Whether a failure kind matches: `http_4xx` matches every code from 400 to 499, anything else only itself."""
    if pattern.startswith("http_") and pattern.endswith("xx"):
        return kind.startswith(pattern[:-2]) and len(kind) == len(pattern)
    return kind == pattern
