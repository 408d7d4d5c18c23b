"""What the API asks of the engine about schedules. `NotFound` for what is somebody else's, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from duetime.model.schedule import Schedule, ScheduleContent, ScheduleRecord, StoredCalendar
from duetime.timing.calendars import Calendar
from duetime.timing.preview import PreviewRow
from duetime.timing.spec import Timing


class Schedules(Protocol):
    """Schedules. After an answer nothing starts under what was before."""

    async def create(self, user_id: int, contents: Sequence[ScheduleContent], actor: int, /) -> list[int]:
        """Register all or none; `Conflict` when a name is taken."""
        ...

    async def check(self, user_id: int, contents: Sequence[ScheduleContent], new: Collection[str], /) -> None:
        """Change nothing: `Invalid`, with the index of the first that could not be registered or set."""
        ...

    async def show(self, user_id: int, schedule_id: int, /) -> Schedule:
        """One schedule."""
        ...

    async def named(self, user_id: int, names: Sequence[str], /) -> Sequence[Schedule]:
        """Schedules by name, those that there are."""
        ...

    async def list(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None, /
    ) -> Sequence[Schedule]:
        """Schedules by id."""
        ...

    async def edit(self, user_id: int, schedule_id: int, content: ScheduleContent, actor: int, /) -> Schedule:
        """Set what a schedule says."""
        ...

    async def pause(self, user_id: int, schedule_id: int, actor: int, /) -> Schedule:
        """Let nothing start from here on."""
        ...

    async def resume(self, user_id: int, schedule_id: int, actor: int, /) -> Schedule:
        """Go on."""
        ...

    async def delete(self, user_id: int, schedule_id: int, actor: int, /) -> Schedule:
        """Remove one; as it was."""
        ...

    async def preview(
        self, user_id: int, schedule_id: int, count: int, after: datetime | None, /
    ) -> Sequence[PreviewRow]:
        """What is to come."""
        ...

    async def preview_of(
        self, user_id: int, timing: Timing, name: str, count: int, after: datetime | None, /
    ) -> Sequence[PreviewRow]:
        """What would come of a timing."""
        ...

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int, /) -> Sequence[ScheduleRecord]:
        """What became of its instants, newest first."""
        ...


class Backfilled(Protocol):
    """What a backfill makes."""

    @property
    def nominals(self) -> Sequence[datetime]: ...
    @property
    def first_at(self) -> datetime: ...
    @property
    def last_at(self) -> datetime: ...
    @property
    def ids(self) -> Sequence[int]: ...


class Backfill(Protocol):
    """Jobs of a schedule beside its occurrences."""

    async def run_now(self, user_id: int, schedule_id: int, actor: int, /) -> int:
        """Launch one now; the job's id."""
        ...

    async def fill(
        self,
        user_id: int,
        schedule_id: int,
        start: datetime,
        end: datetime,
        actor: int,
        /,
        *,
        pace: timedelta,
        dry_run: bool,
    ) -> Backfilled:
        """Launch the instants of a stretch of the past."""
        ...


class Calendars(Protocol):
    """Calendars."""

    async def create(self, user_id: int, calendar: Calendar, actor: int, /) -> StoredCalendar:
        """A new one; `Conflict` when the name is taken."""
        ...

    async def show(self, user_id: int, calendar_id: int, /) -> StoredCalendar:
        """One calendar."""
        ...

    async def list(self, user_id: int, after_id: int, limit: int, /) -> Sequence[StoredCalendar]:
        """Calendars by id."""
        ...

    async def edit(self, user_id: int, calendar_id: int, calendar: Calendar, actor: int, /) -> StoredCalendar:
        """Other dates; on return nothing is minted by the former ones."""
        ...

    async def delete(self, user_id: int, calendar_id: int, actor: int, /) -> StoredCalendar:
        """Remove one that nothing goes by; as it was."""
        ...
