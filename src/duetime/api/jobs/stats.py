"""Counts: of jobs by state, and of what waits for a person."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.server.route import Call, Route
from duetime.model.states import JobState


class StatsView(Struct, frozen=True):
    """What a user has."""

    jobs: Annotated[dict[JobState, int], Meta(description="How many jobs are in each state.")]
    blocked_lanes: Annotated[
        int, Meta(description="How many lanes wait for a person, because their first job failed for good.")
    ]


async def show_stats(call: Call[None, None]) -> StatsView:
    """How many jobs there are in each state, those without any included, and how many lanes are blocked."""
    jobs = dict.fromkeys(JobState, 0) | await call.services.insight.stats(call.user.id)
    return StatsView(jobs, await call.services.dead_letters.blocked_lanes(call.user.id))


ROUTES = (Route("GET", "/api/v1/me/stats", show_stats, "Count your jobs and blocked lanes", answer=StatsView),)
