"""What the store holds, and what happened in it: rows as the SQL has them, and a journal of every commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, NamedTuple

from duetime.model import ids
from duetime.model.events import JobEnded
from duetime.model.gate import ClosedGate
from duetime.model.policy import Limit
from duetime.model.states import JobState
from duetime.model.user import Quotas, Role, User
from duetime.store.port import JobRef
from duetime.store.schedule_port import ScheduleRow


@dataclass(slots=True)
class JobRecord:
    """A row of `jobs`."""

    id: int
    user_id: int
    definition_id: int
    priority: int
    ready: bool
    timed: bool
    flow: int
    execute_at: datetime
    due_at: datetime
    created_at: datetime
    message: str
    attempt: int = 0
    base_attempt: int = 0
    parked: str | None = None
    expires_at: datetime | None = None
    schedule_id: int | None = None
    lane: str | None = None
    labels: str | None = None
    result: str | None = None
    occurrence: int | None = None

    @property
    def place(self) -> tuple[datetime, int]:
        """The place in its lane."""
        return (self.execute_at, self.id)

    def ref(self) -> JobRef:
        """What deciding about it needs."""
        return JobRef(
            self.id,
            self.user_id,
            self.flow,
            self.priority,
            self.due_at,
            self.attempt,
            self.lane,
            self.execute_at,
            self.schedule_id,
        )


@dataclass(slots=True)
class Flight:
    """A row of `in_flight`."""

    job_id: int
    user_id: int
    executor: int
    term: int
    attempt: int
    launched_at: datetime
    lane: str | None
    cancel: bool = False
    requires: dict[str, str] | None = None
    taken_at: datetime | None = None

    @property
    def held_since(self) -> datetime:
        """When it became its executor's: when it was taken, or else when it was launched."""
        return self.taken_at or self.launched_at


@dataclass(slots=True)
class Ended:
    """A row of `history`: the job as it was, and how it ended."""

    job: JobRecord
    state: str
    attempt: int
    finished_at: datetime
    executor: int | None = None
    launched_at: datetime | None = None
    started_at: datetime | None = None
    reason: str | None = None
    result: str | None = None
    covers_until: datetime | None = None
    covers_count: int | None = None

    def event(self) -> JobEnded:
        """The end as an event."""
        job = self.job
        return JobEnded(
            job.id,
            job.user_id,
            JobState(self.state),
            self.attempt,
            self.started_at,
            self.finished_at,
            self.reason,
            job.schedule_id,
            job.lane,
        )


class RunRecord(NamedTuple):
    """A row of `runs`."""

    job_id: int
    user_id: int
    attempt: int
    state: str
    executor: int | None
    due_at: datetime
    launched_at: datetime | None
    started_at: datetime | None
    finished_at: datetime
    result: str | None


@dataclass(slots=True)
class Schedule:
    """A row of `schedules`: what the view shows, and what it does not."""

    row: ScheduleRow
    flow: int
    needs_repair: bool = False
    calendar_id: int | None = None


@dataclass(slots=True)
class CalendarRecord:
    """A row of `calendars`."""

    id: int
    user_id: int
    name: str
    content: str
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class Shard:
    """A row of `shards`."""

    term: int = 0
    owner: int | None = None


@dataclass(slots=True)
class Member:
    """A row of `nodes`, with its lease."""

    id: int
    name: str
    roles: tuple[str, ...]
    until: datetime
    standby: int = 0
    draining: bool = False


@dataclass(slots=True)
class Subscriber:
    """A row of `subscriptions`."""

    states: tuple[JobState, ...]
    user_id: int | None
    read_until: int

    def wants(self, ended: JobEnded) -> bool:
        """Whether it asks for this end."""
        return ended.state in self.states and self.user_id in (None, ended.user_id)


class AuditEntry(NamedTuple):
    """A row of `audit`: who changed what."""

    at: datetime
    actor: int | None
    action: str
    subject: str
    owner: int | None


class Taken(Exception):
    """A primary key is taken: the statement fails as a whole."""


class Fact(NamedTuple):
    """One thing that a commit did; what it does not speak of is left at nothing."""

    at: datetime
    kind: str
    job: int = 0
    attempt: int = 0
    node: int = 0
    term: int = 0
    shard: int = -1
    state: str = ""
    text: str = ""
    lane: str = ""
    nominal: datetime | None = None
    due: datetime | None = None
    schedule: int = 0


@dataclass(frozen=True)
class Safeguards:
    """What keeps the promises. An ablation switches one off, and must be found out."""

    term: bool = True
    fence: bool = True
    unique_launch: bool = True
    holder: bool = True
    counted_before_start: bool = True
    lane_index: bool = True
    lane_order: bool = True
    unique_nominal: bool = True
    edit_lock: bool = True
    idempotency: bool = True
    kept_cancel: bool = True


