"""What clients get to see of dead letters, lanes and broken hosts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.jobs.views import JobView, RunView
from duetime.api.services import BrokenHost, LaneState
from duetime.model.states import JobState


class DeadLetterView(Struct, frozen=True):
    """A job that failed for good, with all its attempts."""

    job: JobView
    runs: list[RunView]


class ChosenView(Struct, frozen=True):
    """Which dead letters it was, or would be."""

    ids: list[int]
    count: int
    more_remain: Annotated[bool, Meta(description="Whether there are more than one call can do: call again.")]
    dry_run: Annotated[bool, Meta(description="Whether nothing was done.")]


class LaneView(Struct, frozen=True):
    """Jobs with the same ordering key that have not ended."""

    key: str
    length: Annotated[int, Meta(description="How many there are, counted up to 10,000.")]
    head: Annotated[int, Meta(description="The id of the first one.")]
    head_status: JobState
    blocked: Annotated[bool, Meta(description="Whether the first one failed for good, and the rest wait for a person.")]
    reason: Annotated[str, Meta(description="Why the first one failed.")] | None


class LaneChangeView(Struct, frozen=True):
    """What was done to a lane."""

    ids: Annotated[list[int], Meta(description="The jobs that it was done to.")]
    lane: Annotated[LaneView, Meta(description="The lane after that; null when nothing is left in it.")] | None


class BreakerView(Struct, frozen=True):
    """A host that is taken to be down: jobs that call it wait, but for one at a time that tries."""

    host: Annotated[str, Meta(examples=["https://example.com:8443"])]
    failures: Annotated[int, Meta(description="How many attempts in a row failed before it was taken to be down.")]
    opened_at: datetime


def lane_view(lane: LaneState) -> LaneView:
    """A lane as shown."""
    return LaneView(lane.lane, lane.length, lane.head, lane.head_state, lane.blocked, lane.reason)


def breaker_view(broken: BrokenHost) -> BreakerView:
    """A broken host as shown."""
    return BreakerView(broken.host, broken.failures, broken.opened_at)
