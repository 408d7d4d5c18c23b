"""The contract of the store for schedules and calendars. The obligations of `store.port` apply here too.

Every verb acquires locks in the same order: first the launch locks of jobs (rows in `in_flight`), then the rows of
schedules, each in the order of ids. When a verb finds another version of a schedule, or another pending occurrence,
than the caller planned with, it changes nothing of that schedule, and the caller plans again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from msgspec import Struct

from duetime.model.ids import NodeId
from duetime.model.schedule import ScheduleRecord, StoredCalendar
from duetime.store.port import JobRef, LaunchedRow


class ScheduleRow(NamedTuple):
    """A schedule as it is stored: the columns of `schedule_rows`."""

    id: int
    user_id: int
    name: str
    spec: str
    definition_id: int
    shard: int
    message: str
    ordering_key: str | None
    priority: int
    labels: str | None
    expires_after: float | None
    misfire: str | None
    overlap: str
    max_occurrences: int | None
    state: str
    version: int
    occurrences: int
    pending_job: int | None
    pending_nominal: datetime | None
    pending_due: datetime | None
    accounted_until: datetime | None
    judged_until: datetime | None
    effective_from: datetime
    created_at: datetime
    updated_at: datetime
    calendar_version: int | None
    calendar: str | None


class ScheduleColumns(NamedTuple):
    """What a person decides about a schedule, as it is stored."""

    name: str
    spec: str
    calendar_id: int | None
    definition_id: int
    flow: int
    shard: int
    message: str
    ordering_key: str | None
    priority: int
    labels: str | None
    expires_after: float | None
    misfire: str | None
    overlap: str
    max_occurrences: int | None

    def as_new(self, schedule_id: int, user_id: int, now: datetime) -> ScheduleRow:
        """Returns the row of a new schedule with these columns and no occurrence. The next call raises the version."""
        own = self._asdict()
        del own["calendar_id"], own["flow"]
        return ScheduleRow(
            id=schedule_id,
            user_id=user_id,
            **own,
            state="active",
            version=0,
            occurrences=0,
            pending_job=None,
            pending_nominal=None,
            pending_due=None,
            accounted_until=None,
            judged_until=None,
            effective_from=now,
            created_at=now,
            updated_at=now,
            calendar_version=None,
            calendar=None,
        )


class SkippedRange(Struct, frozen=True):
    """Instants that are to be recorded as skipped."""

    first: datetime
    last: datetime
    count: int | None
    reason: str


class NextJob(NamedTuple):
    """A schedule's next occurrence, if any, and how far its instants are accounted for: as `next_row`."""

    schedule_id: int
    nominal: datetime | None
    due_at: datetime | None
    expires_at: datetime | None
    occurrence: int
    """The number of the next occurrence: one more than the number launched."""
    message: str | None
    accounted_until: datetime | None
    judged_until: datetime | None
    effective_from: datetime
    state: str


class Launching(NamedTuple):
    """The job to launch: the pending occurrence, moved to another instant if the plan says so."""

    execute_at: datetime
    due_at: datetime
    expires_at: datetime | None
    message: str
    lane: str | None
    moved: bool
    """Whether the job's row must be changed."""
    minted_message: str
    minted_expires_at: datetime | None
    """Message and expiry that the pending job was minted with. If a person has changed one since, the change stays."""


class Minting(Struct, frozen=True):
    """The plan for one schedule: launch or skip its pending occurrence, and mint the next."""

    job_id: int
    user_id: int
    term: int
    version: int
    calendar_version: int | None
    """The version of the calendar that the plan is made with."""
    launch: Launching | None
    own_skip: SkippedRange | None
    """Without a launch: how the pending job is recorded as skipped."""
    skips: tuple[SkippedRange, ...]
    next: NextJob
    alone: bool = False
    """Whether the plan assumes that every earlier occurrence is finished. The store must then check it."""

    @property
    def unchanged(self) -> bool:
        """Whether the plan only launches the pending occurrence as it is and stores the next one."""
        return self.launch is not None and not self.launch.moved and not self.skips


class Minted(Struct, frozen=True):
    """What was done of a batch of plans."""

    rows: list[LaunchedRow] = []
    """The launched occurrences and what to run, read under their locks."""
    next: list[JobRef] = []
    queued: set[int] = set()
    """Jobs that entered their lane and wait in it."""
    outdated: set[int] = set()
    """Schedules that differ from what their plan was made with."""
    deferred: set[int] = set()
    """Jobs that `launch_and_mint` cannot launch as they are: the caller gives their plans to `mint`."""
    moved: set[int] = set()
    """Schedules whose plans `mint` has carried out."""

    @property
    def launched(self) -> set[int]:
        """Returns the ids of the launched jobs."""
        return {row.id for row in self.rows}


