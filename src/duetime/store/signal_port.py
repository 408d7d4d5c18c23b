"""The contract of what metrics ask the store beside the way of a job. Obligations: see `store.port`."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple, Protocol


class Standing(NamedTuple):
    """What waits for people in one database."""

    dead_letters: int
    blocked_lanes: int


class WorkerStanding(NamedTuple):
    """The living workers of one database, and their slots as their last beats say."""

    active: int
    draining: int
    slots: int
    free: int


class ScheduleStanding(NamedTuple):
    """How the last jobs of a schedule ended."""

    user_id: int
    schedule: str
    last_success: datetime | None
    """None: not among its last 100 ends."""
    ends_since_success: int


class SignalStore(Protocol):
    """Counts for operators. Every answer has a bounded cost, whatever the size of the tables."""

    async def standing(self, most: int) -> Standing:
        """Returns how many dead letters and blocked lanes there are, each counted up to `most`."""
        ...

    async def workers(self) -> WorkerStanding:
        """Returns how many workers live."""
        ...

    async def schedules(self, limit: int) -> list[ScheduleStanding]:
        """Returns how the jobs of active schedules ended lately, for the first schedules by id."""
        ...
