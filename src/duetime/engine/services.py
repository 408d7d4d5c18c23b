"""What an engine does for people, as contracts: one engine fulfils them itself, and several cells by routing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from duetime.engine.asking.control import Cancelling
from duetime.engine.intake.submit import Submitted
from duetime.engine.node.health import Readiness
from duetime.engine.recurring.backfill import Backfilled
from duetime.engine.workflows.workflows import CreatedWorkflow, SentSignal
from duetime.model.broken_host import BrokenHost
from duetime.model.job import DeadFilter, DeadGroup, Job, JobEdit, JobFilter, NewJob
from duetime.model.lane import LaneState
from duetime.model.logs import LogFilter, LogPage
from duetime.model.run import Run
from duetime.model.schedule import Schedule, ScheduleContent, ScheduleRecord, StoredCalendar
from duetime.model.states import JobState
from duetime.model.workflow import NewWorkflow, Outline, Workflow, WorkflowState
from duetime.timing.calendars import Calendar
from duetime.timing.preview import Preview
from duetime.timing.spec import Timing


class SubmitService(Protocol):
    """Accepts jobs. `duetime.engine.intake.submit.Submit` says what each call does."""

    async def one(self, job: NewJob) -> Submitted:
        """Accept one job."""
        ...

    async def many(self, jobs: Sequence[NewJob]) -> list[int]:
        """Accept many jobs, all or none in each database. Returns their ids in order."""
        ...


class ControlService(Protocol):
    """Cancels, changes and hurries jobs, as `duetime.engine.asking.control.Control`."""

    async def cancel(self, user_id: int, job_id: int, actor: int) -> Job:
        """Cancel a job. A job that runs is asked to stop."""
        ...

    async def cancel_many(self, user_id: int, job_ids: Sequence[int], actor: int) -> Cancelling:
        """Cancel jobs. Those that run are asked to stop, those that have ended are left alone."""
        ...

    async def edit(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Change a job that has not started."""
        ...

    async def run_now(self, user_id: int, job_id: int, actor: int) -> Job:
        """Make a job due now, whatever its nominal instant and its hours."""
        ...


class InsightService(Protocol):
    """Reads jobs, runs and counts, as `duetime.engine.asking.insight.Insight`."""

    async def job(self, user_id: int, job_id: int) -> Job:
        """Returns one job, finished or not."""
        ...

    async def jobs(self, user_id: int, filter: JobFilter) -> list[Job]:  # noqa: A002
        """Returns jobs, newest first."""
        ...

    async def search(self, user_id: int, filter: JobFilter) -> tuple[list[Job], int | None]:  # noqa: A002
        """Returns jobs, newest first, and the id down to which was searched; None if that was to the end."""
        ...

    async def count(self, user_id: int, filter: JobFilter) -> tuple[dict[JobState, int], bool]:  # noqa: A002
        """Counts jobs by state, and returns whether these are all."""
        ...

    async def cancellable(self, user_id: int, filter: JobFilter) -> list[int]:  # noqa: A002
        """Returns the ids of jobs that can be cancelled, newest first."""
        ...

    async def job_of_key(self, user_id: int, key: str) -> int:
        """Returns the id of the job that was created with an idempotency key."""
        ...

    async def jobs_of_keys(self, user_id: int, keys: Sequence[str]) -> dict[str, int]:
        """Returns the ids of the jobs that were created with these idempotency keys."""
        ...

    async def runs(self, user_id: int, job_id: int) -> list[Run]:
        """Returns every attempt of a job."""
        ...

    async def stats(self, user_id: int) -> dict[JobState, int]:
        """Returns counts of jobs by state."""
        ...


class LogService(Protocol):
    """What runs logged, as `duetime.engine.asking.logs.Logs`."""

    async def add(self, holder: int, run: tuple[int, int], seq: int, lines: Sequence[str]) -> int:
        """Add lines to the log of a run (job, attempt). Returns how many were kept."""
        ...

    async def lines(self, user_id: int, job_id: int, attempt: int, skip: int = 0) -> list[str]:
        """Returns the log of an attempt without its first `skip` lines; empty if it has none."""
        ...

    async def search(self, user_id: int, wanted: LogFilter) -> LogPage:
        """Returns lines that match, newest first, and the instant down to which was searched."""
        ...


class DeadLetterService(Protocol):
    """Dead letters and blocked lanes, as `duetime.engine.asking.dead_letters.DeadLetters`."""

    async def list(self, user_id: int, wanted: DeadFilter) -> list[Job]:
        """Returns dead jobs, newest first."""
        ...

    async def groups(self, user_id: int, wanted: DeadFilter) -> Sequence[DeadGroup]:
        """Returns dead jobs by the class of their last failure."""
        ...

    async def redrive(self, user_id: int, job_ids: Sequence[int], per_second: float | None, actor: int) -> list[int]:
        """Give dead jobs another life, all at once or at a rate. Returns the ids of those that were dead."""
        ...

    async def redrive_edited(self, user_id: int, job_id: int, edit: JobEdit, actor: int) -> Job:
        """Give one dead job another life with other content."""
        ...

    async def discard(self, user_id: int, job_ids: Sequence[int], actor: int) -> list[int]:
        """Give dead jobs up for good. Returns the ids of those that were dead."""
        ...

    async def lanes(self, user_id: int, *, blocked: bool, limit: int) -> list[LaneState]:
        """Returns lanes with waiting jobs, or only those that wait for a person."""
        ...

    async def blocked_lanes(self, user_id: int) -> int:
        """Returns how many lanes wait for a person."""
        ...

    async def lane(self, user_id: int, lane: str) -> LaneState:
        """Returns one lane."""
        ...

    async def retry_head(self, user_id: int, lane: str, actor: int) -> int:
        """Give the dead job at a lane's head another life. Returns its id."""
        ...

    async def skip_head(self, user_id: int, lane: str, actor: int) -> int:
        """Move the dead job at a lane's head to the dead letters, so that the lane continues. Returns its id."""
        ...

    async def clear(self, user_id: int, lane: str, actor: int) -> list[int]:
        """Cancel the jobs of a lane that are not in flight. Returns their ids."""
        ...


