"""Counts of a user's jobs by state, and of its blocked lanes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.api.server.route import Call, Route
from duetime.model.states import JobState


class StatsView(Struct, frozen=True):
    """How many jobs and blocked lanes a user has."""

    jobs: Annotated[dict[JobState, int], Meta(description="How many jobs are in each state.")]
    blocked_lanes: Annotated[
        int, Meta(description="How many lanes wait for a person, because their first job failed for good.")
    ]


async def count_jobs(call: Call[None, None]) -> dict[JobState, int]:
    """How many jobs are in each state, states without jobs included."""
    return dict.fromkeys(JobState, 0) | await call.services.jobs.insight.stats(call.user.id)


async def show_stats(call: Call[None, None]) -> StatsView:
    """How many jobs are in each state, and how many lanes are blocked."""
    jobs = await count_jobs(call)
    return StatsView(jobs, await call.services.jobs.dead_letters.blocked_lanes(call.user.id))


ROUTES = (
    Route("GET", "/api/v1/me/jobs/stats", count_jobs, "Count your jobs by state", answer=dict[JobState, int]),
    Route("GET", "/api/v1/me/stats", show_stats, "Count your jobs and blocked lanes", answer=StatsView),
)
