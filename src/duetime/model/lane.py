"""A lane: the jobs of one user with one ordering key, which run one at a time, in order."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from duetime.model.states import JobState


class LaneState(Struct, frozen=True):
    """A lane's first job, and how many jobs it holds (counted up to a bound)."""

    lane: str
    head: int
    head_state: JobState
    length: int
    blocked: bool
    """Whether the first job is dead and the rest wait for a person."""
    reason: str | None
    blocked_since: datetime | None = None


class LaneHead(Struct, frozen=True):
    """The job that the other jobs of a lane wait for: the one in flight, else the first."""

    job_id: int
    state: JobState
    since: datetime | None
    """Since when it runs, is on offer, or is dead; None if it waits itself."""