class WorkflowService(Protocol):
    """Jobs that wait for each other, as `duetime.engine.workflows.workflows.Workflows`."""

    async def create(self, workflow: NewWorkflow) -> CreatedWorkflow:
        """Accept a workflow: all of it is stored, or nothing."""
        ...

    async def list(
        self, user_id: int, before_id: int | None, limit: int, state: WorkflowState | None, name: str | None
    ) -> list[Workflow]:
        """Returns workflows, newest first."""
        ...

    async def show(self, user_id: int, workflow_id: int) -> Outline:
        """Returns a workflow with its steps."""
        ...

    async def cancel(self, user_id: int, workflow_id: int, actor: int) -> Outline:
        """Cancel a workflow: its steps that wait end as cancelled, and those that run are asked to stop."""
        ...

    async def signal(self, user_id: int, workflow_id: int, name: str, key: str, payload: str, actor: int) -> SentSignal:
        """Send a signal to a workflow."""
        ...


class BreakerService(Protocol):
    """Open circuit breakers, as `duetime.engine.asking.breakers.Breakers`."""

    async def list(self, user_id: int | None) -> list[BrokenHost]:
        """Returns the hosts whose breaker a living scheduler keeps open, for a user or for all."""
        ...

    async def reset(self, user_id: int | None, host: str, actor: int) -> int:
        """Have every scheduler close its breakers of a host, for a user or for all. Returns how many these are."""
        ...


class ScheduleService(Protocol):
    """Creates, changes and shows schedules, as `duetime.engine.recurring.schedules.Schedules`."""

    async def create(self, user_id: int, contents: Sequence[ScheduleContent], actor: int) -> list[int]:
        """Create schedules, all or none in each database. Returns their ids in order."""
        ...

    async def check(self, user_id: int, contents: Sequence[ScheduleContent], new: Collection[str]) -> None:
        """Refuse invalid timings, and timings without a future instant if the schedule's name is `new`."""
        ...

    async def show(self, user_id: int, schedule_id: int) -> Schedule:
        """Returns one schedule."""
        ...

    async def named(self, user_id: int, names: Sequence[str]) -> list[Schedule]:
        """Returns the schedules that exist among these names."""
        ...

    async def list(
        self, user_id: int, after_id: int, limit: int, state: str | None = None, q: str | None = None
    ) -> list[Schedule]:
        """Returns schedules in order of their ids."""
        ...

    async def history(self, user_id: int, schedule_id: int, before_id: int, limit: int) -> list[ScheduleRecord]:
        """Returns the record of a schedule's instants, newest first, also after the schedule was deleted."""
        ...

    async def preview(
        self, user_id: int, schedule_id: int, count: int, after: datetime | None
    ) -> tuple[Timing, Preview]:
        """Returns the timing of a schedule and its next instants."""
        ...

    async def preview_of(self, user_id: int, timing: Timing, name: str, count: int, after: datetime | None) -> Preview:
        """Returns the next instants of a timing that is not saved."""
        ...

    async def edit(self, user_id: int, schedule_id: int, content: ScheduleContent, actor: int) -> Schedule:
        """Replace a schedule's content."""
        ...

    async def pause(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Pause a schedule: no occurrence launches from now on."""
        ...

    async def resume(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Resume a paused schedule."""
        ...

    async def delete(self, user_id: int, schedule_id: int, actor: int) -> Schedule:
        """Delete a schedule. Returns the deleted schedule."""
        ...


class BackfillService(Protocol):
    """Jobs of a schedule beside its occurrences, as `duetime.engine.recurring.backfill.Backfill`."""

    async def run_now(self, user_id: int, schedule_id: int, actor: int) -> int:
        """Store one job of a schedule that is due now. Returns its id."""
        ...

    async def fill(
        self,
        user_id: int,
        schedule_id: int,
        start: datetime,
        end: datetime,
        actor: int,
        *,
        pace: timedelta = ...,
        dry_run: bool = False,
    ) -> Backfilled:
        """Store jobs for the instants of a stretch of the past."""
        ...


class CalendarService(Protocol):
    """Creates, changes and shows calendars, as `duetime.engine.recurring.calendars.Calendars`."""

    async def create(self, user_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Create a calendar. `Conflict` when the name is in use."""
        ...

    async def show(self, user_id: int, calendar_id: int) -> StoredCalendar:
        """Returns one calendar."""
        ...

    async def list(self, user_id: int, after_id: int, limit: int) -> list[StoredCalendar]:
        """Returns calendars in order of their ids."""
        ...

    async def edit(self, user_id: int, calendar_id: int, calendar: Calendar, actor: int) -> StoredCalendar:
        """Replace the dates of a calendar; the name stays."""
        ...

    async def delete(self, user_id: int, calendar_id: int, actor: int) -> StoredCalendar:
        """Delete a calendar that no schedule uses. Returns the deleted calendar."""
        ...


class HealthService(Protocol):
    """Whether this node can accept and launch jobs, as `duetime.engine.node.health.Health`."""

    async def readiness(self) -> Readiness:
        """Returns the present state, from memory: a call costs nothing."""
        ...
