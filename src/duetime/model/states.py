"""The states of a job and the allowed transitions: the same table as the CHECK constraints and `docs/states.md`."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class JobState(StrEnum):
    """The states of a job."""

    CREATED = "created"
    QUEUED = "queued"
    RUNNING = "running"
    SUSPENDED = "suspended"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    LOST = "lost"


_S = JobState

TRANSITIONS: Final[dict[JobState, frozenset[JobState]]] = {
    _S.CREATED: frozenset({_S.QUEUED, _S.RUNNING, _S.CANCELLED, _S.SKIPPED, _S.SUSPENDED}),
    _S.QUEUED: frozenset({_S.RUNNING, _S.CREATED, _S.CANCELLED, _S.LOST}),
    _S.RUNNING: frozenset({_S.SUCCEEDED, _S.FAILED, _S.DEAD, _S.CANCELLED, _S.LOST, _S.SUSPENDED}),
    _S.FAILED: frozenset({_S.CREATED, _S.DEAD, _S.CANCELLED}),
    _S.SUSPENDED: frozenset({_S.CREATED, _S.CANCELLED, _S.DEAD, _S.SKIPPED}),
    _S.DEAD: frozenset({_S.CREATED, _S.CANCELLED}),
    _S.SUCCEEDED: frozenset(),
    _S.CANCELLED: frozenset(),
    _S.SKIPPED: frozenset({_S.SUSPENDED}),
    _S.LOST: frozenset(),
}

FINAL: Final = frozenset({_S.SUCCEEDED, _S.DEAD, _S.CANCELLED, _S.SKIPPED, _S.LOST})
"""The states in which a job has ended. Only a dead job can be redriven; skipped steps that waited for it wait again."""

OPEN: Final = frozenset(JobState) - FINAL


def may(before: JobState, after: JobState) -> bool:
    """Whether a job may change from one state to another."""
    return after in TRANSITIONS[before]
