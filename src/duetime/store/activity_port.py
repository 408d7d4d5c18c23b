"""The contract of activity: sums by minute and hour, which nodes add to and people read.

Sums are for people: nothing is decided by them. A write whose answer is lost may count twice, or not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from duetime.model.activity import ActivityRow, UserLaunches
from duetime.store.schedule_port import ScheduleRow


class DueNow(NamedTuple):
    """How many jobs of a user are due and not launched, counted up to a bound, and since when the oldest is."""

    overdue: int = 0
    oldest_due: datetime | None = None
    held: int = 0
    """Due, and held back by a breaker, a limit, or unmet labels."""
    oldest_held: datetime | None = None


class InFlight(NamedTuple):
    """How many runs there are, and how many launches wait for an executor to take them."""

    running: int
    queued: int


class PlannedJob(NamedTuple):
    """A job that waits for its instant."""

    job_id: int
    user_id: int
    due_at: datetime
    schedule_id: int | None


class ActivitySums(Protocol):
    """Sums, and jobs to come. Reads are bounded: none grows with the number of jobs that wait or have ended."""

    async def read(self, user_id: int, span: int, first: datetime, until: datetime) -> list[ActivityRow]:
        """Returns the sums of a user, or of all users together (`EVERYBODY`), oldest first."""
        ...

    async def launches(self, first: datetime, limit: int) -> list[UserLaunches]:
        """Returns the users with the most launches since an hour's beginning."""
        ...

    async def in_flight(self, user_id: int | None) -> InFlight:
        """Returns what is in flight, of a user or of all users."""
        ...

    async def totals(self) -> dict[str, int]:
        """Returns how many jobs of all users are in each state, as last folded."""
        ...

    async def blocked_lanes(self, most: int) -> int:
        """Returns how many lanes of all users wait for a person, counted up to `most`."""
        ...

    async def schedules(self, ids: Sequence[int]) -> list[ScheduleRow]:
        """Returns schedules of any user."""
        ...

    async def planned(self, user_id: int | None, first: datetime, until: datetime, most: int) -> list[PlannedJob]:
        """Returns jobs that come due within a time, of a user or of all users: at most `most`, the first ones.

        Of a user with many flows, those of the first flows.
        """
        ...


class ActivityReader(ActivitySums, Protocol):
    """Reads of one store."""

    async def due_now(self, user_id: int, before: datetime, most: int, held: Sequence[int] = ()) -> DueNow:
        """Returns what a user has that was due before an instant. Each count ends at `most`.

        The jobs of the flows `held` are held back, as those behind closed gates are.
        """
        ...

    async def due_flows(self, user_id: int, before: datetime) -> list[int]:
        """Returns the flows of a user with jobs that were due before an instant: some, if there are very many."""
        ...


class ActivityStore(ActivityReader, Protocol):
    """Reads sums of activity, and adds to them."""

    async def add(self, rows: Sequence[ActivityRow]) -> None:
        """Add these sums to those of the same user, span and time."""
        ...

    async def drop(self, minutes_before: datetime, hours_before: datetime) -> None:
        """Delete the sums of minutes and of hours that are older than these instants."""
        ...
