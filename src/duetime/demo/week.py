"""The past week of the demo's users: jobs that never ran, made up as records of jobs that did. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from math import sin, tau
from typing import Final

from msgspec import Struct

from duetime.model.activity import BUCKETS, HOUR, MINUTE, ActivityRow, bucket_of, plus, start_of, trimmed

DAYS: Final = 7
LABELS: Final = '{"demo": "true"}'
"""Marks every record of the demo."""
FAILURES: Final = (
    ("http_503", "the server answered 503 Service Unavailable"),
    ("timeout", "no answer within 30 s"),
    ("connection", "the connection was refused"),
)
KINDS: Final = ("succeeded", "dead", "skipped", "cancelled", "lost")


class DemoUser(Struct, frozen=True):
    """A user of the demo: its weight, its jobs in an hour, and how many of a thousand do not succeed."""

    username: str
    job_weight: float
    per_hour: int
    failing: int
    messages: tuple[str, ...]


USERS: Final = (
    DemoUser("demo-billing", 3.0, 160, 4, ("charge card", "send invoice", "remind customer")),
    DemoUser("demo-reports", 1.0, 60, 8, ("render report", "refresh summary", "mail digest")),
    DemoUser("demo-imports", 1.0, 100, 25, ("pull feed", "index catalogue", "convert prices")),
)


class PastJob(Struct, frozen=True):
    """One record."""

    due_at: datetime
    launched_at: datetime
    finished_at: datetime
    state: str
    failure: tuple[str, str] | None
    message: str


def past_week(user: DemoUser, now: datetime, chance: Callable[[], float]) -> Iterator[PastJob]:
    """Makes a week of jobs up to now: many by day, few by night, and now and then one that fails."""
    at, end = now - timedelta(days=DAYS), now - timedelta(seconds=30)
    while at < end:
        by_day = 1.0 + 0.8 * sin(tau * (at.hour + at.minute / 60 - 7) / 24)
        at += timedelta(seconds=3600 / (user.per_hour * by_day) * (0.2 + 1.6 * chance()))
        if at >= end:
            return
        launched = at + timedelta(microseconds=300 + 20_000 * chance() ** 6)
        state, failure = "succeeded", None
        if chance() * 1000 < user.failing:
            state, failure = "dead", FAILURES[int(chance() * len(FAILURES))]
        elif chance() < 0.002:
            state = ("skipped", "cancelled", "lost")[int(chance() * 3)]
        took = timedelta(milliseconds=5 + 900 * chance() ** 3)
        message = user.messages[int(chance() * len(user.messages))]
        yield PastJob(at, launched, launched + took, state, failure, message)


def activity_of(user_id: int, jobs: list[PastJob], now: datetime) -> list[ActivityRow]:
    """Adds records up, as a node would have: by hour, and by minute for the last hours."""
    minutes: dict[datetime, list[PastJob]] = {}
    for job in jobs:
        minutes.setdefault(start_of(job.launched_at, MINUTE), []).append(job)
    rows = [_row(user_id, at, some) for at, some in minutes.items()]
    hours: dict[datetime, list[ActivityRow]] = {}
    for row in rows:
        hours.setdefault(start_of(row.at, HOUR), []).append(row)
    recent = [row for row in rows if row.at > now - timedelta(hours=3)]
    return recent + [plus(some, user_id, HOUR, at) for at, some in hours.items()]


def _row(user_id: int, at: datetime, jobs: list[PastJob]) -> ActivityRow:
    lateness, worst = [0] * BUCKETS, 0.0
    for job in jobs:
        late = (job.launched_at - job.due_at).total_seconds()
        lateness[bucket_of(int(late * 1e6))] += 1
        worst = max(worst, late)
    ends = {kind: sum(job.state == kind for job in jobs) for kind in KINDS}
    return ActivityRow(user_id, MINUTE, at, launched=len(jobs), lateness=trimmed(lateness), worst=worst, **ends)
