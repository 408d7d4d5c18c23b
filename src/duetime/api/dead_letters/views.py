"""What clients see of dead letters."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.jobs.views import JobView, RunView


class DeadLetterView(Struct, frozen=True):
    """A job that failed for good, with all its attempts."""

    job: JobView
    runs: list[RunView]


class GroupView(Struct, frozen=True):
    """Dead letters whose last failure is of one class."""

    kind: Annotated[str, Meta(description="The class; null where none is recorded.")] | None
    reason: Annotated[str, Meta(description="Why the newest one failed.")] | None
    count: int
    first_at: datetime
    last_at: datetime
    latest_id: int
    hosts: Annotated[tuple[str, ...], Meta(description="Hosts that some of them call.")]


class GroupsView(Struct, frozen=True):
    """Dead letters by the class of their last failure, the largest group first."""

    groups: list[GroupView]
    looked_at: Annotated[int, Meta(description="How many dead letters are in the groups.")]
    complete: Annotated[bool, Meta(description="False when there are more than the 10,000 that were looked at.")]


class DeadCountView(Struct, frozen=True):
    """How many dead letters match."""

    count: int
    capped: Annotated[bool, Meta(description="Whether counting ended at 10,000.")]


class ChosenView(Struct, frozen=True):
    """Which dead letters the call changed, or would change."""

    ids: list[int]
    count: int
    more_remain: Annotated[bool, Meta(description="Whether more are left than one call can change: call again.")]
    dry_run: Annotated[bool, Meta(description="Whether nothing was changed.")]
