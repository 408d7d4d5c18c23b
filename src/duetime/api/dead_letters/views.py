"""What clients see of dead letters."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.jobs.views import JobView, RunView


class DeadLetterView(Struct, frozen=True):
    """A job that failed for good, with all its attempts."""

    job: JobView
    runs: list[RunView]


class ChosenView(Struct, frozen=True):
    """Which dead letters the call changed, or would change."""

    ids: list[int]
    count: int
    more_remain: Annotated[bool, Meta(description="Whether more are left than one call can change: call again.")]
    dry_run: Annotated[bool, Meta(description="Whether nothing was changed.")]
