"""What of the demo goes on: schedules, waiting jobs, a blocked lane and calls that fail, created over the API."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from duetime.client import Client
from duetime.demo.week import USERS

LABELS: Final = {"demo": "true"}
NOWHERE: Final = {"kind": "http", "url": "http://127.0.0.1:9/demo", "method": "POST"}
"""A port at which nothing answers: its jobs fail, as they would with a partner that is down."""
ONCE: Final = {"retry": {"max_attempts": 1}}
SCHEDULES: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "demo-billing": (
        {"name": "charge-cards", "every": "15s", "message": "charge cards"},
        {"name": "invoice-run", "cron": "0 2 * * *", "zone": "Europe/Riga", "message": "invoice run"},
        {"name": "dunning", "cron": "0 9 * * MON-FRI", "zone": "Europe/Riga", "message": "remind customers"},
        {"name": "old-export", "cron": "*/5 * * * *", "message": "export for the old system"},
    ),
    "demo-reports": (
        {"name": "refresh-summaries", "cron": "* * * * *", "message": "refresh summaries"},
        {"name": "hourly-report", "cron": "5 * * * *", "message": "hourly report"},
        {"name": "weekly-digest", "cron": "0 7 * * MON", "zone": "America/New_York", "message": "weekly digest"},
    ),
    "demo-imports": (
        {"name": "pull-feeds", "every": "30s", "message": "pull feeds"},
        {"name": "partner-sync", "every": "2m", "message": "sync", "target": NOWHERE, **ONCE},
    ),
}
PAUSED: Final = ("demo-billing", "old-export")


async def create_living(url: str, password: str, now: datetime) -> dict[str, int]:
    """Creates what goes on, as each user. Returns how many schedules and jobs each has."""
    counts: dict[str, int] = {}
    for user in USERS:
        async with Client(url) as client:
            await client.login(user.username, password)
            schedules = [{**one, "labels": LABELS} for one in SCHEDULES[user.username]]
            ids = await client.create_schedules(schedules)
            if user.username == PAUSED[0]:
                names = [one["name"] for one in SCHEDULES[user.username]]
                await client.pause_schedule(ids[names.index(PAUSED[1])])
            jobs = _jobs(user.username, user.messages, now)
            await client.create_jobs(jobs)
            counts[user.username] = len(ids) + len(jobs)
    return counts


def _jobs(username: str, messages: tuple[str, ...], now: datetime) -> list[dict[str, Any]]:
    """Jobs over the next hours with one crowd, a lane whose first job fails for good, and calls that fail."""
    later = [
        {"message": messages[number % 3], "execute_at": _in(now, 60 + number * 90), "labels": LABELS}
        for number in range(80)
    ]
    crowd = [{"message": "month end", "execute_at": _in(now, 1500), "labels": LABELS} for _ in range(60)]
    lane = [
        {"message": f"step {number}", "ordering_key": "account-4711", "labels": LABELS, "delay": number}
        | ({"target": NOWHERE, "breaker": False, **ONCE} if number == 0 else {})
        for number in range(4)
    ]
    failing = [{"message": "call partner", "target": NOWHERE, "labels": LABELS, **ONCE} for _ in range(12)]
    return later + crowd + lane * (username == "demo-billing") + failing * (username == "demo-imports")


def _in(now: datetime, seconds: int) -> str:
    return (now + timedelta(seconds=seconds)).isoformat()