@dataclass
class Tables:
    """The whole database."""

    clock: Callable[[], datetime]
    safeguards: Safeguards = field(default_factory=Safeguards)
    users: dict[int, User] = field(default_factory=dict)
    definitions: dict[int, bytes] = field(default_factory=dict)
    definition_ids: dict[tuple[int, bytes], int] = field(default_factory=dict)
    jobs: dict[int, JobRecord] = field(default_factory=dict)
    in_flight: dict[int, Flight] = field(default_factory=dict)
    history: list[Ended] = field(default_factory=list)
    runs: list[RunRecord] = field(default_factory=list)
    keys: dict[tuple[int, str], tuple[int, bytes]] = field(default_factory=dict)
    key_times: dict[tuple[int, str], datetime] = field(default_factory=dict)
    definition_days: dict[int, date] = field(default_factory=dict)
    """When each definition was last used."""
    passwords: dict[int, str] = field(default_factory=dict)
    calendars: dict[int, CalendarRecord] = field(default_factory=dict)
    days: set[date] = field(default_factory=set)
    """The days that history has."""
    audit: list[AuditEntry] = field(default_factory=list)
    outbox: list[tuple[int, JobEnded]] = field(default_factory=list)
    subscribers: dict[str, Subscriber] = field(default_factory=dict)
    reports: dict[int, Any] = field(default_factory=dict)
    """What nodes said of themselves."""
    node_names: dict[int, str] = field(default_factory=dict)
    """Of every node that ever joined."""
    schedules: dict[int, Schedule] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    leases: dict[int, Member] = field(default_factory=dict)
    shards: list[Shard] = field(default_factory=lambda: [Shard() for _ in range(ids.SHARDS)])
    closed_gates: dict[int, list[ClosedGate]] = field(default_factory=dict)
    resets: set[tuple[int, int]] = field(default_factory=set)
    journal: list[Fact] = field(default_factory=list)
    on_lease: Callable[[int], None] = lambda node: None
    """Called when a lease was given or prolonged."""
    refused: int = 0
    """Launches and settlements that a wall held back."""
    away: frozenset[int] = frozenset()
    """The shards that live in other databases."""
    schedule_names: dict[tuple[int, str], int] = field(default_factory=dict)
    """In the home database of several: which schedule has a user's name."""
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, of: str) -> int:
        """The next value of a sequence. Like one of PostgreSQL, it is not given back."""
        self._numbers[of] = self._numbers.get(of, 0) + 1
        return self._numbers[of]

    def reached(self, of: str) -> int:
        """The last value of a sequence."""
        return self._numbers.get(of, 0)

    def go_on_from(self, of: str, value: int) -> None:
        """Let a sequence go on from a value, unless it is beyond."""
        self._numbers[of] = max(value, self.reached(of))

    def job_id(self, shard: int) -> int:
        """A new job's id."""
        return self.number("job") * ids.SHARDS + shard

    def record(self, at: datetime, actor: int | None, action: str, subject: str, owner: int | None) -> None:
        """Audit a change, as part of its commit."""
        self.audit.append(AuditEntry(at, actor, action, subject, owner))

    def announce(self, ended: JobEnded) -> None:
        """Write an end to the outbox, as part of its commit, where a subscription asks for it."""
        if any(one.wants(ended) for one in self.subscribers.values()):
            self.outbox.append((self.number("outbox"), ended))

    def shown(self, schedule: Schedule) -> ScheduleRow:
        """A schedule with the calendar that it uses."""
        if schedule.calendar_id is None:
            return schedule.row
        calendar = self.calendars[schedule.calendar_id]
        return schedule.row._replace(calendar_version=calendar.version, calendar=calendar.content)

    def note(self, kind: str, **about: Any) -> None:
        """Write down what a commit does."""
        self.journal.append(Fact(self.clock(), kind, **about))

    def note_job(self, kind: str, job: JobRecord, **about: Any) -> None:
        """Write down what a commit does to a job, with where the job stands."""
        self.note(
            kind,
            job=job.id,
            lane="" if job.lane is None else f"{job.user_id}:{job.lane}",
            nominal=job.execute_at,
            due=job.due_at,
            schedule=0 if job.occurrence is None else job.schedule_id or 0,
            **about,
        )

    def lane(self, user_id: int, lane: str) -> list[JobRecord]:
        """The jobs of a lane in their order."""
        found = [job for job in self.jobs.values() if job.lane == lane and job.user_id == user_id]
        found.sort(key=lambda job: job.place)
        return found

    def job_of(self, user_id: int, job_id: int) -> JobRecord | None:
        """A user's job."""
        job = self.jobs.get(job_id)
        return job if job is not None and job.user_id == user_id else None

    def end(self, ended: Ended) -> None:
        """A job moves to history."""
        self.jobs.pop(ended.job.id, None)
        self.days.add(ended.finished_at.date())
        ended.job = replace(ended.job)
        self.history.append(ended)
        self.announce(ended.event())

    def add_user(
        self,
        username: str = "someone",
        weight: float = 1.0,
        limits: Limit | None = None,
        quotas: Quotas | None = None,
        role: Role = "user",
        at: datetime | None = None,
    ) -> User:
        """A new user."""
        at = at or self.clock()
        user = User(
            id=ids.UserId(self.number("user")),
            username=username,
            job_weight=weight,
            role=role,
            tokens_from=at,
            created_at=at,
            limits=limits,
            quotas=quotas,
        )
        self.users[user.id] = user
        return user
