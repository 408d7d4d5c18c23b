"""What clients see of activity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct

from duetime.engine.activity.overview import COUNTED, OVERDUE_AFTER, OverviewOf, Window
from duetime.engine.activity.planned import PlannedRuns
from duetime.engine.activity.shares import SharesOf
from duetime.model.activity import MINUTE, ActivityRow, percentile
from duetime.model.states import JobState

CROWDS = 3
Milliseconds = Annotated[float, Meta(description="Null when nothing was launched.")] | None

KnownUntil = Annotated[datetime, Meta(description="From here on, more may be planned; null when complete.")] | None


class LatenessView(Struct, frozen=True):
    """How late jobs were launched, from due to launched."""

    p50_ms: Milliseconds
    p99_ms: Milliseconds
    worst_ms: Milliseconds
    budget_ms: Annotated[float, Meta(description="Up to this lateness, a job is on time.")]
    launched: int


class CountsView(Struct, frozen=True):
    """What happened within a time."""

    launched: int
    succeeded: int
    failed: Annotated[int, Meta(description="Attempts that were followed by another.")]
    dead: int
    cancelled: int
    skipped: int
    lost: int
    missed: Annotated[int, Meta(description="Instants of schedules that the misfire policy left out.")]


class SeriesView(Struct, frozen=True):
    """The same step by step, oldest first; the last step is the present one."""

    start: datetime
    step: Annotated[int, Meta(description="Seconds: 60 for windows up to 3 hours, else 3600.")]
    launched: list[int]
    succeeded: list[int]
    failed: list[int]
    dead: list[int]
    lost: list[int]
    skipped: list[int]
    missed: list[int]
    p50_ms: list[float | None]
    p99_ms: list[float | None]
    worst_ms: list[float | None]


class WaitingView(Struct, frozen=True):
    """Jobs that are due and not launched."""

    overdue: Annotated[int, Meta(description="Free to go for more than a second; null for all users.")] | None
    overdue_capped: Annotated[bool, Meta(description="Whether counting ended at 10,000.")]
    oldest_due_at: datetime | None
    held: (
        Annotated[
            int,
            Meta(description="Held back: a breaker, a limit, unmet labels, no worker; null for all users."),
        ]
        | None
    )
    held_capped: bool
    oldest_held_at: datetime | None


class NeedsView(Struct, frozen=True):
    """What waits for a person."""

    dead_letters: int
    blocked_lanes: int
    broken_hosts: Annotated[int, Meta(description="Hosts whose circuit breaker is open.")]
    missed: Annotated[int, Meta(description="Within the window.")]
    lost: Annotated[int, Meta(description="Within the window.")]


class OverviewView(Struct, frozen=True):
    """Whether jobs are on time, and what waits for a person."""

    now: datetime
    window: Window
    lateness: LatenessView
    counts: CountsView
    series: SeriesView
    waiting: WaitingView
    running: int
    queued: int
    jobs: Annotated[dict[JobState, int], Meta(description="How many jobs are in each state.")]
    needs: NeedsView


class CrowdView(Struct, frozen=True):
    """A step with many runs."""

    at: datetime
    count: int


class PlannedRunView(Struct, frozen=True):
    """A run that is planned."""

    at: datetime
    user_id: int
    job_id: Annotated[int, Meta(description="Null for an instant of a schedule that has no job yet.")] | None
    schedule_id: int | None
    schedule: Annotated[str, Meta(description="The schedule's name.")] | None


class PlannedView(Struct, frozen=True):
    """How many runs are planned, by minute."""

    start: datetime
    step: int
    counts: list[int]
    total: int
    complete: Annotated[bool, Meta(description="False when there are more than the 20,000 that are looked at.")]
    known_until: KnownUntil
    crowds: Annotated[list[CrowdView], Meta(description="The three minutes with the most runs.")]
    next: Annotated[list[PlannedRunView], Meta(description="The first 20.")]


class HourView(Struct, frozen=True):
    """What happened within an hour, or is planned for it."""

    at: datetime
    launched: int
    succeeded: int
    failed: int
    dead: int
    cancelled: int
    skipped: int
    lost: int
    missed: int
    p99_ms: float | None
    worst_ms: float | None
    planned: int


class CalendarView(Struct, frozen=True, rename={"from_": "from"}):
    """Past and planned runs by hour."""

    from_: datetime
    to: datetime
    now: datetime
    complete: Annotated[bool, Meta(description="False when more is planned than the 20,000 runs that are looked at.")]
    known_until: KnownUntil
    hours: Annotated[list[HourView], Meta(description="One for each hour in UTC.")]


class ShareView(Struct, frozen=True):
    """What one user got."""

    user_id: int
    username: str
    job_weight: float
    weight_part: Annotated[float, Meta(description="Its weight, as a part of the weights of all shown.")]
    launched: int
    launched_part: Annotated[float, Meta(description="Its launches, as a part of the launches of all shown.")]
    launched_series: list[int]


class SharesView(Struct, frozen=True):
    """What users got within a window."""

    now: datetime
    window: Window
    start: datetime
    step: int
    launched: Annotated[int, Meta(description="By all users together.")]
    users: Annotated[list[ShareView], Meta(description="The 50 with the most launches, the largest first.")]


def overview_view(found: OverviewOf) -> OverviewView:
    """An overview as shown."""
    total, due = found.total, found.due
    return OverviewView(
        now=found.now,
        window=found.window,
        lateness=LatenessView(
            _ms(percentile(total.lateness, 0.5), total),
            _ms(percentile(total.lateness, 0.99), total),
            _worst(total),
            OVERDUE_AFTER.total_seconds() * 1000,
            total.launched,
        ),
        counts=CountsView(*total[3:11]),
        series=_series(found.steps),
        waiting=WaitingView(
            None if due is None else due.overdue,
            due is not None and due.overdue >= COUNTED,
            found.oldest_due,
            None if due is None else due.held,
            due is not None and due.held >= COUNTED,
            None if due is None else due.oldest_held,
        ),
        running=found.in_flight.running,
        queued=found.in_flight.queued,
        jobs=dict.fromkeys(JobState, 0) | found.jobs,
        needs=NeedsView(
            found.jobs.get(JobState.DEAD, 0), found.blocked_lanes, found.broken_hosts, total.missed, total.lost
        ),
    )


def _series(steps: Sequence[ActivityRow]) -> SeriesView:
    return SeriesView(
        steps[0].at,
        steps[0].span,
        [one.launched for one in steps],
        [one.succeeded for one in steps],
        [one.failed for one in steps],
        [one.dead for one in steps],
        [one.lost for one in steps],
        [one.skipped for one in steps],
        [one.missed for one in steps],
        [_ms(percentile(one.lateness, 0.5), one) for one in steps],
        [_ms(percentile(one.lateness, 0.99), one) for one in steps],
        [_worst(one) for one in steps],
    )


def planned_view(found: PlannedRuns) -> PlannedView:
    """Planned runs as shown."""
    largest = sorted((count, -number) for number, count in enumerate(found.counts) if count)[-CROWDS:]
    return PlannedView(
        found.start,
        MINUTE,
        found.counts,
        sum(found.counts),
        found.known_until is None,
        found.known_until,
        [CrowdView(_minute(found.start, -number), count) for count, number in reversed(largest)],
        [PlannedRunView(*run) for run in found.first],
    )


def calendar_view(now: datetime, until: datetime, steps: Sequence[ActivityRow], planned: PlannedRuns) -> CalendarView:
    """A calendar as shown."""
    hours = [
        HourView(one.at, *one[3:11], _ms(percentile(one.lateness, 0.99), one), _worst(one), count)
        for one, count in zip(steps, planned.counts, strict=True)
    ]
    return CalendarView(steps[0].at, until, now, planned.known_until is None, planned.known_until, hours)


def shares_view(found: SharesOf) -> SharesView:
    """Shares as shown."""
    weights = sum(one.user.job_weight for one in found.users)
    launched = sum(one.launched for one in found.users)
    users = [
        ShareView(
            one.user.id,
            one.user.username,
            one.user.job_weight,
            one.user.job_weight / weights,
            one.launched,
            one.launched / launched,
            [step.launched for step in one.steps],
        )
        for one in found.users
    ]
    first = found.all[0]
    return SharesView(found.now, found.window, first.at, first.span, sum(one.launched for one in found.all), users)


def _ms(seconds: float | None, of: ActivityRow) -> float | None:
    """Milliseconds. A percentile is an estimate, and never larger than the largest."""
    return None if seconds is None else round(min(seconds, of.worst) * 1000, 3)


def _worst(of: ActivityRow) -> float | None:
    return round(of.worst * 1000, 3) if of.launched else None


def _minute(start: datetime, number: int) -> datetime:
    return start + timedelta(minutes=number)
