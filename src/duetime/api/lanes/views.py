"""What clients see of lanes and of hosts whose circuit breaker is open."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.broken_host import BrokenHost
from duetime.model.lane import LaneState
from duetime.model.states import JobState


class LaneView(Struct, frozen=True):
    """Jobs with the same ordering key that have not ended."""

    key: str
    length: Annotated[int, Meta(description="How many jobs the lane holds, counted up to 10,000.")]
    head: Annotated[int, Meta(description="The id of the first job.")]
    head_status: JobState
    blocked: Annotated[bool, Meta(description="Whether the first job failed for good, and the rest wait for a person.")]
    reason: Annotated[str, Meta(description="Why the first job failed.")] | None
    blocked_since: Annotated[datetime, Meta(description="When the first job failed for good.")] | None


class LaneChangeView(Struct, frozen=True):
    """What a call changed in a lane."""

    ids: Annotated[list[int], Meta(description="The jobs that were changed.")]
    lane: Annotated[LaneView, Meta(description="The lane after the change; null when it is empty.")] | None


class ResetView(Struct, frozen=True):
    """A host whose breakers are reset."""

    host: str
    breakers: Annotated[int, Meta(description="How many breakers it had, one for each scheduler and user.")]


class BreakerView(Struct, frozen=True):
    """A host whose circuit breaker is open: jobs that call it wait, except one at a time that tries it."""

    host: Annotated[str, Meta(examples=["https://example.com:8443"])]
    failures: Annotated[int, Meta(description="How many attempts in a row had failed when the breaker opened.")]
    opened_at: datetime
    next_probe_at: (
        Annotated[datetime, Meta(description="From then on, the next job tries the host; null while one tries.")] | None
    )


def lane_view(lane: LaneState) -> LaneView:
    """A lane as shown."""
    return LaneView(lane.lane, lane.length, lane.head, lane.head_state, lane.blocked, lane.reason, lane.blocked_since)


def breaker_view(broken: BrokenHost) -> BreakerView:
    """A broken host as shown."""
    return BreakerView(broken.host, broken.failures, broken.opened_at, broken.next_probe_at)