def first_of_lanes(mintings: Sequence[Minting]) -> list[Minting]:
    """Returns the plans that can be carried out at once, by job id: of each lane only the first, by instant and id."""
    first: dict[tuple[int, str], tuple[datetime, int]] = {}
    for one in mintings:
        if one.launch and one.launch.lane:
            lane, position = (one.user_id, one.launch.lane), (one.launch.execute_at, one.job_id)
            first[lane] = min(first.get(lane, position), position)
    ordered = sorted(mintings, key=lambda one: one.job_id)
    if not first:
        return ordered
    heads = {job_id for _, job_id in first.values()}
    return [one for one in ordered if one.launch is None or one.launch.lane is None or one.job_id in heads]


class Replan(NamedTuple):
    """A change to one schedule: its pending occurrence is withdrawn, and another one is stored instead."""

    user_id: int
    version: int
    pending_job: int | None
    skips: tuple[SkippedRange, ...]
    next: NextJob


class ExtraJob(NamedTuple):
    """A job of a schedule in addition to its occurrences."""

    nominal: datetime
    due_at: datetime
    message: str
    lane: str | None
    expires_at: datetime | None


class MintStore(Protocol):
    """Launches occurrences, and stores the next one of each schedule."""

    async def to_launch(self, ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        """Returns schedules by id, each with its earlier occurrences that are not finished."""
        ...

    async def launch_and_mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Launch occurrences as they are, and store the next one of each schedule. Fenced like a launch.

        Nothing is changed for these:
        - A schedule whose version, pending occurrence or calendar's version is not the plan's. It is `outdated`.
        - A schedule that has an earlier occurrence unfinished although the plan is `alone`. It is `outdated`; an
          `alone` plan is so too when the node is fenced or the job is in flight.
        - A job that is not next in its lane, or whose schedule has a job for the next nominal instant already. It is
          `deferred`.

        A job that was given another instant meanwhile is not launched, but the next occurrence is stored. A repeat
        finds other pending occurrences.
        """
        ...

    async def mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Carry out plans of any kind in one transaction. Fenced like a launch; does not check `alone`.

        A repeat finds other pending occurrences. An occurrence that is not next in its lane enters the lane and waits.
        """
        ...


class ScheduleStore(Protocol):
    """Stores schedules for people. Every change is audited in its transaction."""

    async def numbers(self, count: int) -> list[int]:
        """Returns ids for new schedules."""
        ...

    async def create(
        self, user_id: int, columns: Sequence[ScheduleColumns], first: Sequence[NextJob], now: datetime, actor: int
    ) -> list[JobRef]:
        """Store schedules with their first occurrences, all or none. Raises `Conflict` when a schedule has the name."""
        ...

    async def replan(
        self,
        replans: Sequence[Replan],
        now: datetime,
        *,
        action: str | None = None,
        actor: int | None = None,
        columns: ScheduleColumns | None = None,
        delete: bool = False,
    ) -> tuple[set[int], list[JobRef]]:
        """Change schedules. Returns the ids of those changed, and their new pending occurrences.

        `columns` and `delete` are for a call with one schedule.
        """
        ...

    async def schedule(self, user_id: int, schedule_id: int) -> ScheduleRow | None:
        """Returns one schedule."""
        ...

    async def named(self, user_id: int, names: Sequence[str]) -> list[ScheduleRow]:
        """Returns schedules by name."""
        ...

    async def schedules(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None
    ) -> list[ScheduleRow]:
        """Returns schedules in the order of ids."""
        ...

    async def count(self, user_id: int) -> int:
        """Returns how many schedules a user has."""
        ...

    async def needing_repair(self, limit: int) -> list[ScheduleRow]:
        """Returns schedules that need repair: active ones without a pending occurrence."""
        ...

    async def of_calendar(self, calendar_id: int, after_id: int, limit: int) -> list[ScheduleRow]:
        """Returns schedules that use a calendar and are not paused."""
        ...

    async def every(self, after_id: int, limit: int) -> list[ScheduleRow]:
        """Returns active schedules of all users, in the order of ids."""
        ...

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """Returns the record of a schedule's instants, newest first, also after the schedule was deleted."""
        ...

    async def add_jobs(
        self, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        """Store jobs of a schedule in addition to its occurrences, all or none."""
        ...

    async def fact(self, name: str) -> str | None:
        """Returns a named value about all schedules."""
        ...

    async def remember(self, name: str, value: str) -> None:
        """Store a named value about all schedules, in place of the last one."""
        ...


class CalendarStore(Protocol):
    """Stores calendars. Every change is audited in its transaction."""

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """Create a calendar. Raises `Conflict` when the user has one with this name."""
        ...

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """Returns one calendar."""
        ...

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Returns calendars by name."""
        ...

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns calendars in the order of ids."""
        ...

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Replace the dates of a calendar. Returns None when there is no such calendar."""
        ...

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Delete a calendar. Raises `Conflict` while a schedule uses it. Returns whether there was one."""
        ...
