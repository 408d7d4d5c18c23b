"""The contract of the store for schedules and calendars. The obligations of `store.port` hold here too.

The locks are taken in one order by everybody: first the launch locks of jobs (rows in `in_flight`), then the
rows of schedules, each in the order of their ids. Whoever finds another version or another pending
occurrence than it planned with changes nothing, and plans anew.
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
    """A schedule as stored: the columns of `schedule_rows`."""

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
    """What a person says about a schedule, as it is stored."""

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
        """The row of a schedule that says this and has done nothing yet; the version is the next call's to raise."""
        said = self._asdict()
        del said["calendar_id"], said["flow"]
        return ScheduleRow(
            id=schedule_id,
            user_id=user_id,
            **said,
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
    """Instants on their way to the record as skipped."""

    first: datetime
    last: datetime
    count: int | None
    reason: str


class NextJob(NamedTuple):
    """Where a schedule goes on: its next occurrence, if any, and how far it is accounted for; as `next_row`."""

    schedule_id: int
    nominal: datetime | None
    due_at: datetime | None
    expires_at: datetime | None
    occurrence: int
    """The number of the next occurrence: one more than were launched."""
    message: str | None
    accounted_until: datetime | None
    judged_until: datetime | None
    effective_from: datetime
    state: str


class Launching(NamedTuple):
    """The job that is launched: the pending one, made that of another instant where need be."""

    execute_at: datetime
    due_at: datetime
    expires_at: datetime | None
    message: str
    lane: str | None
    moved: bool
    """Whether the job's row must be changed for it."""
    minted_message: str
    minted_expires_at: datetime | None
    """What the pending job was minted with: where a person has put something else since, that stays."""


class Minting(Struct, frozen=True):
    """A planned step of one schedule: launch or skip its pending occurrence, and mint the next."""

    job_id: int
    user_id: int
    term: int
    version: int
    calendar_version: int | None
    """Of the calendar that it is planned by."""
    launch: Launching | None
    own_skip: SkippedRange | None
    """With no launch: the record that the pending job becomes."""
    skips: tuple[SkippedRange, ...]
    next: NextJob
    alone: bool = False
    """Whether it is planned for that no earlier occurrence is unfinished, and this must still be looked at."""

    @property
    def unchanged(self) -> bool:
        """Whether the pending occurrence is launched and nothing else is to be written but the next one."""
        return self.launch is not None and not self.launch.moved and not self.skips


class Minted(Struct, frozen=True):
    """What came of a batch."""

    rows: list[LaunchedRow] = []
    """What was launched, and is to be done, as it stands once it is locked."""
    next: list[JobRef] = []
    queued: set[int] = set()
    """Jobs that entered their lane, and wait in it."""
    outdated: set[int] = set()
    """Schedules that were not what was planned with."""
    deferred: set[int] = set()
    """Jobs that cannot go as they are: for `mint` to deal with."""
    moved: set[int] = set()
    """Schedules whose plans `mint` carried out."""

    @property
    def launched(self) -> set[int]:
        """The ids launched."""
        return {row.id for row in self.rows}


def first_of_lanes(mintings: Sequence[Minting]) -> list[Minting]:
    """Those that may go at once, in the order of their jobs' ids: of each lane the first one, by instant and id."""
    first: dict[tuple[int, str], tuple[datetime, int]] = {}
    for one in mintings:
        if one.launch and one.launch.lane:
            lane, place = (one.user_id, one.launch.lane), (one.launch.execute_at, one.job_id)
            first[lane] = min(first.get(lane, place), place)
    ordered = sorted(mintings, key=lambda one: one.job_id)
    if not first:
        return ordered
    heads = {job_id for _, job_id in first.values()}
    return [one for one in ordered if one.launch is None or one.launch.lane is None or one.job_id in heads]


class Replan(NamedTuple):
    """A change to one schedule: its pending occurrence is withdrawn and another stored in its place."""

    user_id: int
    version: int
    pending_job: int | None
    skips: tuple[SkippedRange, ...]
    next: NextJob


class ExtraJob(NamedTuple):
    """A job of a schedule beside its occurrences."""

    nominal: datetime
    due_at: datetime
    message: str
    lane: str | None
    expires_at: datetime | None


class MintStore(Protocol):
    """Launching occurrences."""

    async def to_launch(self, ids: Sequence[int]) -> list[tuple[ScheduleRow, list[int]]]:
        """Schedules by id, each with its unfinished earlier occurrences."""
        ...

    async def launch_and_mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Launch occurrences that go as they are, and store the next one of each schedule; fenced like a launch.

        Nothing is done about a schedule of another version, pending occurrence or version of its calendar than the
        plan's, nor about one that has an earlier occurrence unfinished although the plan says it is `alone`: they are
        `outdated` (of those that are to be alone also when the node is fenced or the job in flight). Nor about a
        job whose lane is not free for it, or whose schedule's next nominal instant is taken: these are `left`. A job
        that was given another instant meanwhile is not launched, but its schedule moves on.
        """
        ...

    async def mint(self, node: NodeId, now: datetime, mintings: Sequence[Minting]) -> Minted:
        """Carry plans of any kind out, in one transaction; fenced like a launch, `alone` or not.

        A repeat finds other pending occurrences. An occurrence whose lane is not free for it enters it, and waits.
        """
        ...


class ScheduleStore(Protocol):
    """Schedules as people handle them. Every change is audited in its transaction."""

    async def numbers(self, count: int) -> list[int]:
        """Ids for new schedules."""
        ...

    async def create(
        self, user_id: int, columns: Sequence[ScheduleColumns], first: Sequence[NextJob], now: datetime, actor: int
    ) -> list[JobRef]:
        """Register all or none with their first occurrences; `Conflict` when a name is taken."""
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
        """Change schedules; the ids changed, and their new occurrences. `columns` and `delete` go with one schedule."""
        ...

    async def schedule(self, user_id: int, schedule_id: int) -> ScheduleRow | None:
        """One schedule."""
        ...

    async def named(self, user_id: int, names: Sequence[str]) -> list[ScheduleRow]:
        """Schedules by name."""
        ...

    async def schedules(
        self, user_id: int, after_id: int, limit: int, state: str | None, q: str | None
    ) -> list[ScheduleRow]:
        """Schedules by id."""
        ...

    async def count(self, user_id: int) -> int:
        """How many schedules a user has."""
        ...

    async def needing_repair(self, limit: int) -> list[ScheduleRow]:
        """Active schedules without a pending occurrence."""
        ...

    async def of_calendar(self, calendar_id: int, after_id: int, limit: int) -> list[ScheduleRow]:
        """Schedules that go by a calendar and are not paused."""
        ...

    async def every(self, after_id: int, limit: int) -> list[ScheduleRow]:
        """Active schedules of everybody."""
        ...

    async def history(self, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """What became of a schedule's instants, newest first."""
        ...

    async def add_jobs(
        self, schedule_id: int, jobs: Sequence[ExtraJob], now: datetime, actor: int, action: str
    ) -> list[JobRef]:
        """Store jobs of a schedule beside its occurrences, all or none."""
        ...

    async def fact(self, name: str) -> str | None:
        """Something remembered about all schedules."""
        ...

    async def remember(self, name: str, value: str) -> None:
        """Remember something about all schedules."""
        ...


class CalendarStore(Protocol):
    """Calendars. Every change is audited in its transaction."""

    async def create(self, user_id: int, name: str, content: str, now: datetime, actor: int) -> StoredCalendar:
        """A new calendar; `Conflict` when the name is taken."""
        ...

    async def calendar(self, user_id: int, calendar_id: int) -> StoredCalendar | None:
        """One calendar."""
        ...

    async def named(self, user_id: int, names: Sequence[str]) -> list[StoredCalendar]:
        """Calendars by name."""
        ...

    async def calendars(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Calendars by id."""
        ...

    async def edit(
        self, user_id: int, calendar_id: int, content: str, now: datetime, actor: int
    ) -> StoredCalendar | None:
        """Other dates."""
        ...

    async def delete(self, user_id: int, calendar_id: int, now: datetime, actor: int) -> bool:
        """Remove one; `Conflict` while a schedule goes by it."""
        ...
